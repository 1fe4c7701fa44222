/**
 * The text of a content: the string itself, or that of its parts of a type. Mistral sends the
 * thoughts of its models as parts of type `thinking`, which hold parts of type `text`.
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

/** Fields with nothing in them, as some servers send them with every piece. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/**
 * An opaque field of a message after another piece of it: texts of reasoning and lists grow, and
 * anything else stands for itself.
 */
export function mergedField(name: string, before: unknown, piece: unknown): unknown {
  if (name.startsWith('reasoning') && typeof before === 'string' && typeof piece === 'string') {
    return before + piece;
  }
  if (!Array.isArray(before) || !Array.isArray(piece)) return piece;
  return piece.reduce<readonly unknown[]>(withItem, before);
}

/** Pieces of one item have its index and type; an item without an index comes whole. */
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

/** The fields of an item that come in pieces. */
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
