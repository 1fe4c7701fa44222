import type { Usage } from '../contracts/model.ts';
import { z } from 'zod';
import { distance } from '../lib/text/text.ts';
import { messageOf } from '../lib/errors.ts';

const rate = z.number().min(0).max(100_000);
const tokens = z.int().min(1).max(1_000_000_000);

/** US dollars per million tokens. Reasoning counts as output. */
const RATES = {
  input: rate,
  /** Input read from the provider's cache. */
  cached: rate.optional(),
  /** Input written to the cache. */
  written: rate.optional(),
  output: rate,
};

const Price = z.strictObject({
  ...RATES,
  /** The rates of a whole request whose input is longer than `above` tokens. */
  longInput: z.strictObject({ above: tokens, ...RATES }).optional(),
});

const ListedModel = z.strictObject({
  /** `null` if unknown. */
  price: Price.nullable().optional(),
  contextWindow: tokens.optional(),
  maxOutput: tokens.optional(),
  seesImages: z.boolean().optional(),
});

const PriceList = z.strictObject({
  /** The day on which the source was read. */
  asOf: z.iso.date().optional(),
  source: z.string().optional(),
  /** Keyed by `provider:name`, as in `MODEL`. */
  models: z.record(z.string().regex(/^[a-z]+:./), ListedModel),
});

export type ListedModel = Readonly<z.output<typeof ListedModel>>;
export type PriceList = Readonly<z.output<typeof PriceList>>;

/** US dollars per million tokens. Rates that are missing are the same as `input`. */
export type Price = NonNullable<ListedModel['price']>;

export interface ModelFacts {
  /** `null` if unknown: tokens are counted, but no cost. */
  readonly price: Price | null;
  /** The longest request in tokens; `undefined` if unknown. */
  readonly contextWindow: number | undefined;
  /** The longest reply in tokens; `undefined` if unknown. */
  readonly maxOutput: number | undefined;
  /** Whether it takes images as input; `false` if that is not known. */
  readonly seesImages: boolean;
}

// Standard rates for text, in US dollars. Not included: models whose rates could not be verified, batch,
// priority and regional processing, and temporary discounts (the regular rate is listed).
// If a provider limits requests below the full context window, `contextWindow` is that limit, because
// compaction depends on what can be sent.

type PricedModels = Readonly<Record<string, ListedModel>>;

const named = (provider: string, models: PricedModels): PricedModels =>
  Object.fromEntries(
    Object.entries(models).map(([model, facts]) => [`${provider}:${model}`, facts]),
  );

const K = 1_000;
const M = 1_000_000;

const MILLION_CLASS = { contextWindow: 922 * K, maxOutput: 128 * K, seesImages: true };
const GPT_5_CLASS = { contextWindow: 272 * K, maxOutput: 128 * K, seesImages: true };
const GPT_4_1_CLASS = { contextWindow: 1_047_576, maxOutput: 32_768, seesImages: true };
const GPT_4O_CLASS = { contextWindow: 128 * K, maxOutput: 16_384, seesImages: true };
const O_CLASS = { contextWindow: 200 * K, maxOutput: 100 * K, seesImages: true };

const rates = (input: number, cached: number, written: number, output: number) => ({
  input,
  cached,
  written,
  output,
});

/** OpenAI's newer models cost more for the whole request if its input exceeds 272,000 tokens. */
const long = (input: number, cached: number, written: number, output: number) => ({
  ...rates(input, cached, written, output),
  longInput: { above: 272 * K, ...rates(2 * input, 2 * cached, 2 * written, 1.5 * output) },
});

/** Two are younger than the rest: gpt-6.1-terra of 2026-10-26, gpt-6.2-sol of 2026-11-17. */
const OPENAI: PriceList = {
  asOf: '2026-10-13',
  source: 'https://developers.openai.com/api/docs/models',
  models: named('openai', {
    'gpt-6.2-sol': { price: long(2, 0.1, 2.5, 10), ...MILLION_CLASS },
    'gpt-6.1-sol': { price: long(2, 0.1, 2.5, 10), ...MILLION_CLASS },
    'gpt-6.1-terra': { price: long(1, 0.05, 1.25, 5), ...MILLION_CLASS },
    'gpt-6-astra': { price: long(10, 1, 12.5, 50), ...MILLION_CLASS },
    'gpt-6-sol': { price: long(2, 0.2, 2.5, 10), ...MILLION_CLASS },
    'gpt-6-luna': { price: long(0.1, 0.01, 0.125, 0.5), ...MILLION_CLASS },
    'gpt-5.6': { price: long(5, 0.5, 6.25, 30), ...MILLION_CLASS },
    'gpt-5.6-sol': { price: long(5, 0.5, 6.25, 30), ...MILLION_CLASS },
    'gpt-5.6-terra': { price: long(2, 0.2, 2.5, 12), ...MILLION_CLASS },
    'gpt-5.6-luna': { price: long(0.2, 0.02, 0.25, 1.2), ...MILLION_CLASS },
  }),
};

const EARLIER_GPT: PricedModels = {
  'gpt-5.5': { price: long(5, 0.5, 5, 30), ...MILLION_CLASS },
  'gpt-5.4': { price: long(2.5, 0.25, 2.5, 15), ...MILLION_CLASS },
  'gpt-5.4-mini': { price: { input: 0.75, cached: 0.075, output: 4.5 }, ...GPT_5_CLASS },
  'gpt-5.4-nano': { price: { input: 0.2, cached: 0.02, output: 1.25 }, ...GPT_5_CLASS },
  'gpt-5.3-codex': { price: { input: 1.75, cached: 0.175, output: 14 }, ...GPT_5_CLASS },
  'gpt-5.2': { price: { input: 1.75, cached: 0.175, output: 14 }, ...GPT_5_CLASS },
  'gpt-5.1': { price: { input: 1.25, cached: 0.125, output: 10 }, ...GPT_5_CLASS },
  'gpt-5': { price: { input: 1.25, cached: 0.125, output: 10 }, ...GPT_5_CLASS },
  'gpt-5-mini': { price: { input: 0.25, cached: 0.025, output: 2 }, ...GPT_5_CLASS },
  'gpt-5-nano': { price: { input: 0.05, cached: 0.005, output: 0.4 }, ...GPT_5_CLASS },
  'gpt-4.1': { price: { input: 2, cached: 0.5, output: 8 }, ...GPT_4_1_CLASS },
  'gpt-4.1-mini': { price: { input: 0.4, cached: 0.1, output: 1.6 }, ...GPT_4_1_CLASS },
  'gpt-4.1-nano': { price: { input: 0.1, cached: 0.025, output: 0.4 }, ...GPT_4_1_CLASS },
  'gpt-4o': { price: { input: 2.5, cached: 1.25, output: 10 }, ...GPT_4O_CLASS },
  'gpt-4o-2024-05-13': {
    price: { input: 5, output: 15 },
    contextWindow: 128 * K,
    maxOutput: 4_096,
    seesImages: true,
  },
  'gpt-4o-mini': { price: { input: 0.15, cached: 0.075, output: 0.6 }, ...GPT_4O_CLASS },
  o3: { price: { input: 2, cached: 0.5, output: 8 }, ...O_CLASS },
  'o4-mini': { price: { input: 1.1, cached: 0.275, output: 4.4 }, ...O_CLASS },
};

/** Tables of others, where OpenAI's own pages could not be seen; on Azure they are deployments. */
const OPENAI_AND_AZURE: PriceList = {
  asOf: '2026-07-02',
  source: 'https://models.dev',
  models: { ...named('openai', EARLIER_GPT), ...named('azure', EARLIER_GPT) },
};

const CLAUDE_MILLION = { contextWindow: M, maxOutput: 128 * K, seesImages: true };
const CLAUDE_200K = { contextWindow: 200 * K, maxOutput: 64 * K, seesImages: true };
const OPUS_5 = rates(5, 0.5, 6.25, 25);

/** `written`: to the cache of five minutes. */
const ANTHROPIC: PriceList = {
  asOf: '2026-10-24',
  source: 'https://platform.claude.com/docs/en/about-claude/pricing',
  models: named('anthropic', {
    'claude-fable-5-1': { price: rates(10, 0.25, 12.5, 50), ...CLAUDE_MILLION },
    'claude-fable-5': { price: rates(10, 1, 12.5, 50), ...CLAUDE_MILLION },
    'claude-opus-5-5': { price: rates(4, 0.2, 5, 20), ...CLAUDE_MILLION },
    'claude-opus-5': { price: OPUS_5, ...CLAUDE_MILLION },
    'claude-opus-4-8': { price: OPUS_5, ...CLAUDE_MILLION },
    'claude-opus-4-7': { price: OPUS_5, ...CLAUDE_MILLION },
    'claude-opus-4-6': { price: OPUS_5, ...CLAUDE_MILLION },
    'claude-opus-4-5': { price: OPUS_5, ...CLAUDE_200K },
    'claude-sonnet-5-5': { price: rates(2, 0.1, 2.5, 10), ...CLAUDE_MILLION },
    'claude-sonnet-5': { price: rates(2, 0.2, 2.5, 10), ...CLAUDE_MILLION },
    'claude-sonnet-4-6': { price: rates(3, 0.3, 3.75, 15), ...CLAUDE_MILLION },
    'claude-sonnet-4-5': { price: rates(3, 0.3, 3.75, 15), ...CLAUDE_200K },
    'claude-haiku-5-5': {
      price: {
        ...rates(0.1, 0.01, 0.125, 0.5),
        longInput: { above: 100 * K, ...rates(0.5, 0.05, 0.625, 2.5) },
      },
      ...CLAUDE_MILLION,
    },
    'claude-haiku-4-5': { price: rates(1, 0.1, 1.25, 5), ...CLAUDE_200K },
  }),
};

/** Gemini's pro models cost more for the whole request if its input exceeds 200,000 tokens. */
const doubled = (input: number, cached: number, output: number) => ({
  input,
  cached,
  output,
  longInput: { above: 200 * K, input: 2 * input, cached: 2 * cached, output: 1.5 * output },
});

const GEMINI_CLASS = { contextWindow: 1_048_576, maxOutput: 65_536, seesImages: true };

const GOOGLE: PricedModels = {
  'gemini-3.8-flash': { price: { input: 1.5, cached: 0.15, output: 7.5 }, ...GEMINI_CLASS },
  'gemini-3.7-flash': { price: { input: 1.5, cached: 0.15, output: 7.5 }, ...GEMINI_CLASS },
  'gemini-3.6-flash': { price: { input: 1.5, cached: 0.15, output: 7.5 }, ...GEMINI_CLASS },
  'gemini-3.5-flash': { price: { input: 1.5, cached: 0.15, output: 9 }, ...GEMINI_CLASS },
  'gemini-3.5-flash-lite': { price: { input: 0.3, cached: 0.03, output: 2.5 }, ...GEMINI_CLASS },
  'gemini-3.1-pro-preview': { price: doubled(2, 0.2, 12), ...GEMINI_CLASS },
  'gemini-3.1-flash-lite': { price: { input: 0.25, cached: 0.025, output: 1.5 }, ...GEMINI_CLASS },
  'gemini-3-flash-preview': { price: { input: 0.5, cached: 0.05, output: 3 }, ...GEMINI_CLASS },
  'gemini-2.5-pro': { price: doubled(1.25, 0.125, 10), ...GEMINI_CLASS },
  'gemini-2.5-flash': { price: { input: 0.3, cached: 0.03, output: 2.5 }, ...GEMINI_CLASS },
  'gemini-2.5-flash-lite': { price: { input: 0.1, cached: 0.01, output: 0.4 }, ...GEMINI_CLASS },
};

/**
 * The same on Vertex AI's global endpoint; regional endpoints may cost more. Three are younger than
 * the rest: the flash models 3.6 and 3.7 of 2026-08-13, and 3.8 of 2026-09-03.
 */
const GEMINI_AND_VERTEX: PriceList = {
  asOf: '2026-07-02',
  source: 'https://ai.google.dev/gemini-api/docs/pricing',
  models: { ...named('gemini', GOOGLE), ...named('vertex', GOOGLE) },
};

export const PRICE_LISTS: readonly PriceList[] = [
  OPENAI,
  OPENAI_AND_AZURE,
  ANTHROPIC,
  GEMINI_AND_VERTEX,
];

type Models = ReadonlyMap<string, ListedModel>;

const modelsOf = ({ models }: Pick<PriceList, 'models'>): Models => new Map(Object.entries(models));

const LISTED: Models = new Map(PRICE_LISTS.flatMap((list) => [...modelsOf(list)]));

const NO_CHARGE: Price = { input: 0, output: 0 };

/**
 * What is known about a model, `provider:name`. The operator's list overrides the built-in list field by
 * field. A dated version that is not listed has the facts of its undated model.
 */
export function factsOf(name: string, isFree: boolean, operator?: PriceList): ModelFacts {
  const free = isFree ? { price: NO_CHARGE } : {};
  const given = operator === undefined ? undefined : entryOf(modelsOf(operator), name);
  const known: ListedModel = { ...free, ...entryOf(LISTED, name), ...given };
  return {
    price: known.price ?? null,
    contextWindow: known.contextWindow,
    maxOutput: known.maxOutput,
    seesImages: known.seesImages === true,
  };
}

const entryOf = (models: Models, name: string): ListedModel | undefined =>
  models.get(name) ?? models.get(name.replace(DATE, ''));

/** Matches `gpt-5-2025-08-07` and `claude-sonnet-4-5-20250929`, but not `gpt-5-mini`. */
const DATE = /-20\d\d(-?)(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])$/;

/** The cost of one reply in US dollars. */
export function costOf({ input, cached, written, output }: Usage, price: Price): number {
  const { longInput } = price;
  const rates = longInput !== undefined && input > longInput.above ? longInput : price;
  const fresh = Math.max(0, input - cached - written);
  const dollars =
    fresh * rates.input +
    cached * (rates.cached ?? rates.input) +
    written * (rates.written ?? rates.input) +
    output * rates.output;
  return dollars / 1_000_000;
}

const FAULTS_SHOWN = 3;

/** Reads the operator's own list. @throws {Error} that names each invalid field */
export function readPriceList(json: string): PriceList {
  const parsed = PriceList.safeParse(readJson(json));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${placeOf(issue)}: ${faultWords(issue)}`);
  const more = faults.length - FAULTS_SHOWN;
  const shown = faults.slice(0, FAULTS_SHOWN).join('; ');
  throw new Error(more > 0 ? `${shown}; and ${more} more` : shown);
}

/** Quotes nothing of the file: it may be a key that was named by mistake. */
function readJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const [place] = /line \d+ column \d+/.exec(messageOf(error)) ?? [];
    throw new Error(place === undefined ? 'it is not JSON' : `it is not JSON (${place})`);
  }
}

/** Leaves out an invalid key: it may be a secret that was put into the file by mistake. */
function placeOf({ code, path }: z.core.$ZodIssue): string {
  const named = code === 'invalid_key' ? path.slice(0, -1) : path;
  return named.length === 0 ? 'the file' : z.core.toDotPath(named);
}

function faultWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return 'a name is not of the form `provider:name`';
  return issue.code === 'unrecognized_keys' ? unknown(issue.keys) : issue.message;
}

const LONGEST = 20;
const FIELDS = [PriceList, ListedModel, Price].flatMap(({ shape }) => Object.keys(shape));

/** Repeats keys that are nearly the name of a field. */
function unknown(keys: readonly string[]): string {
  const misspelled = keys.flatMap((key) => {
    const meant = FIELDS.find((field) => key.length < LONGEST && distance(key, field) <= 2);
    return meant === undefined ? [] : [`\`${key}\` is unknown; did you mean \`${meant}\`?`];
  });
  return misspelled[0] ?? 'has a field that price lists do not have';
}
