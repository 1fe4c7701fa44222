import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startWorkerThread } from '../../lib/threads/task-thread.ts';
import {
  CANCELLED,
  unpackError,
  type GitAnswer,
  type GitMessage,
  type GitPlace,
  type GitThreadData,
  type Left,
  type Saved,
} from './operations.ts';

const MAX_HEAP_MB = 1024;
/** Of what dies soon. A thread would take 48 MB for it, and collects its garbage aside. */
const MAX_YOUNG_MB = 16;
/** How long a thread without a call may take to let go of a workspace. */
const PATIENCE_MS = 30_000;

function startThread(mostKeptBytes: number): Worker {
  const thread = startWorkerThread(new URL('./worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
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

/** A git thread, which starts when a workspace enters it and again after it has ended. */
export class GitThread {
  /** What has it now, if anything does. */
  use: 'transfer' | 'spare' | 'other' | 'ending' | undefined;
  readonly #mostKeptBytes: number;
  readonly #onLoss: (place: GitPlace) => void;
  #worker: Worker | undefined;
  #place: GitPlace | undefined;
  #isSpent = false;

  /**
   * @param mostKeptBytes if its heap and buffers exceed this after a workspace, it ends
   * @param onLoss called with the workspace that it knew if it ends without saving that
   */
  constructor(mostKeptBytes: number, onLoss: (place: GitPlace) => void) {
    this.#mostKeptBytes = mostKeptBytes;
    this.#onLoss = onLoss;
  }

  /** The workspace that it has in memory: the last one that it served. */
  get place(): GitPlace | undefined {
    return this.#place;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = startThread(this.#mostKeptBytes);
    this.#worker = worker;
    this.#isSpent = false;
    return worker.once('exit', () => {
      const place = this.#place;
      this.#worker = undefined;
      this.#place = undefined;
      if (place !== undefined) this.#onLoss(place);
    });
  }

  /** @param resumes whether what is known of the workspace was saved */
  enter(place: GitPlace, resumes: boolean): Worker {
    const worker = this.start();
    this.#place = place;
    worker.postMessage({ enter: place, resumes } satisfies GitMessage);
    return worker;
  }

  /** It serves no other workspace: a failed call may have left work running in it. */
  spend(): void {
    this.#isSpent = true;
  }

  /** Resolves with whether what it knows of its workspace is saved, when it may serve another one. */
  async leave({ saves }: { readonly saves: boolean }): Promise<Saved> {
    const worker = this.#worker;
    this.#place = undefined;
    if (worker === undefined) return NOT_LEFT;
    const { mayStay, ...saved } = await leave(worker, saves);
    if (this.#isSpent || !mayStay) await worker.terminate();
    return saved;
  }

  /** A thread that ends cannot end the processes that it started, so they go first. */
  async end(): Promise<void> {
    const worker = this.#worker;
    const mayHaveProcesses = this.#place?.engine === 'native' || this.use === 'spare';
    if (worker !== undefined && mayHaveProcesses) await cancel(worker);
    await worker?.terminate();
  }
}

/** Why a workspace whose thread could not save it has to end. */
export const lossOf = ({ failure }: Saved): Error =>
  failure === undefined
    ? new Error('the git thread that knew this workspace has ended')
    : unpackError(failure);

/** The answer to a call or a removal. Rejects if the thread ends, or with the reason of the signal. */
export async function answerOf(
  thread: Worker,
  message: GitMessage,
  signal: AbortSignal,
): Promise<GitAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>();
  const onAbort = (): void => reject(signal.reason as Error);
  const onExit = (): void => reject(new Error('it has ended'));
  signal.addEventListener('abort', onAbort, { once: true });
  thread.on('message', resolve).on('error', reject).on('exit', onExit);
  try {
    if (signal.aborted) onAbort();
    else thread.postMessage(message);
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    thread.off('message', resolve).off('error', reject).off('exit', onExit);
  }
}

/** How long a thread may take to end its processes: it may be busy with files. */
const CANCEL_MS = 5_000;

async function cancel(thread: Worker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hear = (message: unknown): void => {
    if (message === CANCELLED) resolve();
  };
  const patience = setTimeout(resolve, CANCEL_MS);
  thread.on('message', hear).on('exit', resolve).on('error', resolve);
  thread.postMessage({ cancel: true } satisfies GitMessage);
  await promise;
  clearTimeout(patience);
  thread.off('message', hear).off('exit', resolve).off('error', resolve);
}

/** If the thread dies or is silent, nothing is saved. */
async function leave(thread: Worker, saves: boolean): Promise<Left> {
  const heard = new AbortController();
  const { signal } = heard;
  const patience = setTimeout(() => heard.abort(), PATIENCE_MS);
  const ends = [once(thread, 'message', { signal }), once(thread, 'exit', { signal })];
  thread.postMessage({ leave: true, saves } satisfies GitMessage);
  try {
    const [answer] = (await Promise.race(ends)) as unknown[];
    return typeof answer === 'object' && answer !== null ? (answer as Left) : NOT_LEFT;
  } catch {
    return NOT_LEFT;
  } finally {
    clearTimeout(patience);
    heard.abort();
    await Promise.allSettled(ends);
  }
}

const NOT_LEFT: Left = { isSaved: false, mayStay: false };
