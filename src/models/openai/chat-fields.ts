/**
 * The text of a `content` field: the string itself, or its parts of one type. Mistral sends thoughts as
 * parts of type `thinking` that contain parts of type `text`.
 */
export function contentText(content: unknown, type: 'text' | 'thinking'): string {
  if (typeof content === 'string') return type === 'text' ? content : '';
  if (!Array.isArray(content)) return '';
  return (content as readonly (Part | null)[])
    .filter((part) => part?.type === type)
    .map((part) => (type === 'text' ? stringOf(part?.text) : contentText(part?.thinking, 'text')))
    .join('');
}

interface Part {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

/** Some servers send empty fields with every piece. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/**
 * Merges the next piece of an extra field: reasoning texts and lists grow, anything else is replaced.
 */
export function mergedField(name: string, before: unknown, piece: unknown): unknown {
  if (name.startsWith('reasoning') && typeof before === 'string' && typeof piece === 'string') {
    return before + piece;
  }
  if (!Array.isArray(before) || !Array.isArray(piece)) return piece;
  return piece.reduce<readonly unknown[]>(withItem, before);
}

/** Pieces of one item share its index and type. An item without an index is complete. */
function withItem(items: readonly unknown[], item: unknown): readonly unknown[] {
  const known = items.findIndex((one) => isPieceOf(one, item));
  return known === -1 ? [...items, item] : items.with(known, mergedItem(items[known], item));
}

function isPieceOf(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other)) return false;
  return (
    typeof other['index'] === 'number' &&
    one['index'] === other['index'] &&
    one['type'] === other['type']
  );
}

/** The fields of an item that arrive in pieces. */
const GROWING = new Set(['text', 'summary', 'data']);

function mergedItem(before: unknown, piece: unknown): unknown {
  if (!isRecord(before) || !isRecord(piece)) return piece;
  const fields = Object.entries(piece).filter(([, value]) => value !== null);
  const merged = fields.map(([name, value]) => {
    const old = before[name];
    const grows = GROWING.has(name) && typeof old === 'string' && typeof value === 'string';
    return [name, grows ? old + value : value];
  });
  return { ...before, ...Object.fromEntries(merged) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');
