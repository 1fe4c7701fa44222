import type { Usage } from '../../contracts/model.ts';
import { PRICE_LISTS } from './price-lists.ts';
import type { ListedModel, PriceList } from './schema.ts';

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
