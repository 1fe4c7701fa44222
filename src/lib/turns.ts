/** Pieces of work with the same key go one after another, in the order in which they came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** `work` is told whether it had to wait for others; its result or error is the caller's own. */
  async take<T>(key: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const own = before === undefined ? work(false) : before.then(() => work(true));
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
