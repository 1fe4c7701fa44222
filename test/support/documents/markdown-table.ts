// Tables of the documents that are made from schemas.

export type Row = readonly string[];

export const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => '---'), ...rows].map(tableRow).join('\n');

const tableRow = (cells: Row): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;

export const codes = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(', ');

/** The part of a JSON schema that the documents show. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly untold?: boolean;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const KINDS = new Map([
  ['string', 'text'],
  ['integer', 'whole number'],
  ['number', 'number'],
  ['boolean', 'true or false'],
  ['object', 'object'],
]);

export function kindOf({ type = [], enum: values, items, anyOf = [] }: Schema): string {
  if (values !== undefined) return codes(values);
  if (anyOf.length > 0) return anyOf.map(kindOf).join(' or ');
  if (type === 'array') return `list (${kindOf(items ?? {})})`;
  return [type]
    .flat()
    .map((one) => KINDS.get(one) ?? one)
    .join(' or ');
}
