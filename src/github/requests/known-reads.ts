// What GitHub answered to reads, and under which ETag: a conditional request whose answer is 304 does not count for the
// limit of requests. Only the token that got an ETag is answered with 304, so this ends with the token's hour.

/** The parts of octokit's answer that are kept. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

interface Known {
  readonly etag: string;
  readonly answer: Answer;
  readonly size: number;
}

/** Characters of JSON: of all answers, and of one. */
const MOST = 32_000_000;
const MOST_OF_ONE = 500_000;

/** Without what GitHub says of its limits at that moment. */
const lasting = (headers: Answer['headers']): Answer['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-ratelimit-')));

/** The answers of one process. The least recently used are dropped. */
export class KnownReads {
  readonly #known = new Map<string, Known>();
  #size = 0;

  etagOf(key: string): string | undefined {
    return this.#known.get(key)?.etag;
  }

  /** A copy of what is known. */
  answerOf<T extends Answer>(key: string): T | undefined {
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    this.#known.delete(key);
    this.#known.set(key, known);
    return structuredClone(known.answer) as T;
  }

  keep(key: string, { status, headers, data }: Answer): void {
    this.#drop(key);
    const { etag } = headers;
    if (typeof etag !== 'string' || status !== 200) return;
    const size = JSON.stringify(data).length + key.length;
    if (size > MOST_OF_ONE) return;
    const answer = structuredClone({ status, headers: lasting(headers), data });
    this.#known.set(key, { etag, answer, size });
    this.#size += size;
    for (const oldest of this.#known.keys()) {
      if (this.#size <= MOST) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#known.get(key)?.size ?? 0;
    this.#known.delete(key);
  }
}
