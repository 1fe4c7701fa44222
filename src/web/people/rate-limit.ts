/** How often someone may ask in a minute. */
export class RateLimit {
  readonly #most: number;
  readonly #now: () => number;
  #counts = new Map<string, number>();
  #endsAt = 0;

  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** Counts one more. Returns the seconds to wait if these are too many. */
  take(who: string): number | undefined {
    const now = this.#now();
    // All begin a minute together, so what is remembered is what was asked in it.
    if (now >= this.#endsAt) {
      this.#counts = new Map();
      this.#endsAt = now + MINUTE_MS;
    }
    const count = (this.#counts.get(who) ?? 0) + 1;
    this.#counts.set(who, count);
    return count > this.#most ? Math.ceil((this.#endsAt - now) / 1000) : undefined;
  }
}

const MINUTE_MS = 60_000;
