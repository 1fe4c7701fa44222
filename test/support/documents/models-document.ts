// The part of docs/models.md that is made from the code: the prices.
import { PRICE_LISTS, type ListedModel } from '../../../src/models/catalog.ts';
import { codes, table, type Row } from './markdown-table.ts';

export const MODELS_DOCUMENT = 'docs/models.md';

const BLOCK = /(<!-- made by npm run docs: prices -->\n\n)[^]*?(\n\n<!-- end -->)/;

/** @throws {Error} if the document has no block for the prices */
export function modelsDocument(current: string): string {
  if (!BLOCK.test(current)) throw new Error('the document lacks the block prices');
  return current.replace(BLOCK, (_all, begin: string, end: string) => `${begin}${prices()}${end}`);
}

const HEAD = ['model', 'provider', 'input', 'cached', 'output', 'long requests', 'window', 'as of'];

const prices = (): string =>
  table(
    HEAD,
    PRICE_LISTS.flatMap(({ asOf = '', models }) => rowsOf(models).map((row) => [...row, asOf])),
  );

/** A row for each model, whichever providers have it. */
function rowsOf(models: Readonly<Record<string, ListedModel>>): readonly Row[] {
  const providers = Map.groupBy(Object.keys(models), modelOf);
  return [...providers].map(([model, keys]) => [
    codes([model]),
    codes(keys.map((key) => key.slice(0, key.indexOf(':')))),
    ...ratesOf(models[keys[0] ?? '']),
  ]);
}

/** Without the error of binary fractions. */
const dollars = (rate: number): number => Number(rate.toFixed(6));

const modelOf = (key: string): string => key.slice(key.indexOf(':') + 1);

function ratesOf({ price, contextWindow }: ListedModel = {}): Row {
  const rates = [price?.input, price?.cached, price?.output];
  const { longInput } = price ?? {};
  const long =
    longInput === undefined
      ? ''
      : `above ${longInput.above.toLocaleString('en')} tokens: ${dollars(longInput.input)} in, ${dollars(longInput.output)} out`;
  return [
    ...rates.map((rate) => String(rate ?? '')),
    long,
    contextWindow?.toLocaleString('en') ?? '',
  ];
}
