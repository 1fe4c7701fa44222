import { setImmediate as nextTurn } from 'node:timers/promises';

const MAX_BUSY_MS = 10;

/** Lets others have the event loop between the steps of long work. */
export class Busy {
  #since = performance.now();

  async rest(): Promise<void> {
    if (performance.now() - this.#since < MAX_BUSY_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
