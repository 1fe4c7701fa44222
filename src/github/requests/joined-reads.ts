import { setTimeout as pause } from 'node:timers/promises';

interface Read<T> {
  readonly answer: Promise<T>;
  /** For those who came while it was under way. */
  next: Promise<T> | undefined;
}

/** Milliseconds. One that takes longer, because its answer is late or lost, is not waited for. */
const LONGEST_MS = 1_000;

/**
 * Makes one read of many equal ones: those who ask while one is under way share the next, which is sent when it is answered.
 * So each answer is newer than its question.
 */
export class JoinedReads<T> {
  readonly #reads = new Map<string, Read<T>>();

  /** Resolves with an answer of one's own, or rejects as `send` does, which may be that of someone else with this key. */
  async read(key: string, send: () => Promise<T>): Promise<T> {
    const now = this.#reads.get(key);
    if (now === undefined) return this.#begin(key, send);
    now.next ??= ended(now.answer).then(() => this.#begin(key, send));
    return structuredClone(await now.next);
  }

  #begin(key: string, send: () => Promise<T>): Promise<T> {
    const answer = send();
    const read = { answer, next: undefined };
    this.#reads.set(key, read);
    const end = (): void => {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
    };
    answer.then(end, end);
    return answer;
  }
}

/** Resolves when it has ended, but waits only so long. */
async function ended(answer: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = pause(LONGEST_MS, undefined, { signal: over.signal });
  await Promise.race([answer, late]).catch(() => {});
  over.abort();
  await late.catch(() => {});
}
