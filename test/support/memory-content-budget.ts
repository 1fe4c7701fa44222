import { CONTENT_BUCKETS, roomInMs, type ContentRoom } from '../../src/lib/content-limits.ts';

/** The budget of one installation, by any clock (milliseconds); nobody else shares it. */
export class MemoryContentBudget {
  readonly #now: () => number;
  #left = { minute: CONTENT_BUCKETS.minute.capacity, hour: CONTENT_BUCKETS.hour.capacity };
  #at: number;
  #pausedUntil = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
    this.#at = now();
  }

  take(): Promise<number> {
    return Promise.resolve(this.takeNow() ? 0 : roomInMs(this.roomNow()));
  }

  takeNow(): boolean {
    const room = this.roomNow();
    if (roomInMs(room) > 0) return false;
    this.#left = { minute: room.minute - 1, hour: room.hour - 1 };
    return true;
  }

  room(): Promise<ContentRoom> {
    return Promise.resolve(this.roomNow());
  }

  pause(ms: number): Promise<void> {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + ms);
    return Promise.resolve();
  }

  roomNow(busy = 0): ContentRoom {
    const seconds = (this.#now() - this.#at) / 1000;
    const { minute, hour } = CONTENT_BUCKETS;
    this.#at = this.#now();
    this.#left = {
      minute: Math.min(minute.capacity, this.#left.minute + seconds * minute.perSecond),
      hour: Math.min(hour.capacity, this.#left.hour + seconds * hour.perSecond),
    };
    return { ...this.#left, pausedMs: Math.max(0, this.#pausedUntil - this.#now()), busy };
  }
}
