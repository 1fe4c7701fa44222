import type { Logger } from 'pino';
import type { Model } from '../agent/model.ts';
import type { GitHubRepository } from '../github/repository.ts';
import type { Store } from '../store/store.ts';
import type { Author } from '../workspace/git/write-commit.ts';
import type { JournalTracker } from './journal-tracker.ts';

/** What the operator allows; a repository may ask for less, never for more. */
export interface OperatorLimits {
  readonly models: readonly [string, ...string[]];
  readonly turns: number;
  readonly minutes: number;
  readonly outputTokens: number;
}

/** What every run needs of the service. */
export interface RunParts {
  readonly store: Store;
  readonly operator: OperatorLimits;
  readonly openModel: (name: string) => Promise<Model>;
  /** Who the commits are by. */
  readonly author: () => Promise<Author>;
  readonly redact: (text: string) => string;
  readonly log: Logger;
}

/** One run of one session. */
export interface RunContext extends RunParts {
  readonly tracker: JournalTracker;
  readonly github: GitHubRepository;
  readonly signal: AbortSignal;
}
