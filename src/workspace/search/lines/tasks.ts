import type { FileMatches, FoundFile, FoundFiles, Question } from '../../../contracts/files.ts';
import type { LinePattern } from './pattern.ts';
import type { FilesIn, SearchPlace } from '../walk.ts';

export interface ListTask {
  readonly kind: 'list';
  readonly place: SearchPlace;
  /** The path of the directory to begin in, as names. */
  readonly start: readonly string[];
  /** A glob for `globFilter`. */
  readonly glob: string | undefined;
  /** Stop after this many files. */
  readonly limit: number;
}

export interface GrepTask {
  readonly kind: 'grep';
  readonly root: string;
  readonly files: readonly FilesIn[];
  readonly pattern: LinePattern;
  readonly context: number;
  readonly maxMatches: number;
}

export interface FindTask extends Omit<ListTask, 'kind'> {
  readonly kind: 'find';
  readonly order: 'path' | 'newest';
  readonly limit: number;
}

/** Counts the terms of a question in files. */
export interface ScanTask {
  readonly kind: 'scan';
  readonly root: string;
  readonly files: readonly FilesIn[];
  readonly question: string;
}

/** Chooses the best of the scanned files and cuts the passages out of them. */
export interface ShowTask {
  readonly kind: 'show';
  readonly root: string;
  readonly files: readonly ScannedFile[];
  readonly frequencies: Frequencies;
  readonly question: Question;
}

/** Finds where names are used. */
export interface UsesTask {
  readonly kind: 'uses';
  readonly root: string;
  readonly files: readonly FilesIn[];
  readonly names: readonly string[];
}

/** A task for a search thread. Plain data. */
export type SearchTask = ListTask | GrepTask | FindTask | ScanTask | ShowTask | UsesTask;

/** The parts of the answer to each kind of task. An empty part only shows that the task is running. */
export interface TaskParts {
  list: readonly FilesIn[];
  grep: {
    readonly found: readonly FileMatches[];
    readonly tooLarge: readonly string[];
    readonly notText: readonly string[];
  };
  find: FoundFiles;
  scan: ScannedPart | undefined;
  show: readonly FoundFile[] | undefined;
  uses: readonly NameUse[];
}

interface ScannedPart {
  readonly files: number;
  /** Files that were not searched, because of their size. */
  readonly tooLarge: readonly string[];
  readonly frequencies: Frequencies;
  readonly best: readonly ScannedFile[];
}

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
export interface NameUse {
  readonly name: string;
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

export const MAX_FILE_BYTES = 512 * 1024;

/** What of a file is searched. Of a binary one, only the path counts. */
export const searchedText = (content: Buffer): string =>
  content.includes(0) ? '' : content.toString();
