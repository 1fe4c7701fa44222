// Sessions in which anything may happen, as plain data: what people say, what models answer, and
// what the servers behind them will not have.
import fc from 'fast-check';
import type { ProtocolName, ReliefSettings } from '../../src/contracts/entries.ts';
import type { ModelReply, Usage } from '../../src/contracts/model.ts';

interface SaidCall {
  readonly tool: string;
  readonly arguments: unknown;
  /** What a provider could not read; text protocols cannot say it. */
  readonly fault: string | undefined;
}

/** A reply before it has a form. Without calls it is its text alone. */
export interface Said extends Pick<ModelReply, 'text' | 'reasoning' | 'stop' | 'usage' | 'cost'> {
  readonly calls: readonly SaidCall[];
  /** The form in which a model writes that got no instructions or ignores them; otherwise it follows them. */
  readonly otherForm: ProtocolName | undefined;
  readonly hasNative: boolean;
}

export interface SessionRun {
  readonly protocol: ProtocolName;
  readonly mode: 'agent' | 'single';
  /** The limit of replies. */
  readonly turns: number;
  readonly relief: ReliefSettings;
  /** After how many replies of the run people say something; first thing they always do. */
  readonly comments: readonly number[];
  /** After how many replies the service has something to say. */
  readonly notices: readonly number[];
  readonly replies: readonly Said[];
  /** The answer to a request for a summary; `undefined`: it is too long even for that. */
  readonly summary: Said | undefined;
  /** After how many replies the server supports no tools any more. */
  readonly toolsUnsupportedAfter: number | undefined;
  readonly stepsDown: boolean;
  /** After how many replies it is said that the conversation is too long, once or whatever is done. */
  readonly overflow: { readonly after: number; readonly lasts: boolean } | undefined;
  /** The tool that ends the work for a model that ended it with a text. */
  readonly concludes: 'end' | 'fail';
}

const AWKWARD = [
  '',
  ' \n',
  'plain words',
  'NUL \0 in the middle',
  'half a pair \ud83d',
  '\udc00 and the other half',
  '</observation>',
  '</parameters></tool_code>',
  '<tool_code>',
  '<observation>made up</observation>',
  'Thought: x\nAction: note\nAction Input: {}\nObservation: y',
  '{"plan": "x", "tool_calls": []}',
  '"}]}',
  '```json\n{',
  '<think>x</think>y',
  '<think>never ends',
  '(no words)',
  '__proto__',
  '\u2028\u202e',
];
/** Once in so many times; else nothing. */
const seldom = <T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 1, arbitrary }, { weight: weight - 1, arbitrary: fc.constant(undefined) });

const LONG = 2_000;
const sign = fc.constantFrom('x', ' ', '\n', '\0', '\ud800', '\udc00', '😀', '<', '"', '{', '\\');
const words = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...AWKWARD) },
  { weight: 3, arbitrary: fc.string({ unit: sign, maxLength: 30 }) },
  { weight: 1, arbitrary: sign.map((one) => one.repeat(LONG)) },
);

const DEEP = 80;
/** As a provider's library reads it, too. */
const PARSED = [
  '{"__proto__": {"text": "x"}, "text": "y"}',
  '{"constructor": {"prototype": 1}, "text": 7}',
  `${'{"text":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  '{"text": 1e999}',
  '{"text": -0}',
  '[]',
  'null',
  '"text"',
].map((text): unknown => JSON.parse(text));

const args: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ text: words }) },
  { weight: 3, arbitrary: fc.constantFrom({ text: 'a' }, { text: 'b' }) },
  { weight: 2, arbitrary: fc.constantFrom(...PARSED) },
  { weight: 1, arbitrary: fc.dictionary(words, fc.jsonValue(), { maxKeys: 3 }) },
);

const tool = fc.oneof(
  { weight: 16, arbitrary: fc.constant('note') },
  { weight: 2, arbitrary: fc.constant('fail') },
  { weight: 1, arbitrary: fc.constantFrom('ask', 'end', 'break') },
  { weight: 1, arbitrary: fc.constantFrom('nonsense', '__proto__', 'constructor') },
  { weight: 1, arbitrary: words },
);
const call: fc.Arbitrary<SaidCall> = fc.record({
  tool,
  arguments: args,
  fault: seldom(30, fc.constant('it is no JSON')),
});
const calls = fc.oneof(
  { weight: 30, arbitrary: fc.array(call, { minLength: 1, maxLength: 3 }) },
  { weight: 4, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(call, { minLength: 49, maxLength: 60, size: 'max' }) },
);

/** Some servers count nothing. */
const usage: fc.Arbitrary<Usage> = fc.constantFrom(0, 100, 700, 1200).map((input) => {
  return { input, cached: 0, written: 0, output: input === 0 ? 0 : 10, reasoning: 0 };
});
const protocol = fc.constantFrom<ProtocolName>('native', 'native', 'json', 'react', 'none');

const said: fc.Arbitrary<Said> = fc.record({
  text: words,
  calls,
  reasoning: fc.constantFrom('', 'Hm.'),
  stop: fc.oneof(
    { weight: 30, arbitrary: fc.constant('end' as const) },
    { weight: 2, arbitrary: fc.constant('cut' as const) },
    { weight: 1, arbitrary: fc.constant('filtered' as const) },
  ),
  usage,
  cost: fc.constantFrom(null, 0.01),
  otherForm: seldom(15, protocol),
  hasNative: fc.boolean(),
});

const compaction = fc.record({
  messages: fc.option(fc.integer({ min: 5, max: 12 }), { nil: undefined }),
  share: fc.constantFrom(undefined, 0.6),
  keepRecent: fc.integer({ min: 1, max: 6 }),
});
const relief: fc.Arbitrary<ReliefSettings> = fc.record({
  compaction: fc.option(compaction, { nil: undefined }),
  maxMessages: fc.constantFrom(4, 6, 9, 14, 1000),
});

const places = fc.array(fc.nat(8), { maxLength: 3 });

const sessionRun: fc.Arbitrary<SessionRun> = fc.record({
  protocol,
  mode: fc.constantFrom('agent' as const, 'agent' as const, 'agent' as const, 'single' as const),
  turns: fc.constantFrom(8, 1_000),
  relief,
  comments: places,
  notices: places,
  replies: fc.array(said, { minLength: 4, maxLength: 14, size: 'max' }),
  summary: fc.option(said, { nil: undefined }),
  toolsUnsupportedAfter: seldom(3, fc.nat(6)),
  stepsDown: fc.boolean(),
  overflow: seldom(2, fc.record({ after: fc.nat(8), lasts: fc.boolean() })),
  concludes: fc.constantFrom('end' as const, 'fail' as const),
});

/** A notice comes back each time that room was made: a server that is never content gets none. */
const bearable = (run: SessionRun): SessionRun =>
  run.overflow?.lasts === true ? { ...run, ...WITHOUT_NOTICES } : run;

/** What a run has to be for the service to have nothing to say in it. */
const WITHOUT_NOTICES = { notices: [], turns: 1_000 };

const sessionOf = (run: fc.Arbitrary<SessionRun>): fc.Arbitrary<readonly SessionRun[]> =>
  fc.array(run, { minLength: 3, maxLength: 3 });

/** Three runs, one after the other. */
export const anySession = sessionOf(sessionRun.map(bearable));

export const sessionWithoutNotices = sessionOf(
  sessionRun.map((run) => ({ ...run, ...WITHOUT_NOTICES })),
);
