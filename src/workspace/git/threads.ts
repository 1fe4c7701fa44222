import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startWorkerThread } from '../../lib/threads/worker-thread.ts';
import { LEAVE, type GitThreadData } from './operations.ts';

const MAX_HEAP_MB = 1024;
const MOST_SPARE = 2;
/** How long to wait for a reply to `LEAVE`; an idle thread replies at once. */
const PATIENCE_MS = 5000;
/** If a thread uses more memory than this, starting a new one is cheaper than keeping it. */
const MOST_KEPT_BYTES = 96 * 1024 * 1024;

function start(mostKeptBytes: number): Worker {
  const thread = startWorkerThread(new URL('./worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    workerData: { mostKeptBytes } satisfies GitThreadData,
    name: 'git',
    stdout: true,
    stderr: true,
  });
  // Only isomorphic-git prints, and it also throws whatever it prints.
  thread.stdout.resume();
  thread.stderr.resume();
  // An error ends the thread; its `GitClient`, if any, handles that.
  return thread.on('error', () => {});
}

/**
 * A pool of git threads, each used by one workspace at a time. Starting and warming up a thread takes
 * longer than cloning a small repository, so some are kept.
 */
export class GitThreads {
  /** Each with the listener that removes it if it ends. */
  readonly #spare = new Map<Worker, () => void>();
  readonly #mostKeptBytes: number;
  #isClosed = false;

  /** A thread whose heap and buffers exceed `mostKeptBytes` after a workspace is not kept. */
  constructor({ mostKeptBytes = MOST_KEPT_BYTES }: Partial<GitThreadData> = {}) {
    this.#mostKeptBytes = mostKeptBytes;
  }

  /** Returns an idle thread. The caller ends it or gives it back. */
  take(): Worker {
    const [kept] = this.#spare;
    if (kept === undefined) return start(this.#mostKeptBytes);
    const [thread, forget] = kept;
    thread.off('error', forget).off('exit', forget);
    this.#spare.delete(thread);
    return thread;
  }

  /** Starts a spare thread if there is none. */
  warm(): void {
    if (this.#spare.size === 0 && !this.#isClosed) this.#keep(start(this.#mostKeptBytes));
  }

  /** Takes back a thread with no call in progress. Resolves when another workspace may use it. */
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

/** Whether the thread is ready for another workspace and small enough to keep. */
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
