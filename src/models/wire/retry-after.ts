/** Servers that ask for more are asked again after a day all the same. */
const LONGEST_MS = 24 * 60 * 60_000;

/**
 * Milliseconds that an answer asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an
 * HTTP date; `undefined` when it does not say, or not readably.
 */
export function retryAfterMs(headers: Headers | undefined, now = Date.now()): number | undefined {
  const milliseconds = numberIn(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return bounded(milliseconds);
  const text = headers?.get('retry-after');
  const seconds = numberIn(text);
  if (seconds !== undefined) return bounded(seconds * 1000);
  // Other texts are dates to the engine that are none, such as `-5`.
  const date = Date.parse(text?.endsWith('GMT') === true ? text : '');
  return Number.isNaN(date) ? undefined : bounded(date - now);
}

/** Milliseconds as the caller may wait them, from what a server says. */
export const bounded = (milliseconds: number): number =>
  Math.min(Math.max(0, Math.ceil(milliseconds)), LONGEST_MS);

function numberIn(text: string | null | undefined): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(text ?? '') ? Number(text) : undefined;
}
