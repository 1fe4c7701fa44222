import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startWorkerThread } from '../../lib/worker-thread.ts';
import { LEAVE, type GitThreadData } from './operations.ts';

const MAX_HEAP_MB = 1024;
const MOST_SPARE = 2;
/** A thread without a call answers at once. */
const PATIENCE_MS = 5000;
/** After a repository that took more, a new thread is cheaper. */
const MOST_KEPT_BYTES = 96 * 1024 * 1024;

function start(mostKeptBytes: number): Worker {
  const thread = startWorkerThread(new URL('./worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    workerData: { mostKeptBytes } satisfies GitThreadData,
    name: 'git',
    stdout: true,
    stderr: true,
  });
  // Only the library prints, and everything it says there it throws as well.
  thread.stdout.resume();
  thread.stderr.resume();
  // An error ends it and rejects what it is working on, if anything.
  return thread.on('error', () => {});
}

/**
 * Git threads, each for one workspace at a time. To start one and to warm its code up takes longer than
 * a small repository is cloned in: some are kept for the next.
 */
export class GitThreads {
  /** With what forgets each of them, should it end. */
  readonly #spare = new Map<Worker, () => void>();
  readonly #mostKeptBytes: number;
  #isClosed = false;

  /** `mostKeptBytes`: a thread whose heap and buffers take more after a workspace is not kept. */
  constructor({ mostKeptBytes = MOST_KEPT_BYTES }: Partial<GitThreadData> = {}) {
    this.#mostKeptBytes = mostKeptBytes;
  }

  /** A thread that waits for its place; the caller ends it, or gives it back. */
  take(): Worker {
    const [kept] = this.#spare;
    if (kept === undefined) return start(this.#mostKeptBytes);
    const [thread, forget] = kept;
    thread.off('error', forget).off('exit', forget);
    this.#spare.delete(thread);
    return thread;
  }

  /** Gets one ready where there is none. */
  warm(): void {
    if (this.#spare.size === 0 && !this.#isClosed) this.#keep(start(this.#mostKeptBytes));
  }

  /** Takes a thread back that has no call under way; resolves when the next workspace may have it. */
  async giveBack(thread: Worker): Promise<void> {
    const hasLeft = await leave(thread);
    if (hasLeft && this.#spare.size < MOST_SPARE && !this.#isClosed) this.#keep(thread);
    else await thread.terminate();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#spare.keys()].map((thread) => thread.terminate()));
  }

  #keep(thread: Worker): void {
    const forget = (): void => void this.#spare.delete(thread);
    this.#spare.set(thread, forget);
    thread.on('error', forget).on('exit', forget);
  }
}

/** Whether the thread has forgotten its place, and is worth being kept. */
async function leave(thread: Worker): Promise<boolean> {
  const heard = new AbortController();
  const { signal } = heard;
  const patience = setTimeout(() => heard.abort(), PATIENCE_MS);
  const ends = [once(thread, 'message', { signal }), once(thread, 'exit', { signal })];
  thread.postMessage(LEAVE);
  try {
    const [answer] = (await Promise.race(ends)) as unknown[];
    return answer === LEAVE;
  } catch {
    return false;
  } finally {
    clearTimeout(patience);
    heard.abort();
    await Promise.allSettled(ends);
  }
}
