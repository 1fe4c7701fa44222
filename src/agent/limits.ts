import type { LoopEnd } from './entries.ts';

/** What one run may use. */
export interface Limits {
  /** Replies of the model. */
  readonly turns: number;
  /** Wall time in milliseconds. */
  readonly wallTimeMs: number;
  /** Times that the model is told about a reply it has to write again, in a row. */
  readonly faults: number;
  readonly outputTokens: number;
}

interface Spent {
  readonly turns: number;
  readonly faultsInARow: number;
  readonly elapsedMs: number;
}

/** The end of the run, in words for the issue, when a limit is reached. */
export function limitReached(limits: Limits, spent: Spent): LoopEnd | undefined {
  if (spent.faultsInARow > limits.faults) {
    return {
      kind: 'failed',
      words: `The model answered ${spent.faultsInARow} times in a row in a form that could not be read, although it was told each time. A different model may do better.`,
    };
  }
  if (spent.turns >= limits.turns) {
    return {
      kind: 'limit',
      words: `The limit of ${limits.turns} model replies for one run was reached before the work was finished.`,
    };
  }
  if (spent.elapsedMs >= limits.wallTimeMs) {
    const minutes = Math.round(limits.wallTimeMs / 60_000);
    return {
      kind: 'limit',
      words: `The limit of ${minutes} minutes for one run was reached before the work was finished.`,
    };
  }
  return undefined;
}
