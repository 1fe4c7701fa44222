/** Words in which servers refuse a part of a request. */
const REFUSED =
  /unsupported|not supported|unrecognized|unknown|unexpected|not permitted|not allowed|extra_forbidden|please remove/i;

export interface RefusedRequest {
  readonly status: number | undefined;
  /** The part that the server names as its fault. */
  readonly param: unknown;
  readonly words: string;
}

/**
 * Parts of requests that some servers refuse and that can be left out. Nobody tells beforehand which
 * server refuses which: the adapter makes such a request once more without the part, and remembers.
 */
export class OptionalParameters {
  readonly #leftOut = new Set<string>();

  /** Whether a part is to be sent. */
  allows(name: string): boolean {
    return !this.#leftOut.has(name);
  }

  /** The parts that are to be sent. */
  allowed<T extends object>(parts: T): Partial<T> {
    const entries = Object.entries(parts).filter(([name]) => this.allows(name));
    return Object.fromEntries(entries) as Partial<T>;
  }

  /**
   * Leaves out the part that a server refused, from now on. `sent` names those that the request held.
   * @returns whether there was one
   */
  leaveOut({ status, param, words }: RefusedRequest, sent: readonly string[]): boolean {
    if ((status !== 400 && status !== 422) || !REFUSED.test(words)) return false;
    const first = sent
      .filter((name) => words.includes(name))
      .toSorted((one, other) => words.indexOf(one) - words.indexOf(other))[0];
    const name = sent.find((one) => one === param) ?? first;
    if (name === undefined) return false;
    this.#leftOut.add(name);
    return true;
  }
}
