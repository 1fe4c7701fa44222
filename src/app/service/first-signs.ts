/** With fewer, nothing waits: a machine can do that besides. */
const MANY = 4;
/** Milliseconds. A sign that takes longer, because GitHub is slow or another process gives it, holds nothing up. */
const LONGEST_MS = 3_000;

/**
 * Sessions in which someone did something and has seen no sign yet that it was noticed. While there are many, their signs
 * come first: runs begin later, and a status follows its 👀 later. Otherwise the work of those that have theirs takes the
 * processor from the others.
 */
export class FirstSigns {
  readonly #longestMs: number;
  /** When it was heard of, in milliseconds of `performance.now()`, oldest first. */
  readonly #awaited = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  constructor(longestMs = LONGEST_MS) {
    this.#longestMs = longestMs;
  }

  heard(session: string): void {
    if (!this.#awaited.has(session)) this.#awaited.set(session, performance.now());
  }

  /** Also if there was nothing to show. */
  given(session: string): void {
    this.#awaited.delete(session);
    if (!this.areMany()) for (const go of this.#waiting) go();
  }

  /** Whether other sessions wait for theirs, so that the rest of what is published of this one can wait. Never for long. */
  comeBefore(session: string): boolean {
    return this.areMany() && this.#awaited.has(session);
  }

  areMany(): boolean {
    const tooOld = performance.now() - this.#longestMs;
    for (const [session, at] of this.#awaited) {
      if (at > tooOld) break;
      this.#awaited.delete(session);
    }
    return this.#awaited.size >= MANY;
  }

  /** Resolves when there are few, when `signal` is raised, and after a few seconds at the latest. */
  async untilFew(signal: AbortSignal): Promise<void> {
    if (!this.areMany() || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#longestMs);
    signal.addEventListener('abort', () => resolve(), { once: true });
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
  }
}
