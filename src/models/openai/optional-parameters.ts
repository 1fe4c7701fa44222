/** Phrases of errors about an unsupported part of a request. */
const UNSUPPORTED =
  /unsupported|not supported|unrecognized|unknown|unexpected|not permitted|not allowed|extra_forbidden|please remove/i;

interface FailedRequest {
  readonly status: number | undefined;
  /** The part that the server names as the cause. */
  readonly param: unknown;
  readonly words: string;
}

/**
 * Parts of requests that some servers do not support. There is no way to know in advance: the adapter
 * repeats the request without the part and remembers that.
 */
export class OptionalParameters {
  readonly #leftOut = new Set<string>();

  /** Whether to send a part. */
  allows(name: string): boolean {
    return !this.#leftOut.has(name);
  }

  /** Those of the parts that should be sent. */
  allowed<T extends object>(parts: T): Partial<T> {
    const entries = Object.entries(parts).filter(([name]) => this.allows(name));
    return Object.fromEntries(entries) as Partial<T>;
  }

  /**
   * From now on leaves out the part that an error is about. `sent` names the optional parts of the request.
   * @returns whether the error was about one of them
   */
  leaveOut({ status, param, words }: FailedRequest, sent: readonly string[]): boolean {
    if ((status !== 400 && status !== 422) || !UNSUPPORTED.test(words)) return false;
    const first = sent
      .filter((name) => words.includes(name))
      .toSorted((one, other) => words.indexOf(one) - words.indexOf(other))[0];
    const name = sent.find((one) => one === param) ?? first;
    if (name === undefined) return false;
    this.#leftOut.add(name);
    return true;
  }
}
