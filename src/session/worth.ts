// What a session came to, and what that took. Computed from its journal.
import type { Session } from './session.ts';
import { pullRequestState } from './parts/session-thread.ts';
import { isClosed, stateOf } from './state.ts';

/** `closed`: without a merge. `unchanged`: done, and there is no pull request. */
type WorthResult = 'merged' | 'closed' | 'unchanged' | 'open';

export interface Worth {
  readonly result: WorthResult;
  /** Runs that worked on reviews. */
  readonly rounds: number;
  /** Nobody had to say anything after the request. */
  readonly isZeroTouch: boolean;
  /** US dollars, as far as the prices are known. */
  readonly dollars: number;
  /** Some prices are not known. */
  readonly isPartial: boolean;
  /** Milliseconds of work, without what it waited for. */
  readonly workedMs: number;
  /** The model of its last run; empty if there was none. */
  readonly model: string;
  /** Milliseconds from the request until GitHub showed something of the work; `undefined` if it never did. The others likewise. */
  readonly signMs: number | undefined;
  /** Until its pull request was opened. */
  readonly proposedMs: number | undefined;
  /** Until that was merged. */
  readonly mergedMs: number | undefined;
  /** ISO times. */
  readonly begunAt: string;
  readonly activeAt: string;
}

/** What some sessions came to, summed up. */
export interface WorthSum {
  readonly sessions: number;
  readonly merged: number;
  readonly closed: number;
  readonly unchanged: number;
  /** Nothing has happened for thirty days, and it is neither merged nor closed. */
  readonly abandoned: number;
  readonly open: number;
  /** Of those that were merged. */
  readonly zeroTouch: number;
  /** Of those that were merged. */
  readonly rounds: number;
  readonly dollars: number;
  /** Some prices are not known. */
  readonly isPartial: boolean;
  /** What the merged ones cost. */
  readonly mergedDollars: number;
  readonly workedMs: number;
  /** Medians, from the request on, of those that came so far; `null` if none did. */
  readonly signMs: number | null;
  readonly proposedMs: number | null;
  readonly mergedMs: number | null;
}

/** `undefined` before anyone with permission has requested work. */
export function worthOf(session: Session): Worth | undefined {
  const { tally, spending } = session;
  if (tally.begunAt === '') return undefined;
  const { rounds, touches, workedMs, model, begunAt, activeAt } = tally;
  const { dollars, isPartial } = spending.cost;
  const since = (at: string): number | undefined =>
    at === '' ? undefined : Math.max(0, Date.parse(at) - Date.parse(begunAt));
  return {
    result: resultOf(session),
    rounds,
    isZeroTouch: touches === 0,
    dollars,
    isPartial,
    workedMs,
    model,
    signMs: since(tally.signAt),
    proposedMs: since(tally.proposedAt),
    mergedMs: since(tally.mergedAt),
    begunAt,
    activeAt,
  };
}

function resultOf(session: Session): WorthResult {
  if (pullRequestState(session.thread) === 'merged') return 'merged';
  if (isClosed(session)) return 'closed';
  return stateOf(session) === 'done' ? 'unchanged' : 'open';
}
