import { lstatSync, utimesSync, writeFileSync } from 'node:fs';

/** Of file systems whose times are finer than this. */
const TICK_MS = 50;

const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/** The clock that a file system gives its files their times by. It may lag behind that of the machine. */
export class FileClock {
  readonly #path: string;

  /** @param path of a file of its own, on that file system */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Waits until a change that is made now looks different from one made before. Returns a time in nanoseconds since
   * 1970: earlier changes have an earlier one, later changes have this or a later one.
   */
  tick(): bigint {
    writeFileSync(this.#path, '');
    const before = this.#now();
    let now = this.#now();
    for (let waited = 0; now === before && waited < TICK_MS; waited += 1) {
      Atomics.wait(SLEEPER, 0, 0, 1);
      now = this.#now();
    }
    return now;
  }

  #now(): bigint {
    utimesSync(this.#path, 0, 0);
    return lstatSync(this.#path, { bigint: true }).ctimeNs;
  }
}
