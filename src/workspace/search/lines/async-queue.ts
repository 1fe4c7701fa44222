/** A queue of items, each taken once and in order, by consumers that wait for more. */
export class AsyncQueue<T> {
  readonly #ready: T[] = [];
  readonly #takers: ((item: T | undefined) => void)[] = [];
  #isOver = false;

  add(item: T): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#ready.push(item);
    else taker(item);
  }

  /** No more items follow: waiting consumers get `undefined`. */
  end(): void {
    this.#isOver = true;
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  /** Waits for the next item; `undefined` after the last one. */
  take(): Promise<T | undefined> {
    const item = this.#ready.shift();
    if (item !== undefined || this.#isOver) return Promise.resolve(item);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }
}
