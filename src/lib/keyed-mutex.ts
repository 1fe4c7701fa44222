/** Runs work with the same key one at a time, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as `work` does. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const own = before === undefined ? work() : before.then(work);
    const ended = own.then(ignore, ignore);
    this.#last.set(key, ended);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}

const ignore = (): void => {};
