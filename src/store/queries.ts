// What can be asked of the store.
import type { RepositoryRef } from '../contracts/intent.ts';

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
