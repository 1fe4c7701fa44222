import { setImmediate as nextTurn } from 'node:timers/promises';

const MAX_SLICE_MS = 10;

/** Keeps long computations from blocking the event loop. */
export class TimeSlice {
  #since = performance.now();

  /** Yields to the event loop if more than 10 ms have passed since it last did. */
  async yieldIfOver(): Promise<void> {
    if (performance.now() - this.#since < MAX_SLICE_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
