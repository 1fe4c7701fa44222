// A run of the agent in which the model and the tools answer as the journal says.
import { toolbox } from '../../agent/dispatch.ts';
import type { History } from '../../agent/history.ts';
import type { News, Run } from '../../agent/agent-run.ts';
import { ContextOverflow, ImagesRejected, ToolsUnsupported } from '../../agent/model-errors.ts';
import { inputMessage, withdrawnIn } from '../../agent/prompts/input.ts';
import { TOO_LONG_WITH_IMAGES } from '../../agent/make-room.ts';
import { fileListIn, withFileList } from '../../agent/prompts/notices.ts';
import { isHeldForPeople, LEAVE_OUT, SAME_AGAIN, TIME_IS_UP } from '../../agent/prompts/replies.ts';
import { SUMMARY_INSTRUCTIONS } from '../../agent/prompts/separate-requests.ts';
import { protocolNamed } from '../../agent/protocols/index.ts';
import type {
  AgentEntry,
  CallFinished,
  NewAgentEntry,
  Reply,
  ReliefSettings,
} from '../../contracts/entries.ts';
import type { Model, ModelReply } from '../../contracts/model.ts';
import type { Tool, ToolResult } from '../../contracts/tool.ts';
import type { EntryOf } from '../../session/entry.ts';
import { loginStillAsked } from '../../session/requested-work.ts';
import { concludeWith } from '../../tools/index.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import { readableIn } from '../run/perform.ts';
import { FAULTS_IN_A_ROW } from '../run/plan/plan.ts';
import { waitsForApproval } from '../run/plan/offered-tools.ts';
import { stopwatch } from '../run/spending.ts';
import { isBoundary, toolsOf, type RecordedSession } from './recording.ts';

/** The loop asks for something that did not happen: in the journal it was left here, or went another way. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded';
  /** What it asks for in words, or a step of its own. */
  readonly wish: string | NewAgentEntry;

  constructor(wish: string | NewAgentEntry) {
    super('this is not recorded');
    this.wish = wish;
  }
}

/** Of journals that do not say it: the defaults of the settings. */
const USUAL_RELIEF: ReliefSettings = {
  compaction: { messages: undefined, share: 0.75, keepRecent: 10 },
  maxMessages: 40,
};

interface ReplayedRun {
  readonly prepared: EntryOf<'run_prepared'>;
  readonly history: History;
  readonly recording: RecordedSession;
}

export function recordedRun(watched: ReplayedRun): Run {
  const { prepared, history, recording } = watched;
  const all = toolsOf(prepared, recordedResult(watched), recording.toolsCalled());
  const tools = toolbox(all, {
    // Journals that do not name the tools are older than runs that propose sub-issues.
    conclude: concludeWith(prepared.tools === undefined ? [] : all),
    waitsForApproval: () => waitsForApproval(recording.session),
  });
  const {
    turns = Infinity,
    minutes = Infinity,
    tokens,
    dollars,
    issueDollars,
  } = {
    ...prepared.limits,
  };
  return {
    mode: prepared.mode,
    model: recordedModel(watched),
    tools,
    history,
    limits: {
      turns,
      wallTimeMs: minutes * 60_000,
      tokens,
      // What other sessions of the repository cost, this journal does not say.
      dollars: { run: dollars, issue: issueDollars, repositoryDay: undefined },
      faults: FAULTS_IN_A_ROW,
      outputTokens: Infinity,
    },
    relief: prepared.relief ?? USUAL_RELIEF,
    io: {
      hear: async () => heard(watched),
      whyNotYet: async () => heldForPeople(recording),
      spending: async () => ({ issue: recording.session.spending.cost.dollars }),
      elapsedMs: () => elapsedMs(recording),
      progress: () => {},
      // What the operator alone knows to be secret was redacted before it was journaled, but for titles.
      redact: createRedactor().redact,
      redactForModel: (text) => Promise.resolve(text),
    },
    fallback: protocolNamed('json'),
    cacheKey: 'replay',
    signal: new AbortController().signal,
  };
}

function elapsedMs(recording: RecordedSession): number {
  const next = recording.nextStep();
  if (next?.type === 'call_finished' && next.output === TIME_IS_UP) return Infinity;
  return stopwatch(recording.session.progress, () => recording.now())();
}

function heldForPeople(recording: RecordedSession): string | undefined {
  const next = recording.nextStep();
  return next?.type === 'call_finished' && isHeldForPeople(next)
    ? next.output.replace(LEAVE_OUT, '')
    : undefined;
}

function heard({ recording, prepared }: ReplayedRun): News {
  const next = recording.nextStep();
  if (next === undefined || isBoundary(next)) throw new NotRecorded('the next request');
  const steps = recording.steps();
  const [first] = steps;
  const rest = first?.type === 'input_read' ? steps.slice(1) : steps;
  const end = rest.findIndex(({ type }) => type !== 'notice');
  const notices = rest
    .slice(0, end === -1 ? rest.length : end)
    .filter((entry) => entry.type === 'notice')
    // The loop has its own words for this one.
    .filter(({ topic }) => !topic.startsWith('wrap-up:') && !topic.startsWith('go-on:'));
  return {
    input: first?.type === 'input_read' ? inputAt(recording, first, prepared) : undefined,
    notices,
  };
}

/** What people had said by then, in the words of today. Who had lost access, only the recorded words say. */
function inputAt(
  { session }: RecordedSession,
  { upTo, text }: Extract<AgentEntry, { type: 'input_read' }>,
  { imageTypes = [] }: EntryOf<'run_prepared'>,
): NonNullable<News['input']> {
  const unread = session.requests.unread.filter(({ admittedAt }) => admittedAt <= upTo);
  const then = { ...session, requests: { ...session.requests, unread } };
  const withdrawn = withdrawnIn(text, unread);
  const message = inputMessage(readableIn(then), {
    withdrawn,
    imageTypes: new Set(imageTypes),
    stillAsked: loginStillAsked(then),
  });
  // The workspace had these files.
  return { upTo, ...message, text: withFileList(message.text, fileListIn(text)) };
}

function recordedModel({ prepared, recording }: ReplayedRun): Model {
  return {
    name: prepared.model,
    destination: prepared.destination,
    callsTools: prepared.protocol === 'native',
    imageTypes: new Set(prepared.imageTypes),
    contextWindow: prepared.relief?.contextWindow,
    reply: async (request) => {
      const next = recording.nextStep();
      const isSummary = request.system === SUMMARY_INSTRUCTIONS;
      if (next === undefined || isBoundary(next))
        throw new NotRecorded('another reply of the model');
      if (isSummary) {
        if (next.type === 'compacted') return summaryOf(next);
        throw new NotRecorded('a summary of the conversation');
      }
      throwRejection(next);
      if (next.type !== 'reply') throw new NotRecorded('a reply of the model');
      return replyOf(next);
    },
  };
}

/** What the server said to the request, if it was no reply. */
function throwRejection(next: AgentEntry): void {
  if (next.type === 'compacted')
    throw new ContextOverflow('the conversation is too long', { window: next.window });
  if (next.type === 'protocol_changed') throw new ToolsUnsupported('no tools');
  if (next.type !== 'images_dropped') return;
  throw next.reason === TOO_LONG_WITH_IMAGES
    ? new ContextOverflow(next.reason)
    : new ImagesRejected(next.reason);
}

const summaryOf = ({
  summary,
  usage,
  cost,
}: Extract<AgentEntry, { type: 'compacted' }>): ModelReply => ({
  text: summary ?? '',
  reasoning: '',
  calls: [],
  stop: 'end',
  usage,
  cost,
  native: null,
});

/** As it came, as far as the journal has it: calls without an id were read from the text. */
const replyOf = ({
  text,
  thought,
  calls,
  answer,
  stop,
  usage,
  cost,
  native,
}: Reply): ModelReply => ({
  text,
  reasoning: thought,
  calls: answer === null ? calls.filter(({ id }) => id !== undefined) : [],
  stop,
  usage,
  cost,
  native,
});

/** Each call comes to what it came to. */
const recordedResult =
  ({ history, recording }: ReplayedRun): Tool['run'] =>
  async () => {
    const open = history.openCall;
    const found = open && recording.resultOf(open);
    if (found === undefined) throw new NotRecorded('the result of a call');
    return resultOf(found);
  };

/** Without what the loop itself adds, and without the ends that are the loop's. */
const resultOf = ({ ok, output, effects, halt }: CallFinished): ToolResult => ({
  ok,
  output: output.endsWith(AGAIN) ? output.slice(0, -AGAIN.length) : output,
  effects,
  ...(halt === null || halt === 'repeated' ? {} : { halt }),
});

const AGAIN = `\n${SAME_AGAIN}`;
