const MOST = 1_000;

/** Caches the newest thousand answers that never change. A failed one is not cached. */
export class Memo<T> {
  readonly #answers = new Map<string, Promise<T>>();

  /** The answer, if it was asked for before. */
  known(key: string): Promise<T> | undefined {
    return this.#answers.get(key);
  }

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = ask();
    this.#answers.set(key, answer);
    answer.catch(() => this.#answers.delete(key));
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined && this.#answers.size > MOST) this.#answers.delete(oldest);
    return answer;
  }
}
