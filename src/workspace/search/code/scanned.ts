// What the threads of a search tell each other. Plain data.

export interface ScannedFile {
  readonly path: string;
  /**
   * How often each term occurs in the first window of the file that contains any, then in the second, and
   * so on. A related word counts less.
   */
  readonly counts: readonly number[];
}

/** What decides how rare each term is. */
export interface Frequencies {
  /** The number of all windows. */
  readonly windows: number;
  /** For each term, the number of windows that contain it. */
  readonly having: readonly number[];
}

/** The weight of each term: rarer terms weigh more. */
export type Weights = readonly number[];

export interface RankedFile extends ScannedFile {
  readonly score: number;
}

/** A line that contains a name. */
export interface Use {
  readonly name: string;
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

export const MAX_FILE_BYTES = 512 * 1024;

/** What of a file is searched. Of a binary one, only the path counts. */
export const textOf = (content: Buffer): string => (content.includes(0) ? '' : content.toString());
