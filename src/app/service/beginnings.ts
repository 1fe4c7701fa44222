import { availableParallelism } from 'node:os';
import type { FirstSigns } from './first-signs.ts';

/** For each processor. What begins waits for the network and the disk in between. */
const SHARE = 2;
/** Milliseconds. What takes longer waits for something else than this process: others begin meanwhile. */
const LONG_MS = 500;

type Begun = () => void;

/**
 * Runs that begin: reading settings, cloning and preparing takes more of the processor than what follows. A few begin at a
 * time, in the order in which they came, and none while many people wait for a first sign.
 */
export class Beginnings {
  readonly #signs: FirstSigns | undefined;
  readonly #most: number;
  readonly #longMs: number;
  readonly #waiting = new Set<(begun: Begun) => void>();
  #beginning = 0;
  #isLettingIn = false;
  /** The signs have held runs up for as long as they may. */
  #isImpatient = false;

  constructor(
    signs: FirstSigns | undefined,
    { most = SHARE * availableParallelism(), longMs = LONG_MS } = {},
  ) {
    this.#signs = signs;
    this.#most = most;
    this.#longMs = longMs;
  }

  /** Resolves when a run may begin, or is not to begin any more. Call what it resolves with when the run has begun. */
  async turn(signal: AbortSignal): Promise<Begun> {
    const { promise, resolve } = Promise.withResolvers<Begun>();
    const giveUp = (): void => {
      this.#waiting.delete(resolve);
      resolve(() => {});
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#waiting.add(resolve);
    if (signal.aborted) giveUp();
    void this.#letIn();
    const begun = await promise;
    signal.removeEventListener('abort', giveUp);
    return begun;
  }

  /** Must not throw. */
  async #letIn(): Promise<void> {
    if (this.#isLettingIn) return;
    this.#isLettingIn = true;
    while (this.#waiting.size > 0 && this.#beginning < this.#most) {
      await this.#untilFewSigns();
      const [first] = this.#waiting;
      if (first === undefined) break;
      this.#waiting.delete(first);
      first(this.#begin());
    }
    this.#isLettingIn = false;
  }

  /** However many follow, they hold runs up once, for a few seconds. */
  async #untilFewSigns(): Promise<void> {
    if (!this.#isImpatient) await this.#signs?.untilFew(new AbortController().signal);
    this.#isImpatient = this.#signs?.areMany() === true;
  }

  #begin(): Begun {
    this.#beginning += 1;
    const end = (): void => {
      clearTimeout(timer);
      if (hasEnded) return;
      hasEnded = true;
      this.#beginning -= 1;
      void this.#letIn();
    };
    let hasEnded = false;
    const timer = setTimeout(end, this.#longMs);
    return end;
  }
}
