import type { Worker } from 'node:worker_threads';
import { startThread } from '../../lib/thread.ts';

const MAX_HEAP_MB = 1024;

function start(): Worker {
  const thread = startThread(new URL('./worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    name: 'git',
    stdout: true,
    stderr: true,
  });
  // Only the library prints, and everything it says there it throws as well.
  thread.stdout.resume();
  thread.stderr.resume();
  return thread;
}

/**
 * Git threads, each for one workspace. To start one takes some time, which a small
 * repository would wait for until the agent can begin: one is kept ready for the next.
 */
export class GitThreads {
  #spare: Worker | undefined;
  #isClosed = false;

  /** A thread that waits for its place; the caller ends it. */
  take(): Worker {
    const thread = this.#spare ?? start();
    this.#spare = undefined;
    thread.off('error', this.#drop).off('exit', this.#drop);
    return thread;
  }

  /** Gets the next one ready. */
  warm(): void {
    if (this.#spare !== undefined || this.#isClosed) return;
    this.#spare = start().on('error', this.#drop).on('exit', this.#drop);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#spare?.terminate();
  }

  readonly #drop = (): void => {
    this.#spare = undefined;
  };
}
