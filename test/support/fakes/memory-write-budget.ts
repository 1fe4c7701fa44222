import {
  GITHUB_LIMITS,
  usable,
  usableBy,
  type WriteBudget,
  type WriteRank,
  type WriteWindow,
} from '../../../src/lib/write-budget.ts';

/** The budget of one installation, by any clock (milliseconds). Nobody waits in it. */
export class MemoryWriteBudget {
  readonly #now: () => number;
  /** When the writes of the last hour were made. */
  readonly #made: number[] = [];
  #pausedUntil = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  take(rank: WriteRank = 'awaited'): Promise<number> {
    return Promise.resolve(this.takeNow(rank));
  }

  /** Returns 0, or the milliseconds until there may be room. */
  takeNow(rank: WriteRank = 'awaited'): number {
    const { minute, hour } = GITHUB_LIMITS;
    const rooms = [minute, hour].map((window) => this.#roomIn(window, rank));
    const wait = Math.max(0, this.#paused(), ...rooms);
    if (wait === 0) this.#made.push(this.#now());
    return wait;
  }

  left(): Promise<WriteBudget> {
    return Promise.resolve(this.leftNow());
  }

  pause(ms: number): Promise<void> {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + ms);
    return Promise.resolve();
  }

  leftNow(busy = 0): WriteBudget {
    const room = (window: WriteWindow) => ({
      ...window,
      requests: usable(window),
      left: usable(window) - this.#in(window).length,
    });
    const { minute, hour } = GITHUB_LIMITS;
    return { minute: room(minute), hour: room(hour), pausedMs: this.#paused(), busy };
  }

  #paused(): number {
    return Math.max(0, this.#pausedUntil - this.#now());
  }

  #in({ seconds }: WriteWindow): readonly number[] {
    const begin = this.#made.findIndex((at) => at > this.#now() - seconds * 1000);
    return begin === -1 ? [] : this.#made.slice(begin);
  }

  #roomIn(window: WriteWindow, rank: WriteRank): number {
    const made = this.#in(window);
    const over = made.length + 1 - usableBy(rank, window);
    return over <= 0 ? 0 : (made[over - 1] ?? 0) + window.seconds * 1000 - this.#now();
  }
}
