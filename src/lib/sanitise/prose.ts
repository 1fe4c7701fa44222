import { maskCode } from '../markdown-code.ts';

/** A part of a text that is to be replaced. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with its edits made; of two that overlap, only the one that begins first, or is longer. */
export function edited(text: string, edits: readonly Edit[]): string {
  const inOrder = edits.toSorted((one, other) => one.start - other.start || other.end - one.end);
  let kept = '';
  let done = 0;
  for (const { start, end, text: replacement } of inOrder) {
    if (start < done) continue;
    kept += text.slice(done, start) + replacement;
    done = end;
  }
  return kept + text.slice(done);
}

/** Replaces what a pattern finds in prose; code is seen by it as backticks. */
export const replaceProse = (
  text: string,
  pattern: RegExp,
  replacement: (found: string, groups: readonly (string | undefined)[]) => string,
): string =>
  edited(
    text,
    [...maskCode(text).matchAll(pattern)].map((match) => {
      const [found] = match;
      const end = match.index + found.length;
      return {
        start: match.index,
        end,
        text: replacement(text.slice(match.index, end), match.slice(1)),
      };
    }),
  );
