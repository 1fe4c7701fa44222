/** Things that one side finds and others take, each once and in order, before all of them are found. */
export class Feed<T> {
  readonly #ready: T[] = [];
  readonly #takers: ((item: T | undefined) => void)[] = [];
  #isOver = false;

  add(item: T): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#ready.push(item);
    else taker(item);
  }

  /** There will be no more: those who wait get nothing. */
  end(): void {
    this.#isOver = true;
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  /** Waits for the next; `undefined` where there is none any more. */
  take(): Promise<T | undefined> {
    const item = this.#ready.shift();
    if (item !== undefined || this.#isOver) return Promise.resolve(item);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }
}
