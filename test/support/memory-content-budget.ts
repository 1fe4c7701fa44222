import { WRITE_BUCKETS, msUntilNextWrite, type WriteBudget } from '../../src/lib/write-budget.ts';

/** The budget of one installation, by any clock (milliseconds); nobody else shares it. */
export class MemoryContentBudget {
  readonly #now: () => number;
  #left = { minute: WRITE_BUCKETS.minute.capacity, hour: WRITE_BUCKETS.hour.capacity };
  #at: number;
  #pausedUntil = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
    this.#at = now();
  }

  take(): Promise<number> {
    return Promise.resolve(this.takeNow() ? 0 : msUntilNextWrite(this.roomNow()));
  }

  takeNow(): boolean {
    const room = this.roomNow();
    if (msUntilNextWrite(room) > 0) return false;
    this.#left = { minute: room.minute - 1, hour: room.hour - 1 };
    return true;
  }

  room(): Promise<WriteBudget> {
    return Promise.resolve(this.roomNow());
  }

  pause(ms: number): Promise<void> {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + ms);
    return Promise.resolve();
  }

  roomNow(busy = 0): WriteBudget {
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
