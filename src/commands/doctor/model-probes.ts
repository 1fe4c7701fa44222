// Twelve probes that show how a model server behaves. They are made as a run makes its requests: by the adapters, the protocols
// and the tools of a run. So what they prove is what runs.
import { ContextOverflow, ImagesRejected, ToolsUnsupported } from '../../agent/model-errors.ts';
import {
  fillerOf,
  PROBE_PATHS,
  PROBE_WORDS,
  PROBES,
  PROBES_INSTRUCTIONS,
} from '../../agent/prompts/probe.ts';
import { FAULTS } from '../../agent/prompts/replies.ts';
import { protocolNamed } from '../../agent/protocols/index.ts';
import { charactersIn, estimateTokens } from '../../agent/relief.ts';
import type { Reply } from '../../contracts/entries.ts';
import type { ModelImage } from '../../contracts/image.ts';
import type { Message, Model } from '../../contracts/model.ts';
import { messageOf, TryLater } from '../../lib/errors.ts';
import type { FindingState } from './examination.ts';
import { Interview, probedTools, type ProbeSettings } from './interview.ts';

/** What a probe showed: a row of the table. */
export interface ProbeRow {
  readonly probe: string;
  readonly state: Exclude<FindingState, 'skipped'>;
  readonly seen: string;
  /** What Issuewright does about it, or the operator can; empty if nothing has to be done. */
  readonly does: string;
}

type ProbeFinding = Omit<ProbeRow, 'probe'>;

const well = (seen: string, does = ''): ProbeFinding => ({ state: 'ok', seen, does });
const odd = (seen: string, does: string): ProbeFinding => ({ state: 'warning', seen, does });

const LARGER = 'can do nothing about it. Choose a larger model';
const FOR_TOOLS = 'Choose a model that is made for tool calls';
/** Some APIs allow no fewer. */
const FEWEST_TOKENS = 16;
/** Servers that cut conversations silently have room for 2,048 or 4,096 tokens. */
const LONG_CONVERSATION = 6_000;

interface Probe {
  readonly name: string;
  /** Tokens of the reply, usually; 0 if nothing is sent. */
  readonly output: number;
  readonly run: (interview: Interview) => Promise<ProbeFinding>;
}

const user = (text: string, images: readonly ModelImage[] = []): Message =>
  images.length === 0 ? { role: 'user', text } : { role: 'user', text, images };

const READ_WORD = { tool: 'read_file', arguments: { path: PROBE_PATHS.one } };

const pathsRead = ({ calls }: Reply): readonly unknown[] =>
  calls
    .filter(({ tool, fault }) => tool === 'read_file' && fault === undefined)
    .map(({ arguments: given }) => (Object(given) as { readonly path?: unknown }).path);

/** Reasoning does not count. */
const says = ({ text, calls }: Reply, word: string): boolean =>
  new RegExp(`\\b${word}\\b`, 'i').test(`${text} ${JSON.stringify(calls)}`);

async function probeCall(interview: Interview): Promise<ProbeFinding> {
  const question = user(PROBES.call);
  let reply: Reply;
  let isStepDown = false;
  try {
    reply = await interview.ask([question]);
  } catch (error) {
    if (!(error instanceof ToolsUnsupported) || interview.settings.protocol !== 'auto') throw error;
    isStepDown = true;
    interview.protocol = protocolNamed('json');
    reply = await interview.ask([question]);
  }
  const isCalled = pathsRead(reply)[0] === PROBE_PATHS.one;
  const called = isCalled ? reply : interview.made({ calls: [{ ...READ_WORD, id: 'call_1_0' }] });
  interview.base = [question, ...interview.turn(called, [PROBES.result])];
  if (!isCalled)
    return reply.fault === null
      ? odd('answered without calling a tool', `takes that for the end of the work. ${FOR_TOOLS}`)
      : odd('wrote a reply that cannot be read', `asks again, three times in a row. ${FOR_TOOLS}`);
  if (isStepDown)
    return odd(
      'the server does not support tool calls',
      'uses the protocol `json`, which works less well. Choose a model with tool calls, or start the server with them',
    );
  return well(`called a tool (protocol \`${interview.protocol.name}\`)`);
}

async function probeParallel(interview: Interview): Promise<ProbeFinding> {
  const reply = await interview.ask([user(PROBES.parallel)]);
  const paths = pathsRead(reply);
  const isBoth = PROBE_PATHS.both.every((path) => paths.includes(path));
  if (isBoth) return well('made two calls in one reply');
  if (paths.length === 1)
    return well('made one call only', 'works with one call per reply, in more requests');
  const faulty = reply.calls.find(({ fault }) => fault !== undefined);
  return odd(
    faulty === undefined
      ? 'called something else'
      : 'made calls whose arguments are not valid JSON',
    'tells the model, which has to call again',
  );
}

async function probeResult(interview: Interview): Promise<ProbeFinding> {
  const reply = await interview.ask(interview.base);
  return says(reply, PROBE_WORDS.result)
    ? well('used the result of its call')
    : odd('did not use the result of its call', LARGER);
}

async function probeAfterResult(interview: Interview): Promise<ProbeFinding> {
  const reply = await interview.ask([...interview.base, user(PROBES.afterResult)]);
  return says(reply, PROBE_WORDS.answer)
    ? well('accepted a message right after results')
    : odd('ignored a message right after results', LARGER);
}

async function probeQuestion(interview: Interview): Promise<ProbeFinding> {
  const reply = await interview.ask([user(PROBES.question)]);
  const asked = reply.calls.find(({ tool }) => tool === 'ask_question');
  const schema = interview.tools.find(({ name }) => name === 'ask_question')?.arguments;
  const correct = 'tells the model what is wrong, which then corrects it';
  if (asked === undefined || asked.fault !== undefined || schema === undefined)
    return odd('did not ask with `ask_question`', correct);
  const checked = schema.check(asked.arguments);
  return 'wrong' in checked
    ? odd('asked with arguments that do not fit', correct)
    : well('asked a question with nested arguments');
}

/** The lines that are the next number each. */
const countOf = (text: string): number => {
  let last = 0;
  for (const [number] of text.matchAll(/\d+/g)) if (Number(number) === last + 1) last += 1;
  return last;
};

const LAST_NUMBER = 300;

async function probeLong(interview: Interview): Promise<ProbeFinding> {
  const { outputTokens } = interview.settings;
  const before = interview.window;
  const reply = await interview.ask([user(PROBES.numbers)], outputTokens);
  const does = before === interview.window ? '' : 'asks for replies of a quarter of its window';
  const count = countOf(reply.text);
  const speed = Math.round((reply.usage.output * 1000) / Math.max(1, reply.durationMs));
  if (count >= LAST_NUMBER)
    return well(`wrote a long reply to its end, ${speed} tokens per second`, does);
  if (reply.stop === 'cut')
    return odd(
      `a long reply was cut off at number ${count}, though ${outputTokens} tokens were allowed`,
      'asks the model to work in smaller parts. Raise the limit of the server',
    );
  return odd(`a long reply ended at number ${count}`, LARGER);
}

async function probeCut(interview: Interview): Promise<ProbeFinding> {
  const reply = await interview.ask([user(PROBES.numbers)], FEWEST_TOKENS);
  if (reply.stop === 'cut') return well('reports that a reply was cut off');
  if (countOf(reply.text) >= LAST_NUMBER)
    return odd(
      'ignores the limit on the length of a reply',
      'cannot limit replies with AGENT_MAX_TOKENS, only a whole run with AGENT_MAX_RUN_TOKENS',
    );
  return odd(
    'does not report that a reply was cut off',
    'may mistake a cut text for an answer. Set AGENT_MAX_TOKENS as high as the server allows',
  );
}

/** Replies that came with reasoning, and those that have none: cut, understood from text, or of another model. */
async function probeReasoning(interview: Interview): Promise<ProbeFinding> {
  const cut = interview.made({ text: PROBES.begun, fault: FAULTS.cut, stop: 'cut' });
  const fromText = interview.made({ thought: PROBES.begun, calls: [READ_WORD] });
  const turns = [
    ...interview.turn(cut, []),
    ...interview.turn(fromText, [PROBES.result]),
    user(PROBES.afterResult),
  ];
  await interview.ask([...interview.base, ...turns]);
  const hasReasoning = interview.replies.some(
    ({ native, usage }) => native !== null || usage.reasoning > 0,
  );
  return hasReasoning
    ? well('accepts its reasoning back, and replies without any', 'sends it back unchanged')
    : well('sends no reasoning that must be sent back');
}

/** 64 × 64 pixels. */
const RED_SQUARE =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC';

const IMAGE: ModelImage = {
  id: 'probe',
  number: 1,
  type: 'image/png',
  width: 64,
  height: 64,
  bytes: 132,
  data: RED_SQUARE,
};

async function probeImage(interview: Interview): Promise<ProbeFinding> {
  const isSent = interview.model.imageTypes.size > 0;
  const turnOff = 'Set `"seesImages": false` in MODEL_CATALOG';
  try {
    const reply = await interview.ask([user(PROBES.image, [IMAGE])]);
    if (says(reply, PROBE_WORDS.image))
      return isSent
        ? well('sees images')
        : well('sees images', 'sends none. Set `"seesImages": true` in MODEL_CATALOG');
    return isSent ? odd('accepts images but does not see them', turnOff) : well('sees no images');
  } catch (error) {
    if (!(error instanceof ImagesRejected)) throw error;
    return isSent
      ? odd('rejects images', `leaves them out after the first. ${turnOff}`)
      : well('rejects images', 'sends none');
  }
}

async function probeEmpty(interview: Interview): Promise<ProbeFinding> {
  const nothing = interview.made({ fault: FAULTS.nothing });
  const empty = interview.made({ calls: [READ_WORD] });
  await interview.ask([
    user(PROBES.call),
    ...interview.turn(nothing, []),
    ...interview.turn(empty, ['']),
    user(PROBES.afterResult),
  ]);
  return well('accepts an empty result, and a placeholder for an empty reply');
}

async function probeUsage({ replies }: Interview): Promise<ProbeFinding> {
  const isCounted = replies.every(({ usage }) => usage.isEstimated !== true);
  const isPriced = replies.every(({ cost }) => cost !== null);
  const price = isPriced
    ? ''
    : 'knows no price, so budgets in dollars do not apply. Set one in MODEL_CATALOG';
  const estimates = 'estimates them from the length of the texts, for all limits';
  if (isCounted && isPriced) return well('reports its tokens');
  if (isCounted) return odd('reports its tokens', price);
  return odd('does not report all tokens', [estimates, price].filter(Boolean).join('; '));
}

async function probeWindow(interview: Interview): Promise<ProbeFinding> {
  const length = Math.min(LONG_CONVERSATION, Math.floor((interview.window ?? Infinity) / 4));
  const filler = fillerOf(charactersIn(length) / 3);
  const read: Message = { role: 'assistant', text: PROBES.read, calls: [], native: null };
  const begun: Message = { ...read, text: PROBES.remembered };
  const middle = [user(filler), read, user(filler), read, user(filler), read];
  const messages = [user(PROBES.remember), begun, ...middle, user(PROBES.recall)];
  const sent = `${length.toLocaleString('en')} tokens`;
  let reply: Reply;
  try {
    reply = await interview.ask(messages);
  } catch (error) {
    if (!(error instanceof ContextOverflow)) throw error;
    return odd(
      `has no room for ${sent}, the tools and a reply`,
      'shortens conversations, and has little room for work. Give the server a larger context window',
    );
  }
  if (!says(reply, PROBE_WORDS.first))
    return odd(
      `forgot the beginning of ${sent}: the server may cut conversations silently`,
      'cannot detect that. Give the server a larger context window; for a model of Ollama, set MODEL to `ollama:…` in place of `openai:…`',
    );
  return interview.window === undefined
    ? odd(
        'does not say how many tokens it can read',
        'assumes 128,000 tokens until a request is rejected. Set `contextWindow` in MODEL_CATALOG',
      )
    : well(
        `can read ${interview.window.toLocaleString('en')} tokens`,
        'shortens conversations before that',
      );
}

/** In the order of the table. */
const LIST: readonly Probe[] = [
  { name: 'tool call', output: 80, run: probeCall },
  { name: 'parallel calls', output: 120, run: probeParallel },
  { name: 'result', output: 60, run: probeResult },
  { name: 'answer after a result', output: 60, run: probeAfterResult },
  { name: 'question', output: 120, run: probeQuestion },
  { name: 'long output', output: 1_500, run: probeLong },
  { name: 'cut', output: FEWEST_TOKENS, run: probeCut },
  { name: 'reasoning back', output: 60, run: probeReasoning },
  { name: 'image', output: 60, run: probeImage },
  { name: 'empty', output: 60, run: probeEmpty },
  { name: 'usage', output: 0, run: probeUsage },
  { name: 'window', output: 60, run: probeWindow },
];

export const PROBE_NAMES: readonly string[] = LIST.map(({ name }) => name);

/** What all of it usually takes, as requests and tokens. */
export function probesTake(): { readonly requests: number; input: number; output: number } {
  const tools = probedTools();
  const specs = protocolNamed('native').specs(tools);
  const requests = LIST.filter(({ output }) => output > 0).length;
  const each = estimateTokens(PROBES_INSTRUCTIONS + JSON.stringify(specs)) + 200;
  const output = LIST.reduce((sum, one) => sum + one.output, 0);
  return { requests, input: requests * each + LONG_CONVERSATION, output };
}

/**
 * Carries out the probes, one after the other, and yields what each showed. If the model does not answer at all, the first one
 * says why, and is the only one.
 */
export async function* probeModel(
  model: Model,
  settings: ProbeSettings,
): AsyncGenerator<ProbeRow, readonly Reply[]> {
  const interview = new Interview(model, settings);
  for (const { name, run } of LIST) {
    const before = model.learnt?.() ?? [];
    const seen = await run(interview).catch(failed);
    const learnt = (model.learnt?.() ?? []).filter((one) => !before.includes(one));
    const does = [...learnt, seen.does].filter((part) => part !== '').join('; ');
    yield { probe: name, ...seen, does };
    if (interview.base.length === 0) break;
  }
  return interview.replies;
}

function failed(error: unknown): ProbeFinding {
  const does =
    error instanceof TryLater ? 'would try again later' : 'would end the run with these words';
  return { state: 'fault', seen: messageOf(error), does };
}
