// Jest tells of a file once it has ended. One that hangs in a computation is ended by no time limit, so it is named while it runs.
import { relative } from 'node:path';

const EVERY_MS = 10 * 60_000;

export default class StillRunning {
  #since = new Map();
  #timer = setInterval(() => this.#tell(), EVERY_MS).unref();

  onTestFileStart({ path }) {
    this.#since.set(path, performance.now());
  }

  onTestFileResult({ path }) {
    this.#since.delete(path);
  }

  onRunComplete() {
    clearInterval(this.#timer);
  }

  #tell() {
    for (const [path, since] of this.#since) {
      const minutes = Math.round((performance.now() - since) / 60_000);
      process.stdout.write(`RUNS ${relative('', path)} for ${minutes} minutes\n`);
    }
  }
}
