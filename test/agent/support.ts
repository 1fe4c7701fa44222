// A model that says its lines, tools that do next to nothing, and a journal in memory.
import { z } from 'zod';
import { runLoop } from '../../src/agent/loop.ts';
import { toolbox, type Toolbox } from '../../src/agent/dispatch.ts';
import type { AgentEntry, NewAgentEntry, ProtocolName } from '../../src/contracts/entries.ts';
import { History } from '../../src/agent/history.ts';
import type { AgentLimits, LoopEnd } from '../../src/agent/limits.ts';
import type { Model, ModelReply, ModelRequest } from '../../src/contracts/model.ts';
import { protocolNamed } from '../../src/agent/protocols/index.ts';
import type { News, Run, RunIo } from '../../src/agent/agent-run.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { TellModel, TellPerson } from '../../src/lib/errors.ts';
import { zodArguments } from '../../src/tools/define-tool.ts';

export type Entry = AgentEntry;

/** A text, a reply with more to it, or what the adapter throws. */
export type Line = string | Partial<ModelReply> | Error;

export const json = (...calls: [string, object][]): string =>
  JSON.stringify({
    plan: 'as scripted',
    tool_calls: calls.map(([tool_name, args]) => ({ tool_name, arguments: args })),
  });

/** A call in the tags of ReAct. */
export const react = (tool: string, args: unknown): string =>
  `<tool_code>\n<name>${tool}</name>\n<parameters>\n${JSON.stringify(args)}\n</parameters>\n</tool_code>`;

let ids = 0;
/** A reply with calls through the provider's own tool calling. */
export const native = (...calls: [string, unknown][]): Partial<ModelReply> => ({
  text: 'as scripted',
  calls: calls.map(([tool, args]) => ({ id: `id-${(ids += 1)}`, tool, arguments: args })),
});

export const USAGE = { input: 100, cached: 0, written: 0, output: 10, reasoning: 0 };
const REPLY: ModelReply = {
  text: '',
  reasoning: '',
  calls: [],
  stop: 'end',
  usage: USAGE,
  cost: null,
  native: null,
};

const tool = (name: string, run: Tool['run']): Tool => ({
  name,
  aliases: [`${name}_alias`],
  description: `does ${name}`,
  arguments: zodArguments(z.object({ text: z.string().default('') })),
  argumentAliases: { question_text: 'text' },
  safety: 'safe',
  rendering: { arguments: {}, output: 'plain' },
  title: (args) => `${name} ${String(args['text'])}`,
  run,
});

/** `note` answers, `look` only looks, `fail` and `break` fail for the model and for the person, `ask` and `end` halt. */
export const testTools = (
  note: Tool['run'] = (args) => Promise.resolve({ output: `noted ${String(args['text'])}` }),
): readonly Tool[] => [
  tool('note', note),
  {
    ...tool('look', ({ text }) => Promise.resolve({ output: `looked at ${String(text)}` })),
    changesNothing: () => true,
  },
  tool('fail', () => Promise.reject(new TellModel('no such file; list the directory first'))),
  tool('break', () => Promise.reject(new TellPerson('The push was denied.'))),
  tool('ask', () => Promise.resolve({ output: 'asked', halt: 'asked' })),
  tool('end', () => Promise.resolve({ output: 'over', halt: 'finished' })),
];

/** The tools of a run, in which a model ends its work with a text by calling `end`. */
export const testToolbox = (
  list: readonly Tool[],
  waitsForApproval?: Toolbox['waitsForApproval'],
): Toolbox =>
  toolbox(list, {
    conclude: (answer) => ({ tool: 'end', arguments: { text: answer } }),
    ...(waitsForApproval === undefined ? {} : { waitsForApproval }),
  });

export const done: string[] = [];
const TOOLS = testToolbox(
  testTools((args) => {
    done.push(String(args['text']));
    return Promise.resolve({
      output: 'noted',
      effects: [{ type: 'branch', suffix: String(args['text']) }],
    });
  }),
);

export const LIMITS: AgentLimits = {
  turns: 20,
  wallTimeMs: 60_000,
  tokens: undefined,
  dollars: { run: undefined, issue: undefined, repositoryDay: undefined },
  faults: 3,
  outputTokens: 100,
};

export interface Setup extends Partial<Omit<Run, 'limits' | 'io'>>, Partial<RunIo> {
  readonly lines: readonly Line[];
  readonly protocol?: ProtocolName;
  readonly journal?: Entry[];
  readonly limits?: Partial<Run['limits']>;
  readonly contextWindow?: number;
  /** What the model answers when it is asked for a summary. */
  readonly summary?: Line;
  /** Stop as a crash would, right after this many entries were stored. */
  readonly crashAfter?: number;
  /** The notices before each request after the first. */
  readonly news?: () => Partial<News>;
}

/** Runs the lines to the end, from the end of the journal. */
export async function run(setup: Setup) {
  const { journal = [], protocol = 'json', crashAfter } = setup;
  const { model, requests } = scripted(setup, journal);
  const history = historyOf(journal, protocol);
  const end = await drive(runLoop(runOf(setup, model, history)), journal, crashAfter);
  return { end, journal, requests, history };
}

/** The conversation that a journal holds. */
export function historyOf(journal: readonly Entry[], protocol: ProtocolName): History {
  const history = new History();
  history.beginRun();
  history.speak({ protocol: protocolNamed(protocol), instructions: 'You are a test.' });
  for (const entry of journal) history.add(entry);
  return history;
}

function scripted({ lines, summary, contextWindow }: Setup, journal: readonly Entry[]) {
  const requests: ModelRequest[] = [];
  let thrown = 0;
  const model: Model = {
    name: 'test:scripted',
    destination: 'Nobody (test)',
    callsTools: true,
    imageTypes: new Set(),
    contextWindow,
    reply: async (request) => {
      requests.push({ ...request, messages: [...request.messages] });
      const asksForSummary = request.cacheKey.endsWith(':summary');
      const said = journal.filter(({ type }) => type === 'reply').length + thrown;
      const line = asksForSummary ? summary : lines[said];
      if (line === undefined) throw new Error('the script is over');
      if (line instanceof Error && !asksForSummary) thrown++;
      if (line instanceof Error) throw line;
      return { ...REPLY, ...(typeof line === 'string' ? { text: line } : line) };
    },
  };
  return { model, requests };
}

function runOf(setup: Setup, model: Model, history: History): Run {
  const { limits, mode = 'agent', tools = TOOLS, fallback, relief, signal } = setup;
  return {
    mode,
    model,
    tools,
    history: setup.history ?? history,
    limits: { ...LIMITS, ...limits },
    relief: relief ?? { compaction: undefined, maxMessages: 1000 },
    io: ioOf(setup),
    fallback,
    cacheKey: 'test',
    signal: signal ?? new AbortController().signal,
  };
}

const withoutSecret = (text: string): string => text.replaceAll('SECRET', '[redacted]');

function ioOf(setup: Setup): RunIo {
  const {
    news = () => ({}),
    hear,
    whyNotYet,
    spending,
    elapsedMs,
    progress,
    redact,
    redactForModel,
  } = setup;
  let asked = (setup.journal ?? []).some(({ type }) => type === 'input_read');
  const task = () => {
    const input = asked ? undefined : { upTo: 1, text: 'Fix the bug.' };
    asked = true;
    return Promise.resolve({ input, notices: [], ...news() });
  };
  return {
    hear: hear ?? task,
    ...(whyNotYet === undefined ? {} : { whyNotYet }),
    spending: spending ?? (() => Promise.resolve({ issue: 0 })),
    elapsedMs: elapsedMs ?? (() => 0),
    progress: progress ?? (() => {}),
    redact: redact ?? withoutSecret,
    redactForModel: redactForModel ?? ((text) => Promise.resolve(withoutSecret(text))),
  };
}

export async function drive(
  loop: AsyncGenerator<NewAgentEntry, LoopEnd | void, Entry>,
  journal: Entry[],
  crashAfter = Infinity,
): Promise<LoopEnd | void> {
  let step = await loop.next();
  while (step.done !== true) {
    if (journal.length >= crashAfter) return undefined;
    const stored = { ...step.value, seq: journal.length + 1, at: '2026-01-02T03:04:05.000Z' };
    journal.push(stored);
    step = await loop.next(stored);
  }
  return step.value;
}

export const results = (journal: readonly Entry[]) =>
  journal.flatMap((entry) => (entry.type === 'call_finished' ? [[entry.ok, entry.output]] : []));

/** The text of a request's last message, of any role. */
export const lastText = (request: ModelRequest | undefined): string =>
  JSON.stringify(request?.messages.at(-1) ?? '');
