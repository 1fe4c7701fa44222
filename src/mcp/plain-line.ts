import { withoutInvisible } from '../lib/text/invisible.ts';
import { cutWords } from '../lib/text/text.ts';

/** Removes secrets. It comes before anything is cut: half a secret is one too. */
export type Redact = (text: string) => string;

/** Characters that are looked at for each one that is kept: some may be invisible. */
const LOOKED_AT = 4;

/** Text of a server on one line, bounded, with nothing in it that people cannot see. */
export const plainLine = (text: string, limit: number, redact: Redact = (same) => same): string =>
  cutWords(
    redact(withoutInvisible(text.slice(0, limit * LOOKED_AT)))
      .replaceAll(/\s+/g, ' ')
      .trim(),
    limit,
  );

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
