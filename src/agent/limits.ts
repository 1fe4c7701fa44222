// Every way out of the loop, as facts, and the limits that are some of them. People read them in words in the journal.
import { sharedNow } from '../lib/clock.ts';
import type { CallFinished, EndCause } from '../contracts/entries.ts';
import type { NearlyUsed } from './prompts/notices.ts';
import type { Call } from '../contracts/model.ts';

/** The run is over, paused, or continues at a later time. */
export type LoopEnd =
  | { readonly kind: 'asked' | 'finished' | 'answered' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'limit' | 'failed'; readonly cause: EndCause }
  /** By people; `reason` is a sentence. */
  | { readonly kind: 'stopped'; readonly reason: string }
  | { readonly kind: 'deferred'; readonly cause: EndCause; readonly until: Date };

/** So often in a row the same call ends the run. */
export const MOST_REPEATS = 3;

/** How a call ended the run, if it did. */
export function endByCall({ halt, output, title }: CallFinished): LoopEnd | undefined {
  switch (halt) {
    case null:
      return undefined;
    case 'failed':
      return { kind: halt, cause: { because: 'error', message: output } };
    case 'repeated': {
      const call = title === undefined ? {} : { call: title };
      return { kind: 'failed', cause: { because: 'repeated_call', times: MOST_REPEATS, ...call } };
    }
    case 'asked':
    case 'finished':
      return { kind: halt };
    default:
      return halt satisfies never;
  }
}

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

/**
 * What sessions share, from midnight to midnight UTC or for a month of that clock: all of a repository, its reviews, all that one person
 * requested, or all of the service.
 */
export type SharedBudget =
  | 'reviewsDay'
  | 'repositoryDay'
  | 'personDay'
  | 'serviceDay'
  | 'serviceMonth';

/** US dollars; `undefined` or missing: no such limit. */
export interface Budgets extends Readonly<Partial<Record<SharedBudget, number | undefined>>> {
  readonly run: number | undefined;
  /** All runs of the session. */
  readonly issue: number | undefined;
}

export interface SharedSpending {
  readonly dollars: number;
  /** When something of it was last spent (ISO); missing if nothing was. */
  readonly lastAt?: string;
}

/** US dollars that were spent, this run's included. `shared`: as far as there are budgets for it. */
export interface SpentDollars {
  readonly issue: number;
  readonly shared?: Readonly<Partial<Record<SharedBudget, SharedSpending>>>;
}

/** What a run has used so far. */
export interface RunUsage {
  readonly turns: number;
  readonly tokens: number;
  /** US dollars, of the replies whose price is known. */
  readonly dollars: number;
}

export interface RunTotals extends RunUsage {
  readonly elapsedMs: number;
  readonly spending: SpentDollars;
}

interface Gauge {
  readonly used: number;
  readonly limit: number | undefined;
  /** "50 model replies per run" */
  readonly name: string;
  /** It is shared, and a new one begins then. */
  readonly shared?: { readonly setting: string; readonly since?: string; readonly until: Date };
  /** It counts all runs of the issue. */
  readonly isOfIssue?: true;
}

const NEARLY = 0.8;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The UTC day and month of a time, in milliseconds: when each begins and ends. */
export const dayOf = (now: number) => {
  const begins = now - (now % DAY_MS);
  return { begins: new Date(begins), ends: new Date(begins + DAY_MS) };
};

export const monthOf = (now: number) => {
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
  return { begins: new Date(Date.UTC(year, month)), ends: new Date(Date.UTC(year, month + 1)) };
};

export const SHARED_BUDGETS: Readonly<
  Record<
    SharedBudget,
    { readonly setting: string; readonly words: string; readonly period: typeof dayOf }
  >
> = {
  // Of the repository: the others are the operator's.
  reviewsDay: {
    setting: 'review.dollars',
    words: 'per day for reviews in this repository',
    period: dayOf,
  },
  repositoryDay: {
    setting: 'BUDGET_REPOSITORY_DAY',
    words: 'per day for this repository',
    period: dayOf,
  },
  personDay: {
    setting: 'BUDGET_PERSON_DAY',
    words: 'per day for the requests of one person',
    period: dayOf,
  },
  serviceDay: { setting: 'BUDGET_DAY', words: 'per day for the whole service', period: dayOf },
  serviceMonth: {
    setting: 'BUDGET_MONTH',
    words: 'per month for the whole service',
    period: monthOf,
  },
};

const SHARED_NAMES = Object.keys(SHARED_BUDGETS) as readonly SharedBudget[];

/** Those that limit something. */
export const sharedLimits = (budgets: Budgets): readonly SharedBudget[] =>
  SHARED_NAMES.filter((name) => budgets[name] !== undefined);

/** "$2.50"; less than a cent as it is. */
const dollars = (amount = 0): string =>
  amount > 0 && amount < 0.01 ? `$${amount}` : `$${amount.toFixed(2)}`;

function gauges(
  { turns, wallTimeMs, tokens, dollars: budgets }: AgentLimits,
  spent: RunTotals,
  now: number,
): Gauge[] {
  const { spending } = spent;
  const minutes = Math.round(wallTimeMs / MINUTE_MS);
  return [
    {
      used: spent.turns,
      limit: turns,
      name: `${turns} model ${turns === 1 ? 'reply' : 'replies'} per run`,
    },
    {
      used: spent.elapsedMs,
      limit: wallTimeMs,
      name: `${minutes} minute${minutes === 1 ? '' : 's'} per run`,
    },
    { used: spent.tokens, limit: tokens, name: `${tokens} tokens per run` },
    { used: spent.dollars, limit: budgets.run, name: `${dollars(budgets.run)} per run` },
    {
      used: spending.issue,
      limit: budgets.issue,
      name: `${dollars(budgets.issue)} per issue`,
      isOfIssue: true,
    },
    ...sharedLimits(budgets).map((name) => sharedGauge(name, budgets[name], spending, now)),
  ];
}

function sharedGauge(
  name: SharedBudget,
  limit: number | undefined,
  { shared }: SpentDollars,
  now: number,
): Gauge {
  const { setting, words, period } = SHARED_BUDGETS[name];
  const { dollars: used = 0, lastAt } = shared?.[name] ?? {};
  const since = lastAt === undefined ? {} : { since: lastAt };
  const until = period(now).ends;
  return { used, limit, name: `${dollars(limit)} ${words}`, shared: { setting, until, ...since } };
}

const isUsed = ({ used, limit }: Gauge, share: number): boolean =>
  limit !== undefined && used >= limit * share;

/** The end of the run when a limit is reached; a shared one only defers it to the next day or month. */
export function endByLimit(
  limits: AgentLimits,
  spent: RunTotals,
  now = sharedNow(),
): LoopEnd | undefined {
  const reached = gauges(limits, spent, now).filter((gauge) => isUsed(gauge, 1));
  const own = reached.find(({ shared }) => shared === undefined);
  if (own !== undefined) return { kind: 'limit', cause: causeOf(own) };
  const byEnd = ({ shared: one }: Gauge, { shared: other }: Gauge): number =>
    Number(one?.until) - Number(other?.until);
  const last = reached.toSorted(byEnd).at(-1);
  if (last?.shared === undefined) return undefined;
  return { kind: 'deferred', cause: causeOf(last), until: last.shared.until };
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

function causeOf({ name, isOfIssue, shared }: Gauge): EndCause {
  const cause = { because: 'limit', limit: name } as const;
  if (isOfIssue === true) return { ...cause, isOfIssue };
  if (shared === undefined) return cause;
  const { until: _until, ...told } = shared;
  return { ...cause, shared: told };
}

/** The limit that is nearly used up, if any: its name and how much of it is used, in percent. */
export function nearlyUsed(limits: AgentLimits, spent: RunTotals): NearlyUsed | undefined {
  // At a shared limit the run only waits for the next day or month: nothing has to be left out.
  const near = gauges(limits, spent, sharedNow()).find(
    (gauge) => gauge.shared === undefined && isUsed(gauge, NEARLY),
  );
  if (near === undefined) return undefined;
  return { name: near.name, percent: Math.round((100 * near.used) / (near.limit ?? 1)) };
}

/** How often in a row a model makes the very same call. */
export class RepeatedCalls {
  #last = '';
  #times = 0;

  /** `isFirst`: of its reply. Within one reply the model did not have the answer yet. */
  count(call: Call, isFirst: boolean): void {
    const key = keyOf(call);
    if (key !== this.#last || this.#times === 0) this.#times = 1;
    else if (isFirst) this.#times += 1;
    this.#last = key;
  }

  /** What comes next is not the same again. */
  interrupt(): void {
    this.#times = 0;
  }

  /** How often this call was made last, with nothing else in between. */
  timesOf(call: Call): number {
    return keyOf(call) === this.#last ? this.#times : 0;
  }
}

const keyOf = ({ tool, arguments: args }: Call): string => `${tool} ${JSON.stringify(args)}`;
