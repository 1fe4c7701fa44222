/** The longest wait that is honoured. */
const LONGEST_MS = 24 * 60 * 60_000;

/**
 * How many milliseconds an answer asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an
 * HTTP date; `undefined` if it does not say or cannot be read.
 */
export function retryAfterMs(headers: Headers | undefined, now = Date.now()): number | undefined {
  const milliseconds = numberIn(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return bounded(milliseconds);
  const text = headers?.get('retry-after');
  const seconds = numberIn(text);
  if (seconds !== undefined) return bounded(seconds * 1000);
  // `Date.parse` accepts texts that are not dates, such as `-5`.
  const date = Date.parse(text?.endsWith('GMT') === true ? text : '');
  return Number.isNaN(date) ? undefined : bounded(date - now);
}

/** Clamps a wait, in milliseconds, to what is honoured. */
export const bounded = (milliseconds: number): number =>
  Math.min(Math.max(0, Math.ceil(milliseconds)), LONGEST_MS);

function numberIn(text: string | null | undefined): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(text ?? '') ? Number(text) : undefined;
}
