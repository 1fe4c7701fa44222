const MOST_KEPT = 1_000;

/** When things first happened, as far as this process knows. It forgets the oldest of more than a thousand. */
export class FirstTimes {
  readonly #times = new Map<string, number>();

  /** When this was first called with the key, in milliseconds since the epoch. */
  of(key: string): number {
    const known = this.#times.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#times.keys();
    if (oldest !== undefined && this.#times.size >= MOST_KEPT) this.#times.delete(oldest);
    const now = Date.now();
    this.#times.set(key, now);
    return now;
  }

  forget(key: string): void {
    this.#times.delete(key);
  }
}
