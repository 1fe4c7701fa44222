/** What the strings of a text tell of how they were written. */
export interface Signs {
  /** Where a backslash first stood for itself, as in `\d`; -1: nowhere. */
  lone: number;
  /** Where a line first broke inside a string; -1: nowhere. */
  lineBreak: number;
  /** An escape such as `\n` was there, or a doubled backslash, or an escaped quote. */
  escape: boolean;
  doubled: boolean;
  quote: boolean;
}

/**
 * A position in a text that is being parsed. A function that cannot continue sets `problem` and returns
 * `undefined`, and so do its callers. There are no exceptions, because a hostile text can fail a thousand
 * times.
 */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Why it cannot be parsed from `at` on, to show to the model. */
  problem: string;
  /** The keys of the outermost object, as far as it was read. */
  readonly keys: string[];
  readonly signs: Signs;
}

export const cursorAt = (text: string, at: number): Cursor => ({
  text,
  at,
  problem: '',
  keys: [],
  signs: { lone: -1, lineBreak: -1, escape: false, doubled: false, quote: false },
});

export function fail(cursor: Cursor, problem: string, at = cursor.at): undefined {
  cursor.at = at;
  cursor.problem = problem;
  return undefined;
}

/** What a sticky pattern matches here; the cursor moves past it. */
export function take(cursor: Cursor, sticky: RegExp): string | undefined {
  sticky.lastIndex = cursor.at;
  const found = sticky.exec(cursor.text)?.[0];
  if (found !== undefined) cursor.at += found.length;
  return found;
}

const EXCERPT = 30;

/** Describes a position so that a model can find it again. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const excerpt = text
    .slice(at, at + EXCERPT)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ');
  const where = excerpt === '' ? 'at its end' : `before «${excerpt}»`;
  return `line ${line}, column ${column}, ${where}`;
}
