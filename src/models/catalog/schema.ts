import { z } from 'zod';
import { distance } from '../../lib/text/text.ts';
import { messageOf } from '../../lib/errors.ts';

const rate = z.number().min(0).max(100_000);
const tokens = z.int().min(1).max(1_000_000_000);

/** US dollars per million tokens. Reasoning counts as output. */
const rates = {
  input: rate,
  /** Input read from the provider's cache. */
  cached: rate.optional(),
  /** Input written to the cache. */
  written: rate.optional(),
  output: rate,
};

const Price = z.strictObject({
  ...rates,
  /** The rates of a whole request whose input is longer than `above` tokens. */
  longInput: z.strictObject({ above: tokens, ...rates }).optional(),
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

const FAULTS_SHOWN = 3;

/** Reads the operator's own list. @throws {Error} that names each invalid field */
export function readPriceList(json: string): PriceList {
  const parsed = PriceList.safeParse(readJson(json));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${placeOf(issue)}: ${wordsOf(issue)}`);
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

function wordsOf(issue: z.core.$ZodIssue): string {
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
