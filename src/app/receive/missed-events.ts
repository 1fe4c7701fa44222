// What this process has not heard of yet, for whoever needs to know it: the watch, and deadlines of questions.
import { setTimeout as pause } from 'node:timers/promises';
import { sharedNow } from '../../lib/clock.ts';
import { WaitEnded } from '../../github/errors.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import { deliveriesSeenUntil, takeMissed, type MissedParts } from './missed-deliveries.ts';
import { reconcile, type ReconcileParts } from './reconcile.ts';

type Parts = MissedParts &
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
  readonly #parts: Parts;
  readonly #leaving: AbortSignal;
  readonly #looks = new KeyedMutex();
  /** Whether people's doings are to be compared, because GitHub may have sent nothing of some. */
  #isComparisonDue = false;
  /** What people did before this was received. Milliseconds since the epoch. */
  #receivedUntil = 0;

  /** `leaving`: ends the looks of `receiveEventsBefore` and `first`. */
  constructor({ leaving, ...parts }: Parts & { readonly leaving: AbortSignal }) {
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
    const ends = [over.signal, this.#leaving, ...(signal === undefined ? [] : [signal])];
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
