import type { Usage } from '../../contracts/model.ts';
import { PRICE_LISTS } from './price-lists.ts';
import type { ListedModel, PriceList } from './schema.ts';

/** US dollars for a million tokens; what has no rate of its own costs as much as `input`. */
export type Price = NonNullable<ListedModel['price']>;

export interface ModelFacts {
  /** `null`: not known. Tokens are counted then, and no money. */
  readonly price: Price | null;
  /** Tokens that a request may hold; `undefined` where nobody knows. */
  readonly contextWindow: number | undefined;
  /** Tokens that one reply may hold; `undefined` where nobody knows. */
  readonly maxOutput: number | undefined;
}

type Models = ReadonlyMap<string, ListedModel>;

const modelsOf = ({ models }: Pick<PriceList, 'models'>): Models => new Map(Object.entries(models));

const LISTED: Models = new Map(PRICE_LISTS.flatMap((list) => [...modelsOf(list)]));

const NO_CHARGE: Price = { input: 0, output: 0 };

/**
 * What is known of a model, `provider:name`. The operator's word counts before the list's, field by field. A dated
 * version that is not listed counts as the model that it is a version of.
 */
export function factsOf(name: string, isFree: boolean, operator?: PriceList): ModelFacts {
  const free = isFree ? { price: NO_CHARGE } : {};
  const given = operator === undefined ? undefined : entryOf(modelsOf(operator), name);
  const known: ListedModel = { ...free, ...entryOf(LISTED, name), ...given };
  return {
    price: known.price ?? null,
    contextWindow: known.contextWindow,
    maxOutput: known.maxOutput,
  };
}

const entryOf = (models: Models, name: string): ListedModel | undefined =>
  models.get(name) ?? models.get(name.replace(DATE, ''));

/** `gpt-5-2025-08-07`, `claude-sonnet-4-5-20250929`. No other ending: `gpt-5-mini` is no `gpt-5`. */
const DATE = /-20\d\d(-?)(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])$/;

/** US dollars of one reply. */
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
