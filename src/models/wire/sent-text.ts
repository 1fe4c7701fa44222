import { createHash } from 'node:crypto';
import type { ModelImage } from '../../contracts/image.ts';
import type { Message, Native } from '../../contracts/model.ts';

const REPLACEMENT = '\u{FFFD}';

/** Text that every server accepts: many fail on a NUL or half a surrogate pair. */
export const sentText = (text: string): string => text.toWellFormed().replaceAll('\0', REPLACEMENT);

/** A JSON value whose strings all servers accept; the same object if nothing had to change. */
export function sentValue<T>(value: T): T {
  const json = JSON.stringify(value);
  // JSON writes both as escapes. Text that only looks like one costs a copy.
  if (!/\\u(0000|d[89a-f])/.test(json)) return value;
  return JSON.parse(json, (_key, part: unknown) =>
    typeof part === 'string' ? sentText(part) : part,
  ) as T;
}

const ID_CHARACTERS = 64;
/** The characters that every provider allows in call ids. */
export const PLAIN_ID = /^[\w-]+$/;
const VISIBLE = /^[!-~]+$/;

/**
 * A call id that a server accepts. Its own ids are sent back unchanged. An id of another provider that is
 * too long, or does not match `form`, is replaced.
 */
export function sentId(id: string | undefined, form: RegExp = VISIBLE): string {
  if (id !== undefined && id.length <= ID_CHARACTERS && form.test(id)) return id;
  return `call_${createHash('sha256')
    .update(id ?? '')
    .digest('hex')
    .slice(0, 24)}`;
}

/** A tool name that every server accepts: a model may have called an impossible name. */
export const sentName = (name: string): string =>
  name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';

/** The key under which a provider caches a prefix; its length is limited like an id's. */
export const cacheName = (name: string): string =>
  name.length <= ID_CHARACTERS ? name : createHash('sha256').update(name).digest('hex');

/** What precedes an image in a message, which refers to it by its number. */
export const nameOf = ({ number }: ModelImage): string => `Image ${number}:`;

export const dataUrl = ({ type, data }: ModelImage): string => `data:${type};base64,${data}`;

type Assistant = Extract<Message, { role: 'assistant' }>;

/** The key of wire items. They are sent back only to the model that made them. */
export const nativeKey = (wire: string, baseUrl: string, model: string): string =>
  `${wire} ${baseUrl} ${model}`;

/**
 * The wire items of a message if this model made them and they hold exactly the message's calls, because
 * servers do not accept a call without a result. Otherwise `undefined`: the message is rebuilt.
 */
export function replayable<T>(
  { native, calls }: Assistant,
  key: string,
  idsOf: (value: T) => readonly unknown[],
): T | undefined {
  if (native === null || native.key !== key) return undefined;
  // Written by this adapter under this key, and read back from the journal as it was.
  const value = native.value as T;
  const ids = idsOf(value);
  const isWhole = ids.length === calls.length && calls.every(({ id }, at) => id === ids[at]);
  return isWhole ? value : undefined;
}

/** Wire items are complete, and safe to send back, only if the reply ended normally. */
export const nativeOf = (stop: 'end' | 'cut' | 'filtered', key: string, value: unknown) =>
  stop === 'end' && value !== null ? ({ key, value } satisfies Native) : null;
