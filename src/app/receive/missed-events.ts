// What this process has not heard of yet, for whoever needs to know it: the watch, and deadlines of questions.
import { setTimeout as pause } from 'node:timers/promises';
import { sharedNow } from '../../lib/clock.ts';
import { WaitEnded } from '../../github/errors.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import { reconcile, type ReconcileParts } from './reconcile.ts';
import type { Logger } from 'pino';
import type { DeliveryAttempt } from '../../contracts/delivery.ts';
import type { GitHub } from '../../github/index.ts';
import type { MissedStore } from '../../store/deliveries/missed.ts';
import { isInstallationEvent } from './installations.ts';

type EventSources = MissedParts &
  ReconcileParts & {
    /** Rejects while nothing may be received from GitHub's lists. */
    readonly guard?: (() => Promise<void>) | undefined;
  };

/** How long a caller of `receiveEventsBefore` waits. It comes again later. */
const PATIENCE_MS = 5_000;
/** How long the work waits for the first look. */
const FIRST_PATIENCE_MS = 30_000;
/** GitHub lists an attempt when it has ended. It waits ten seconds for an answer, and its list lags a little. */
const LISTED_MS = 15_000;
/** A little less than GitHub keeps deliveries. */
const KEPT_MS = 60 * 60 * 60_000;

/**
 * Any process may look, at any time: an event counts once. In one process, the list is read by one look at a time, and so are
 * the repositories. Whoever needs only the list does not wait for the repositories.
 */
export class MissedEvents {
  readonly #parts: EventSources;
  readonly #leaving: AbortSignal;
  readonly #looks = new KeyedMutex();
  /** Whether people's doings are to be compared, because GitHub may have sent nothing of some. */
  #isComparisonDue = false;
  /** What people did before this was received. Milliseconds since the epoch. */
  #receivedUntil = 0;

  /** `leaving`: ends the looks of `receiveEventsBefore` and `first`. */
  constructor({ leaving, ...parts }: EventSources & { readonly leaving: AbortSignal }) {
    this.#parts = parts;
    this.#leaving = leaving;
  }

  /**
   * Resolves with how many events were missed. GitHub's list of deliveries is more exact, so it comes first. If it does not
   * reach back to the last look, people's doings are compared first; otherwise if `isThorough`, if an installation changed,
   * or if the last comparison failed.
   * @throws {TryLater} if GitHub or the database does not answer; the next look continues there
   */
  async look(signal: AbortSignal, isThorough: boolean): Promise<number> {
    if (isThorough) this.#isComparisonDue = true;
    const taken = await this.#takeListed(signal, () => this.#compare(signal));
    return this.#isComparisonDue ? taken + (await this.#compare(signal)) : taken;
  }

  /** Resolves when a look at the list has ended, well or not, or lasts too long for work to wait for it. */
  async first(): Promise<void> {
    try {
      const looked = this.#takeListed(this.#leaving, () => this.#tryToCompare());
      const isDone = await this.#within(
        FIRST_PATIENCE_MS,
        looked.then(() => true),
      );
      if (!isDone) throw new TryLater('it is not done yet');
    } catch (error) {
      this.#warn(error);
    }
  }

  /**
   * Resolves when what people did before `at`, a time in the past, is received, also if GitHub could not deliver it.
   * @throws {TryLater} if that takes long, GitHub does not answer, or a delivery may still be under way
   * @throws {WaitEnded} if `signal` is aborted meanwhile
   */
  async receiveEventsBefore(at: Date, signal: AbortSignal): Promise<void> {
    const before = at.getTime();
    if (this.#receivedUntil >= before) return;
    if (sharedNow() - LISTED_MS < before)
      throw new TryLater('what people did just before may still be under way');
    if (await this.#within(PATIENCE_MS, this.#receive(before), signal)) return;
    if (signal.aborted) throw new WaitEnded('the wait for missed events was ended');
    throw new TryLater('what people did before is still being received');
  }

  /** Resolves with whether it is received. */
  async #receive(before: number): Promise<boolean> {
    try {
      const isReceived = (): boolean => this.#receivedUntil >= before;
      await this.#takeListed(this.#leaving, () => this.#tryToCompare(), isReceived);
      return isReceived();
    } catch (error) {
      if (!(error instanceof TellPerson)) throw error;
      // GitHub would say the same later.
      this.#warn(error);
      return true;
    }
  }

  /** Receives what GitHub lists, and compares if that is not all. `isEnough`: whether an earlier look did it. */
  #takeListed(
    signal: AbortSignal,
    compare: () => Promise<number>,
    isEnough = (): boolean => false,
  ): Promise<number> {
    return this.#looks.run('list', async () => {
      if (isEnough()) return 0;
      await this.#parts.guard?.();
      const begun = sharedNow();
      const seen = await deliveriesSeenUntil(this.#parts.store);
      const isGone = seen !== undefined && begun - seen.getTime() > KEPT_MS;
      const compared = isGone ? await compare() : 0;
      let hasChanged = false;
      const changed = (): void => void (hasChanged = this.#isComparisonDue = true);
      const { events, isAll } = await takeMissed(this.#parts, signal, changed);
      if (isAll) this.#receivedUntil = Math.max(this.#receivedUntil, begun - LISTED_MS);
      return compared + events + (hasChanged ? await compare() : 0);
    });
  }

  #compare(signal: AbortSignal): Promise<number> {
    return this.#looks.run('repositories', async () => {
      // An installation that changes meanwhile makes it due again.
      this.#isComparisonDue = false;
      let isDone = false;
      try {
        await this.#parts.guard?.();
        const events = await reconcile(this.#parts, signal);
        isDone = !signal.aborted;
        return events;
      } finally {
        if (!isDone) this.#isComparisonDue = true;
      }
    });
  }

  /** One repository that fails must not keep the others waiting: it keeps its place, and `look` compares again. */
  async #tryToCompare(): Promise<number> {
    try {
      return await this.#compare(this.#leaving);
    } catch (error) {
      this.#warn(error);
      return 0;
    }
  }

  /** What `work` resolves with; `false` if it takes longer, or `signal` is aborted, or the process is stopping. */
  async #within(ms: number, work: Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const ends = [over.signal, this.#leaving, signal].filter((one) => one !== undefined);
    const late = pause(ms, false, { signal: AbortSignal.any(ends) }).catch(() => false);
    try {
      return await Promise.race([work, late]);
    } finally {
      over.abort();
    }
  }

  #warn(error: unknown): void {
    this.#parts.log.warn({ reason: messageOf(error) }, 'failed to look for missed events');
  }
}

// Deliveries that did not arrive. GitHub repeats none by itself, but lists them: they are read from there, and received
// like any other, in the order in which GitHub first tried.

export interface MissedParts {
  readonly github: Pick<GitHub, 'deliveries' | 'handles' | 'take' | 'identity'>;
  readonly store: { readonly missed: MissedStore };
  /** From when on a first look takes deliveries; by default all that GitHub keeps. */
  readonly since?: Date | undefined;
  readonly log: Logger;
}

const SOURCE = 'deliveries';
const MINUTES = 60_000;
/** An attempt is listed when it has ended, and GitHub waits ten seconds for an answer; its list may lag. */
const LISTED_WITHIN_MS = 10 * MINUTES;
/** 30,000 deliveries in three days. */
const MOST_PAGES = 300;
/** Deliveries that are read at once. They are received one after the other. */
const READ_AT_ONCE = 4;
const MOST_TRIES = 3;

const deliveriesSeenUntil = async (store: MissedParts['store']): Promise<Date | undefined> =>
  (await store.missed.watermark(SOURCE))?.until;

interface ReceivedCount {
  readonly events: number;
  /** Whether nothing of the list is left for the next call. */
  readonly isAll: boolean;
}

/**
 * Receives what did not arrive since the last time. Safe to repeat, also by several processes at once: a delivery keeps
 * its id. `changed` is called when one of them says that an installation changed.
 * @throws {TryLater} if GitHub or the database does not answer; the next call continues there
 */
export async function takeMissed(
  parts: MissedParts,
  signal: AbortSignal,
  changed: () => void = () => {},
): Promise<ReceivedCount> {
  const { github, store } = parts;
  // What this App did itself is told apart by its name.
  await github.identity();
  const seen = (await deliveriesSeenUntil(store)) ?? parts.since;
  const attempts = await attemptsSince(parts, seen);
  const missed = missedOf(attempts).filter(({ name }) => github.handles(name));
  const settled = await store.missed.settled(missed.map(({ id }) => id));
  const open = missed.filter(({ id }) => !settled.has(id));
  const left = await takeInOrder({ ...parts, changed }, open, signal);
  const until = left[0]?.at ?? attempts[0]?.at;
  if (until !== undefined) await store.missed.markSeen(SOURCE, new Date(until));
  return { events: open.length - left.length, isAll: left.length === 0 };
}

/** Takes none of those that did not arrive until now. Resolves with how many they are. */
export async function passOverMissed(
  parts: Pick<MissedParts, 'github' | 'store' | 'log'>,
): Promise<number> {
  const { missed } = parts.store;
  const attempts = await attemptsSince(parts, undefined);
  const left = missedOf(attempts);
  for (const { id, event } of left) await missed.settle(id, event);
  const newest = attempts[0]?.at;
  if (newest !== undefined) await missed.markSeen(SOURCE, new Date(newest));
  return left.length;
}

/** Newest first. */
async function attemptsSince(
  { github, log }: Pick<MissedParts, 'github' | 'log'>,
  seen: Date | undefined,
): Promise<readonly DeliveryAttempt[]> {
  const from = seen === undefined ? 0 : seen.getTime() - LISTED_WITHIN_MS;
  const attempts: DeliveryAttempt[] = [];
  let pages = 0;
  for await (const page of github.deliveries.pages()) {
    attempts.push(...page.filter(({ at }) => Date.parse(at) >= from));
    if (page.some(({ at }) => Date.parse(at) < from)) return attempts;
    if ((pages += 1) < MOST_PAGES) continue;
    log.warn(
      { deliveries: attempts.length },
      'looked at the newest deliveries only: there are too many',
    );
    return attempts;
  }
  return attempts;
}

/** The first attempt of each delivery that never arrived, oldest first. `attempts`: newest first. */
export function missedOf(attempts: readonly DeliveryAttempt[]): readonly DeliveryAttempt[] {
  const received = new Set(attempts.filter(({ isReceived }) => isReceived).map(({ id }) => id));
  const first = new Map<string, DeliveryAttempt>();
  for (const attempt of attempts) if (!received.has(attempt.id)) first.set(attempt.id, attempt);
  // The list is by attempt: a later one of an old delivery would be before its first.
  return [...first.values()]
    .toReversed()
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

type TakingParts = MissedParts & { readonly changed: () => void };

/** Resolves with those that are still to be taken, which is tried again. */
async function takeInOrder(
  parts: TakingParts,
  open: readonly DeliveryAttempt[],
  signal: AbortSignal,
): Promise<readonly DeliveryAttempt[]> {
  const left: DeliveryAttempt[] = [];
  for (let at = 0; at < open.length; at += READ_AT_ONCE) {
    const some = open.slice(at, at + READ_AT_ONCE);
    const payloads = await Promise.all(some.map((one) => read(parts, one)));
    for (const [index, one] of some.entries()) {
      if (signal.aborted) return [...left, ...open.slice(at + index)];
      if (!(await takeOne(parts, one, payloads[index]))) left.push(one);
    }
  }
  return left;
}

/** `gone`: GitHub does not have it any more. */
async function read(
  { github, log }: MissedParts,
  { attempt, id, name }: DeliveryAttempt,
): Promise<object | 'gone' | undefined> {
  try {
    return await github.deliveries.payload(attempt);
  } catch (error) {
    if (!(error instanceof TellPerson)) throw error;
    log.warn(
      { delivery: id, event: name, reason: messageOf(error) },
      'failed to read a missed delivery',
    );
    return 'gone';
  }
}

/** Resolves with whether nothing more is to be done for it. */
async function takeOne(
  parts: TakingParts,
  one: DeliveryAttempt,
  payload: object | 'gone' | undefined,
): Promise<boolean> {
  const { id, event } = one;
  if (payload === undefined) return askAgain(parts, one);
  if (payload !== 'gone') {
    const { status } = await parts.github.take({ id, event, payload });
    if (status >= 500 && (await countTry(parts, one)) !== 'given_up')
      throw new TryLater(`the missed delivery ${id} could not be received`);
    if (isInstallationEvent(event)) parts.changed();
  }
  await parts.store.missed.settle(id, event);
  return true;
}

/** If GitHub does not show what it was to deliver, it is asked to deliver it. */
async function askAgain(parts: MissedParts, one: DeliveryAttempt): Promise<boolean> {
  const counted = await countTry(parts, one);
  if (counted === 'counted') await parts.github.deliveries.deliverAgain(one.attempt);
  if (counted !== 'given_up') return false;
  await parts.store.missed.settle(one.id, one.event);
  return true;
}

/** Many processes may try within a short time, in which a fault passes: `too_soon` after the last try that counted. */
async function countTry(
  { store, log }: MissedParts,
  { id, name }: DeliveryAttempt,
): Promise<'counted' | 'too_soon' | 'given_up'> {
  const tries = await store.missed.failed(id);
  if (tries === undefined) return 'too_soon';
  if (tries <= MOST_TRIES) return 'counted';
  log.error({ delivery: id, event: name, tries: MOST_TRIES }, 'gave up a missed delivery');
  return 'given_up';
}
