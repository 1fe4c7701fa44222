import { createHash } from 'node:crypto';

const REPLACEMENT = '\u{FFFD}';

/** Text as every server accepts it: many refuse a request with a NUL or half a surrogate pair. */
export const sentText = (text: string): string => text.toWellFormed().replaceAll('\0', REPLACEMENT);

/** A value of JSON with all its texts as servers accept them; the value itself where they are. */
export function sentValue<T>(value: T): T {
  const json = JSON.stringify(value);
  // Both are written as escapes; text that only looks like one costs a copy.
  if (!/\\u(0000|d[89a-f])/.test(json)) return value;
  return JSON.parse(json, (_key, part: unknown) =>
    typeof part === 'string' ? sentText(part) : part,
  ) as T;
}

const ID_CHARACTERS = 64;
/** What the ids of calls are made of at every provider. */
export const PLAIN_ID = /^[\w-]+$/;
const VISIBLE = /^[!-~]+$/;

/**
 * A call's id as a server accepts it. Those that it made go back as they are; those of another
 * provider may be too long, or not of the characters in `form`, and get another in their place.
 */
export function sentId(id: string | undefined, form: RegExp = VISIBLE): string {
  if (id !== undefined && id.length <= ID_CHARACTERS && form.test(id)) return id;
  return `call_${createHash('sha256')
    .update(id ?? '')
    .digest('hex')
    .slice(0, 24)}`;
}

/** A tool's name as every server accepts it: a model may have called a tool that cannot be. */
export const sentName = (name: string): string =>
  name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';

/** The name under which a provider caches a prefix: the vendors allow it as much as an id. */
export const cacheName = (name: string): string =>
  name.length <= ID_CHARACTERS ? name : createHash('sha256').update(name).digest('hex');
