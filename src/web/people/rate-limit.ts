const MINUTE_MS = 60_000;
/** That are told apart in a minute; all others count together. */
const MOST = 10_000;
const OTHERS = '';

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
    const isKnown = this.#counts.has(who) || this.#counts.size < MOST;
    const name = isKnown ? who : OTHERS;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count > this.#most ? Math.ceil((this.#endsAt - now) / 1000) : undefined;
  }
}
