/**
 * What a person says themselves in a text, as opposed to what they quote, show as code, or link to. Read
 * from what GitHub shows of it.
 */
export interface Said {
  /** One for each line that people see. List items, headings and rows keep their mark. */
  readonly lines: readonly string[];
  /** The text also contains something that does not count as said: a quotation, a code block or a table. */
  readonly hasMore: boolean;
  /** The lines that name issues or pull requests of the repository, with their numbers (`#12`); missing without any. */
  readonly references?: readonly string[];
}

/** Stands in a line for code, a link or an image that was cut out of it: it counts as a word. */
export const CUT = '\uFFFC';

export const NOTHING_SAID: Said = { lines: [], hasMore: false };
