import type { Message, Native } from '../../contracts/model.ts';

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
