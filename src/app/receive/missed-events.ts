// What this process has not heard of yet, for whoever needs to know it: the watch, and deadlines of questions.
import { setTimeout as pause } from 'node:timers/promises';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import { catchUp } from './catch-up.ts';

type Parts = Parameters<typeof catchUp>[0];

/** How long a caller of `receiveEventsBefore` waits. It comes again later. */
const PATIENCE_MS = 30_000;

/** Any process may look, at any time: an event counts once. In one process there is one look at a time. */
export class MissedEvents {
  readonly #parts: Parts;
  readonly #leaving: AbortSignal;
  readonly #looks = new KeyedMutex();
  readonly #comparison = { isDue: false };
  /** When the last look began that received all there was. Milliseconds since the epoch. */
  #receivedUntil = 0;

  /** `leaving`: ends the looks of `receiveEventsBefore`. */
  constructor({ leaving, ...parts }: Parts & { readonly leaving: AbortSignal }) {
    this.#parts = parts;
    this.#leaving = leaving;
  }

  /** Resolves with how many events were missed. `isThorough`: people's doings are compared too. See `catchUp`. */
  look(signal: AbortSignal, isThorough: boolean): Promise<number> {
    return this.#looks.run('look', () => this.#look(signal, isThorough));
  }

  /**
   * Resolves when what people did before `at`, a time in the past, is received, also if GitHub could not deliver it.
   * @throws {TryLater} if that takes long, or GitHub does not answer
   */
  async receiveEventsBefore(at: Date): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#leaving]);
    const late = pause(PATIENCE_MS, false, { signal }).catch(() => false);
    try {
      const received = this.#looks.run('look', () => this.#receive(at.getTime()));
      if (!(await Promise.race([received, late])))
        throw new TryLater('what people did before is still being received');
    } finally {
      over.abort();
    }
  }

  /** Resolves with whether it is received. */
  async #receive(at: number): Promise<boolean> {
    try {
      if (this.#receivedUntil < at) await this.#look(this.#leaving, false);
      return this.#receivedUntil >= at;
    } catch (error) {
      if (!(error instanceof TellPerson)) throw error;
      // GitHub would say the same later.
      this.#parts.log.warn({ reason: messageOf(error) }, 'failed to look for missed events');
      return true;
    }
  }

  async #look(signal: AbortSignal, isThorough: boolean): Promise<number> {
    const begun = Date.now();
    if (isThorough) this.#comparison.isDue = true;
    const events = await catchUp(this.#parts, signal, this.#comparison);
    if (!signal.aborted) this.#receivedUntil = begun;
    return events;
  }
}
