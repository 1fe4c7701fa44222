import type { Logger } from 'pino';
import type { Budgets } from '../../agent/limits.ts';
import type { Memory } from '../../agent/memory/settings.ts';
import type { Model } from '../../contracts/model.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { Turns } from '../../lib/turns.ts';
import type { Store } from '../../store/store.ts';
import type { GitThreads } from '../../workspace/git/threads.ts';
import type { Author } from '../../workspace/git/write-commit.ts';
import type { JournalTracker } from './journal-tracker.ts';
import type { PauseWatch } from './pause-watch.ts';
import type { Shells } from './shells.ts';

/** What the operator offers and allows; a repository may ask for less, never for more. */
export interface Operator {
  /** `provider:name`; the first is the default. */
  readonly models: readonly [string, ...string[]];
  /** `auto`: the provider's own tool calling where it has one, else `json`. */
  readonly protocol: 'auto' | 'native' | 'json' | 'react';
  /** `completion`: no tools for anyone, every run is one answer. */
  readonly mode: 'agent' | 'completion';
  readonly limits: {
    readonly turns: number;
    readonly minutes: number;
    readonly outputTokens: number;
    readonly runTokens: number | undefined;
    readonly dollars: Budgets;
  };
  readonly memory: Memory;
  /** The files in which a repository tells everyone how to work in it, in the order of the prompt. */
  readonly instructionFiles: readonly string[];
}

/** What every run needs of the service. */
export interface RunParts {
  readonly store: Store;
  readonly operator: Operator;
  readonly openModel: (name: string) => Promise<Model>;
  /** Who the commits are by. */
  readonly author: () => Promise<Author>;
  /** Git threads, one of them ready for the next run. */
  readonly threads: GitThreads;
  /** What runs commands; without it dangerous tools do not exist. */
  readonly shells?: Shells | undefined;
  readonly pause: PauseWatch;
  /** In which sessions are judged, by id: one for all of a process. */
  readonly judging: Turns;
  /** Where people read all of a session, by its id; `undefined` where they cannot. */
  readonly pageUrl: (session: string) => string | undefined;
  readonly redact: (text: string) => string;
  readonly log: Logger;
}

/** One run of one session. */
export interface RunContext extends RunParts {
  readonly tracker: JournalTracker;
  readonly github: GitHubRepository;
  readonly signal: AbortSignal;
}
