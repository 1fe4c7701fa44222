import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { removeTree } from '../remove-tree.ts';
import { answerOf, GitThread, lossOf } from './git-thread.ts';
import { unpackError, type CachedPlace, type GitAnswer, type GitPlace } from './operations.ts';

/** As many as there are processors, within these: each costs some 20 MB. */
const THREADS = { least: 4, most: 8 };
const MOST_SPARE = 2;
const MAX_IDLE_MS = 30_000;
/** If a thread uses more memory than this, starting a new one is cheaper than keeping it. */
const MOST_KEPT_BYTES = 96 * 1024 * 1024;

const ENDED = 'the git threads have ended';

/** What a thread is wanted for. */
export interface ThreadUse {
  /** The same object for each call of a workspace; `undefined`: any thread will do. */
  readonly place: GitPlace | undefined;
  /** A transfer takes as long as the network does, and a spare work tree as long as its disk. */
  readonly use: 'transfer' | 'spare' | 'other';
}

interface Waiting extends ThreadUse {
  readonly resolve: (thread: GitThread) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that serves one workspace until it is given back or ended. */
export interface TakenThread {
  readonly worker: Worker;
  giveBack(result: { readonly hasFailed: boolean }): void;
  end(): Promise<void>;
}

/**
 * The few git threads that all workspaces of the process share. A call has a thread for itself. What the thread knows of
 * the workspace stays there between calls until another workspace needs the thread: then it is saved beside the clone,
 * and any thread can restore it. Transfers never have all threads, so that a slow server delays only them.
 */
export class GitThreads {
  readonly size: number;
  readonly #mostKeptBytes: number;
  readonly #maxIdleMs: number;
  /** The one that was used last is the last one. */
  readonly #threads = new Set<GitThread>();
  /** Directories that could not be removed. */
  readonly #left = new Set<string>();
  readonly #waiting = new Set<Waiting>();
  /** Whether what was known of a workspace is saved, for those that no thread has in memory. */
  readonly #saved = new Map<GitPlace, ReturnType<GitThread['leave']>>();
  readonly #idle = new Map<GitThread, NodeJS.Timeout>();
  #isClosed = false;

  /** A thread whose heap and buffers exceed `mostKeptBytes` after a workspace is not kept. */
  constructor({
    size = Math.min(Math.max(availableParallelism(), THREADS.least), THREADS.most),
    mostKeptBytes = MOST_KEPT_BYTES,
    maxIdleMs = MAX_IDLE_MS,
  } = {}) {
    this.size = size;
    this.#mostKeptBytes = mostKeptBytes;
    this.#maxIdleMs = maxIdleMs;
  }

  /**
   * Resolves with a thread that knows the workspace. Those who wait for one get it in order.
   * @throws the reason of the signal; {Error} if the thread that knew the workspace has died
   */
  async take(wanted: ThreadUse, signal: AbortSignal): Promise<TakenThread> {
    const thread = await this.#reserve(wanted, signal);
    try {
      const { place, use } = wanted;
      // What takes long keeps no workspace waiting.
      if (use === 'spare') await this.#leave(thread, { saves: true });
      const worker = place === undefined ? thread.start() : await this.#enter(thread, place);
      signal.throwIfAborted();
      return {
        worker,
        giveBack: ({ hasFailed }) => {
          if (hasFailed) thread.spend();
          this.#release(thread);
        },
        end: async () => {
          await thread.end();
          this.#release(thread);
        },
      };
    } catch (error) {
      this.#release(thread);
      throw error;
    }
  }

  /** Call when a workspace closes, after its last call. Resolves when no thread does anything for it. */
  async forget(place: GitPlace): Promise<void> {
    for (const thread of this.#threads) {
      if (thread.place !== place || thread.use !== undefined) continue;
      this.#use(thread, 'other');
      await this.#leave(thread, { saves: false });
      this.#release(thread);
    }
    await this.#saved.get(place);
    this.#saved.delete(place);
  }

  /**
   * Removes a directory in a thread: starting the program that does it stops a thread, and the main one answers people.
   * @throws as `removeTree` does
   */
  async remove(directory: string): Promise<void> {
    await this.#removeLeft();
    try {
      await this.#remove(directory);
    } catch (error) {
      this.#left.add(directory);
      throw error;
    }
  }

  /** Once more, because the machine may have lacked something then. The next start says what stays after that. */
  async #removeLeft(): Promise<void> {
    const left = [...this.#left];
    this.#left.clear();
    for (const directory of left) await removeTree(directory).catch(() => undefined);
  }

  async #remove(directory: string): Promise<void> {
    const answer = await this.#askToRemove(directory).catch(() => undefined);
    if (answer === undefined) await removeTree(directory);
    else if ('error' in answer) throw unpackError(answer.error);
  }

  async #askToRemove(directory: string): Promise<GitAnswer> {
    const { signal } = new AbortController();
    const thread = await this.take({ place: undefined, use: 'other' }, signal);
    try {
      return await answerOf(thread.worker, { remove: directory }, signal);
    } finally {
      thread.giveBack({ hasFailed: false });
    }
  }

  /**
   * Makes a spare work tree for the next workspace like this one, unless the threads have other long work. Resolves with
   * why it failed, if it did: the next workspace writes its own then.
   */
  async prepare(place: CachedPlace, commit: string): Promise<string | undefined> {
    if (this.#isClosed || [...this.#threads].some(({ use }) => isLong(use))) return undefined;
    const { signal } = new AbortController();
    const wanted = { place: undefined, use: 'spare' } as const;
    const thread = await this.take(wanted, signal).catch(() => undefined);
    const answering = thread && answerOf(thread.worker, { prepare: place, commit }, signal);
    const answer = await answering?.catch(() => undefined);
    thread?.giveBack({ hasFailed: false });
    return answer !== undefined && 'error' in answer ? answer.error.message : undefined;
  }

  /** Starts a thread if none runs. */
  warm(): void {
    if (this.#isClosed || [...this.#threads].some(({ isRunning }) => isRunning)) return;
    const [stopped] = this.#threads;
    (stopped ?? this.#add()).start();
  }

  /** Ends all threads, whatever they do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    for (const { reject } of this.#waiting) reject(new Error(ENDED));
    this.#waiting.clear();
    await Promise.all([...this.#threads].map((thread) => thread.end()));
    await this.#removeLeft();
  }

  #add(): GitThread {
    const thread = new GitThread(this.#mostKeptBytes, (place) =>
      this.#saved.set(place, Promise.resolve({ isSaved: false })),
    );
    this.#threads.add(thread);
    return thread;
  }

  #reserve(wanted: ThreadUse, signal: AbortSignal): Promise<GitThread> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error(ENDED);
    const thread = this.#choose(wanted);
    if (thread !== undefined) return Promise.resolve(this.#use(thread, wanted.use));
    return this.#wait(wanted, signal);
  }

  #wait(wanted: ThreadUse, signal: AbortSignal): Promise<GitThread> {
    const { promise, resolve, reject } = Promise.withResolvers<GitThread>();
    const waiting: Waiting = { ...wanted, resolve, reject };
    const onAbort = (): void => {
      // At once: it must not get a thread after this.
      this.#waiting.delete(waiting);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(waiting);
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #choose({ place, use }: ThreadUse): GitThread | undefined {
    const all = [...this.#threads];
    const transfers = all.filter((thread) => isLong(thread.use)).length;
    if (isLong(use) && transfers >= Math.max(1, this.size - 1)) return undefined;
    const own = all.find((thread) => place !== undefined && thread.place === place);
    // Only that one knows the workspace, also while it removes a directory.
    if (own !== undefined) return own.use === undefined ? own : undefined;
    const free = all.filter((thread) => thread.use === undefined);
    return (
      free.findLast((thread) => thread.place === undefined) ??
      (all.length < this.size ? this.#add() : free[0])
    );
  }

  #use(thread: GitThread, use: GitThread['use']): GitThread {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
    thread.use = use;
    return thread;
  }

  #release(thread: GitThread): void {
    thread.use = undefined;
    this.#threads.delete(thread);
    this.#threads.add(thread);
    for (const waiting of this.#waiting) {
      const free = this.#choose(waiting);
      if (free === undefined) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(this.#use(free, waiting.use));
    }
    if (thread.use !== undefined || this.#isClosed) return;
    const endIdle = (): void => void this.#endIdle(thread);
    this.#idle.set(thread, setTimeout(endIdle, this.#maxIdleMs).unref());
  }

  async #endIdle(thread: GitThread): Promise<void> {
    const staying = [...this.#threads].filter(
      ({ isRunning, use }) => isRunning && use !== 'ending',
    );
    if (staying.length <= MOST_SPARE || !thread.isRunning) return;
    this.#use(thread, 'ending');
    await this.#leave(thread, { saves: true });
    await thread.end();
    this.#release(thread);
  }

  async #enter(thread: GitThread, place: GitPlace): Promise<Worker> {
    if (thread.place === place) return thread.start();
    await this.#leave(thread, { saves: true });
    const saved = await this.#saved.get(place);
    if (saved?.isSaved === false) throw lossOf(saved);
    this.#saved.delete(place);
    return thread.enter(place, saved !== undefined);
  }

  async #leave(thread: GitThread, how: { readonly saves: boolean }): Promise<void> {
    const { place } = thread;
    if (place === undefined) return;
    const saving = thread.leave(how);
    this.#saved.set(place, saving);
    await saving;
  }
}

const isLong = (use: GitThread['use']): boolean => use === 'transfer' || use === 'spare';
