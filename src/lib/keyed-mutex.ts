/** Runs work that has a key in common one at a time, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as `work` does. */
  async run<T>(keys: string | readonly string[], work: () => Promise<T>): Promise<T> {
    const all = typeof keys === 'string' ? [keys] : keys;
    const before = all.map((key) => this.#last.get(key)).filter((last) => last !== undefined);
    const own = before.length === 0 ? work() : Promise.all(before).then(work);
    const ended = own.then(ignore, ignore);
    for (const key of all) this.#last.set(key, ended);
    try {
      return await own;
    } finally {
      for (const key of all) if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }

  /** Resolves when no work is under way or waits. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}

const ignore = (): void => {};
