import { sharedNow } from '../lib/clock.ts';
import type { LoopEnd } from './ends.ts';
import type { EndCause } from '../contracts/entries.ts';
import type { Used } from './history.ts';
import type { NearlyUsed } from './prompts/notices.ts';

/** What one run may use. `undefined`: no such limit. */
export interface AgentLimits {
  /** Replies of the model. */
  readonly turns: number;
  /** Wall time in milliseconds. */
  readonly wallTimeMs: number;
  /** Tokens of all requests and replies together. */
  readonly tokens: number | undefined;
  readonly dollars: Budgets;
  /** Faulty replies in a row that the model may correct. */
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
export interface SpentDollars {
  readonly issue: number;
  readonly repositoryDay: number;
}

export interface Spent extends Used {
  readonly elapsedMs: number;
  readonly spending: SpentDollars;
}

interface Gauge {
  readonly used: number;
  readonly limit: number | undefined;
  /** "50 model replies per run" */
  readonly name: string;
  /** The limit is a new one at midnight UTC. */
  readonly isDaily?: true;
  /** It counts all runs of the issue. */
  readonly isOfIssue?: true;
}

const NEARLY = 0.8;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const dollars = (amount: number | undefined): string => `$${(amount ?? 0).toFixed(2)}`;

function gauges(
  { turns, wallTimeMs, tokens, dollars: budgets }: AgentLimits,
  spent: Spent,
): Gauge[] {
  const { spending } = spent;
  return [
    {
      used: spent.turns,
      limit: turns,
      name: `${turns} model ${turns === 1 ? 'reply' : 'replies'} per run`,
    },
    {
      used: spent.elapsedMs,
      limit: wallTimeMs,
      name: `${counted(Math.round(wallTimeMs / MINUTE_MS), 'minute')} per run`,
    },
    { used: spent.tokens, limit: tokens, name: `${tokens} tokens per run` },
    { used: spent.dollars, limit: budgets.run, name: `${dollars(budgets.run)} per run` },
    {
      used: spending.issue,
      limit: budgets.issue,
      name: `${dollars(budgets.issue)} per issue`,
      isOfIssue: true,
    },
    {
      used: spending.repositoryDay,
      limit: budgets.repositoryDay,
      name: `${dollars(budgets.repositoryDay)} per day for this repository`,
      isDaily: true,
    },
  ];
}

const isUsed = ({ used, limit }: Gauge, share: number): boolean =>
  limit !== undefined && used >= limit * share;

/** The end of the run when a limit is reached; a limit of the day only defers it to the next one. */
export function endByLimit(
  limits: AgentLimits,
  spent: Spent,
  now = sharedNow(),
): LoopEnd | undefined {
  const reached = gauges(limits, spent).filter((gauge) => isUsed(gauge, 1));
  const lasting = reached.find(({ isDaily }) => isDaily === undefined);
  if (lasting !== undefined) return { kind: 'limit', cause: causeOf(lasting) };
  const [daily] = reached;
  if (daily === undefined) return undefined;
  const until = new Date(now - (now % DAY_MS) + DAY_MS);
  return { kind: 'deferred', cause: causeOf(daily), until };
}

/** How a run that has not begun ends, if what earlier runs and other sessions spent leaves it nothing. */
export function endBeforeRun(budgets: Budgets, spending: SpentDollars): LoopEnd | undefined {
  const spent = { turns: 0, tokens: 0, dollars: 0, elapsedMs: 0, spending };
  const end = endByLimit({ ...NO_LIMITS, dollars: { ...budgets, run: undefined } }, spent);
  if (end?.kind !== 'limit' || end.cause.because !== 'limit') return end;
  const usedUp = `${dollars(spending.issue)} of ${dollars(budgets.issue)}`;
  return { ...end, cause: { ...end.cause, usedUp } };
}

const NO_LIMITS = {
  turns: Infinity,
  wallTimeMs: Infinity,
  tokens: undefined,
  faults: 0,
  outputTokens: 0,
};

const causeOf = ({ name, isOfIssue }: Gauge): EndCause => ({
  because: 'limit',
  limit: name,
  ...(isOfIssue === true ? { isOfIssue } : {}),
});

/** The limit that is nearly used up, if any: its name and how much of it is used, in percent. */
export function nearlyUsed(limits: AgentLimits, spent: Spent): NearlyUsed | undefined {
  // At the limit of a day the run only waits for the next: nothing has to be left out.
  const near = gauges(limits, spent).find(
    (gauge) => gauge.isDaily === undefined && isUsed(gauge, NEARLY),
  );
  if (near === undefined) return undefined;
  return { name: near.name, percent: Math.round((100 * near.used) / (near.limit ?? 1)) };
}
