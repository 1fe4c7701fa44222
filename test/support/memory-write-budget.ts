import { WRITE_BUCKETS, msUntilNextWrite, type WriteBudget } from '../../src/lib/write-budget.ts';

/** The budget of one installation, by any clock (milliseconds). */
export class MemoryWriteBudget {
  readonly #now: () => number;
  #left = { minute: WRITE_BUCKETS.minute.capacity, hour: WRITE_BUCKETS.hour.capacity };
  #at: number;
  #pausedUntil = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
    this.#at = now();
  }

  take(): Promise<number> {
    return Promise.resolve(this.takeNow() ? 0 : msUntilNextWrite(this.leftNow()));
  }

  takeNow(): boolean {
    const left = this.leftNow();
    if (msUntilNextWrite(left) > 0) return false;
    this.#left = { minute: left.minute - 1, hour: left.hour - 1 };
    return true;
  }

  left(): Promise<WriteBudget> {
    return Promise.resolve(this.leftNow());
  }

  pause(ms: number): Promise<void> {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + ms);
    return Promise.resolve();
  }

  leftNow(busy = 0): WriteBudget {
    const seconds = (this.#now() - this.#at) / 1000;
    const { minute, hour } = WRITE_BUCKETS;
    this.#at = this.#now();
    this.#left = {
      minute: Math.min(minute.capacity, this.#left.minute + seconds * minute.perSecond),
      hour: Math.min(hour.capacity, this.#left.hour + seconds * hour.perSecond),
    };
    return { ...this.#left, pausedMs: Math.max(0, this.#pausedUntil - this.#now()), busy };
  }
}
