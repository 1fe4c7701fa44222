import type { Redact } from './plain-line.ts';

const MAX_CHARACTERS = 200_000;

/** The value without secrets, wherever they are in it; `undefined` if it is too large. */
export function redactedJson(value: unknown, redact: Redact): unknown {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  if (text.length > MAX_CHARACTERS) return undefined;
  try {
    return JSON.parse(redact(text));
  } catch {
    return undefined;
  }
}
