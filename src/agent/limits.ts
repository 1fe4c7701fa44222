import { TryLater } from '../lib/errors.ts';
import type { LoopEnd } from '../contracts/entries.ts';
import type { Used } from './history.ts';

/** What one run may use. Where a number is `undefined` there is no such limit. */
export interface Limits {
  /** Replies of the model. */
  readonly turns: number;
  /** Wall time in milliseconds. */
  readonly wallTimeMs: number;
  /** Tokens of all requests and replies together. */
  readonly tokens: number | undefined;
  readonly dollars: Budgets;
  /** Times that the model is told about a reply it has to write again, in a row. */
  readonly faults: number;
  /** Tokens of one reply. */
  readonly outputTokens: number;
}

/** US dollars. */
export interface Budgets {
  readonly run: number | undefined;
  /** All runs of the session. */
  readonly issue: number | undefined;
  /** All sessions of the repository, from midnight to midnight UTC. */
  readonly repositoryDay: number | undefined;
}

/** US dollars that were spent, this run's included. */
export interface Spending {
  readonly issue: number;
  readonly repositoryDay: number;
}

export interface Spent extends Used {
  readonly elapsedMs: number;
  readonly spending: Spending;
}

interface Gauge {
  readonly used: number;
  readonly limit: number | undefined;
  /** "50 model replies for one run" */
  readonly name: string;
  /** The limit is a new one at midnight UTC. */
  readonly isDaily?: true;
}

const NEARLY = 0.8;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const dollars = (amount: number | undefined): string => `$${(amount ?? 0).toFixed(2)}`;

function gauges({ turns, wallTimeMs, tokens, dollars: budgets }: Limits, spent: Spent): Gauge[] {
  const { spending } = spent;
  return [
    {
      used: spent.turns,
      limit: turns,
      name: `${turns} model ${turns === 1 ? 'reply' : 'replies'} for one run`,
    },
    {
      used: spent.elapsedMs,
      limit: wallTimeMs,
      name: `${counted(Math.round(wallTimeMs / MINUTE_MS), 'minute')} for one run`,
    },
    { used: spent.tokens, limit: tokens, name: `${tokens} tokens for one run` },
    { used: spent.dollars, limit: budgets.run, name: `${dollars(budgets.run)} for one run` },
    {
      used: spending.issue,
      limit: budgets.issue,
      name: `${dollars(budgets.issue)} for one issue`,
    },
    {
      used: spending.repositoryDay,
      limit: budgets.repositoryDay,
      name: `${dollars(budgets.repositoryDay)} for this repository and one day`,
      isDaily: true,
    },
  ];
}

const isUsed = ({ used, limit }: Gauge, share: number): boolean =>
  limit !== undefined && used >= limit * share;

/**
 * The end of the run, in words for the issue, when a limit is reached.
 * @throws {TryLater} when the limit of a day is reached: tomorrow is another one
 */
export function limitReached(limits: Limits, spent: Spent): LoopEnd | undefined {
  const reached = gauges(limits, spent).filter((gauge) => isUsed(gauge, 1));
  const lasting = reached.find(({ isDaily }) => isDaily === undefined);
  if (lasting !== undefined) {
    const words = `The limit of ${lasting.name} was reached before the work was finished.`;
    return { kind: 'limit', words };
  }
  const [daily] = reached;
  if (daily === undefined) return undefined;
  throw new TryLater(`the limit of ${daily.name} is reached`, { retryAfterMs: untilMidnight() });
}

const untilMidnight = (now = Date.now()): number => DAY_MS - (now % DAY_MS);

/** What the model is told once most of a limit is used; `undefined` as long as there is room. */
export function wrapUp(limits: Limits, spent: Spent): string | undefined {
  // At the limit of a day the run only waits for the next: nothing has to be left out.
  const near = gauges(limits, spent).find(
    (gauge) => gauge.isDaily === undefined && isUsed(gauge, NEARLY),
  );
  if (near === undefined) return undefined;
  const share = Math.round((100 * near.used) / (near.limit ?? 1));
  return `(${share} % of the limit of ${near.name} is used. Wrap up now: finish the step you are in, leave the rest out, commit, and call finish with a summary that says what is done and what is left.)`;
}

/** The end of a run whose model cannot keep the form of its replies. */
export function tooManyFaults(limits: Limits, faultsInARow: number): LoopEnd | undefined {
  if (faultsInARow <= limits.faults) return undefined;
  return {
    kind: 'failed',
    words: `The model answered ${faultsInARow} times in a row in a form that could not be read, although it was told each time. A different model may do better.`,
  };
}
