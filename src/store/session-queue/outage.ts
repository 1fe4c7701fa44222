import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';

/** Logs once when the database stops answering, and once when it answers again. */
export class OutageLog {
  readonly #log: Logger;
  #isAway = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Never rejects: resolves with `undefined` if `work` failed. */
  async watched<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      if (this.#isAway) this.#log.info('the database answers again');
      this.#isAway = false;
      return result;
    } catch (error) {
      if (!this.#isAway)
        this.#log.warn({ reason: messageOf(error) }, 'the database does not answer; trying again');
      this.#isAway = true;
      return undefined;
    }
  }
}
