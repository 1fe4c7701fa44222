/**
 * Calls `act` for a key immediately, then at most once per interval: requests during an interval cause one
 * call at its end. `act` must not reject.
 */
export class Throttle {
  readonly #act: (key: string) => Promise<void>;
  readonly #intervalMs: number;
  /** Keys that are in an interval. */
  readonly #waiting = new Map<string, { readonly timer: NodeJS.Timeout; isAsked: boolean }>();
  readonly #acting = new Set<Promise<void>>();
  #isClosed = false;

  constructor(intervalMs: number, act: (key: string) => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#act = act;
  }

  ask(key: string): void {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) waiting.isAsked = true;
    else if (!this.#isClosed) this.#begin(key);
  }

  /** Makes pending calls now, and resolves when all have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [key, { timer, isAsked }] of this.#waiting) {
      clearTimeout(timer);
      if (isAsked) this.#call(key);
    }
    this.#waiting.clear();
    await Promise.all(this.#acting);
  }

  #begin(key: string): void {
    const timer = setTimeout(() => this.#end(key), this.#intervalMs);
    this.#waiting.set(key, { timer, isAsked: false });
    this.#call(key);
  }

  #call(key: string): void {
    const acting = this.#act(key).finally(() => this.#acting.delete(acting));
    this.#acting.add(acting);
  }

  #end(key: string): void {
    const isAsked = this.#waiting.get(key)?.isAsked === true;
    this.#waiting.delete(key);
    if (isAsked) this.#begin(key);
  }
}
