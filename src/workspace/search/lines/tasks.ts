import type { FileMatches, FoundFiles } from '../../../contracts/search.ts';
import type { LinePattern } from './pattern.ts';
import type { SearchPlace } from '../place.ts';

/** Files of one directory, by name. */
export interface FilesIn {
  /** From the root, `''` for the root itself. */
  readonly directory: string;
  readonly names: readonly string[];
}

export interface ListTask {
  readonly kind: 'list';
  readonly place: SearchPlace;
  /** The names on the way to the directory to begin in. */
  readonly start: readonly string[];
  /** As `globFilter` reads it. */
  readonly glob: string | undefined;
  /** How many files there may be; the others are left. */
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

/** What a search thread does: one task after another. All of it is plain data. */
export type SearchTask = ListTask | GrepTask | FindTask;

/** What a task of each kind answers, part by part; an empty part only says that it goes on. */
export interface TaskParts {
  list: readonly FilesIn[];
  grep: { readonly found: readonly FileMatches[]; readonly tooLarge: readonly string[] };
  find: FoundFiles;
}
