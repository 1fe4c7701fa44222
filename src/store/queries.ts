// What can be asked of the store.
import type { RepositoryRef } from '../contracts/intent.ts';
import type { Entry } from '../session/entry.ts';

/** What of a journal is read. */
export interface JournalRange {
  /** The last entry; the newest by default. */
  readonly upTo?: number;
  /** Types of entries that are not read. */
  readonly without?: readonly Entry['type'][];
}

export interface SessionQuery {
  readonly limit: number;
  /** The id of the last session of the page before; nothing follows one that was deleted. */
  readonly after?: string | undefined;
  readonly state?: string | undefined;
  readonly repositoryId?: number | undefined;
  /** Only of these repositories. */
  readonly within?: readonly number[] | undefined;
  readonly model?: string | undefined;
  /** Words of its title or of `owner/name`, or the number of its issue or pull request, as in `#12`. */
  readonly search?: string | undefined;
}

export interface SessionChoices {
  readonly repositories: readonly RepositoryRef[];
  readonly models: readonly string[];
}
