import type { FileMatches, FoundFile, FoundFiles, Question } from '../../../contracts/search.ts';
import type { Frequencies, ScannedFile, Use } from '../code/scanned.ts';
import type { LinePattern } from './pattern.ts';
import type { SearchPlace } from '../place.ts';

/** Files of one directory, by name. */
export interface FilesIn {
  /** Relative to the root; `''` for the root itself. */
  readonly directory: string;
  readonly names: readonly string[];
}

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
  uses: readonly Use[];
}

interface ScannedPart {
  readonly files: number;
  /** Files that were not searched, because of their size. */
  readonly tooLarge: readonly string[];
  readonly frequencies: Frequencies;
  readonly best: readonly ScannedFile[];
}
