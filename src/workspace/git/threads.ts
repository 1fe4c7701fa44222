import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { removeTree } from '../remove-tree.ts';
import { startWorkerThread } from '../../lib/threads/task-thread.ts';
import { askThread, CANCELLED, unpackError } from './operations.ts';
import type {
  CachedPlace,
  GitAnswer,
  GitMessage,
  GitPlace,
  GitThreadData,
  LeaveResult,
  SaveResult,
} from './operations.ts';

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

interface WaitingCaller extends ThreadUse {
  readonly resolve: (thread: GitThread) => void;
  readonly reject: (error: Error) => void;
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
  readonly #waiting = new Set<WaitingCaller>();
  /** Whether what was known of a workspace is saved, for those that no thread has in memory. */
  readonly #saved = new Map<GitPlace, ReturnType<GitThread['leave']>>();
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
  async take(wanted: ThreadUse, signal: AbortSignal) {
    const thread = await this.#reserve(wanted, signal);
    try {
      const { place, use } = wanted;
      // What takes long keeps no workspace waiting.
      if (use === 'spare') await this.#leave(thread, { saves: true });
      const worker = place === undefined ? thread.start() : await this.#enter(thread, place);
      signal.throwIfAborted();
      return {
        worker,
        giveBack: ({ hasFailed }: { readonly hasFailed: boolean }): void => {
          thread.isSpent ||= hasFailed;
          this.#release(thread);
        },
        end: async (): Promise<void> => {
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
      const answer = await this.#askAny('other', { remove: directory });
      if (answer === undefined) await removeTree(directory);
      else if ('error' in answer) throw unpackError(answer.error);
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

  /** `undefined`: no thread could answer. */
  async #askAny(use: ThreadUse['use'], message: GitMessage): Promise<GitAnswer | undefined> {
    const { signal } = new AbortController();
    const thread = await this.take({ place: undefined, use }, signal).catch(() => undefined);
    const answering = thread && askThread<GitAnswer>(thread.worker, message, signal);
    const answer = await answering?.catch(() => undefined);
    thread?.giveBack({ hasFailed: false });
    return answer;
  }

  /**
   * Makes a spare work tree for the next workspace like this one, unless the threads have other long work. Resolves with
   * why it failed, if it did: the next workspace writes its own then.
   */
  async prepare(place: CachedPlace, commit: string): Promise<string | undefined> {
    if (this.#isClosed || [...this.#threads].some(({ use }) => isLong(use))) return undefined;
    const answer = await this.#askAny('spare', { prepare: place, commit });
    return answer !== undefined && 'error' in answer ? answer.error.message : undefined;
  }

  /** Starts a thread if none runs. */
  warm(): void {
    if (this.#isClosed || [...this.#threads].some(({ worker }) => worker)) return;
    const [stopped] = this.#threads;
    (stopped ?? this.#add()).start();
  }

  /** Ends all threads, whatever they do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { idle } of this.#threads) clearTimeout(idle);
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
    const { promise, resolve, reject } = Promise.withResolvers<GitThread>();
    const waiting: WaitingCaller = { ...wanted, resolve, reject };
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
    clearTimeout(thread.idle);
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
    thread.idle = setTimeout(endIdle, this.#maxIdleMs).unref();
  }

  async #endIdle(thread: GitThread): Promise<void> {
    const staying = [...this.#threads].filter(({ worker, use }) => worker && use !== 'ending');
    if (staying.length <= MOST_SPARE || thread.worker === undefined) return;
    this.#use(thread, 'ending');
    await this.#leave(thread, { saves: true });
    await thread.end();
    this.#release(thread);
  }

  async #enter(thread: GitThread, place: GitPlace): Promise<Worker> {
    if (thread.place === place) return thread.start();
    await this.#leave(thread, { saves: true });
    const saved = await this.#saved.get(place);
    if (saved?.isSaved === false)
      throw saved.failure === undefined
        ? new Error('the git thread that knew this workspace has ended')
        : unpackError(saved.failure);
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

const MAX_HEAP_MB = 1024;
/** Of what dies soon. A thread would take 48 MB for it, and collects its garbage aside. */
const MAX_YOUNG_MB = 16;
/** How long a thread without a call may take to let go of a workspace. */
const PATIENCE_MS = 30_000;
/** How long a thread may take to end its processes: it may be busy with files. */
const CANCEL_MS = 5_000;
const NOT_LEFT: LeaveResult = { isSaved: false, mayStay: false };

/** A git thread, which starts when a workspace enters it and again after it has ended. */
class GitThread {
  /** What has it now, if anything does. */
  use: 'transfer' | 'spare' | 'other' | 'ending' | undefined;
  /** Ends it. */
  idle: NodeJS.Timeout | undefined;
  readonly #mostKeptBytes: number;
  readonly #onLoss: (place: GitPlace) => void;
  worker: Worker | undefined;
  /** The workspace that it has in memory: the last one that it served. */
  place: GitPlace | undefined;
  /** It serves no other workspace: a failed call may have left work running in it. */
  isSpent = false;

  /** @param onLoss called with the workspace that it knew if it ends without saving that */
  constructor(mostKeptBytes: number, onLoss: (place: GitPlace) => void) {
    this.#mostKeptBytes = mostKeptBytes;
    this.#onLoss = onLoss;
  }

  start(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = startWorkerThread(new URL('./worker.ts', import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: MAX_HEAP_MB,
        maxYoungGenerationSizeMb: MAX_YOUNG_MB,
      },
      workerData: { mostKeptBytes: this.#mostKeptBytes } satisfies GitThreadData,
      name: 'git',
      stdout: true,
      stderr: true,
    });
    // Only isomorphic-git prints, and it also throws whatever it prints.
    worker.stdout.resume();
    worker.stderr.resume();
    // An error ends the thread; its `GitClient`, if any, handles that.
    worker.on('error', () => {});
    this.worker = worker;
    this.isSpent = false;
    return worker.once('exit', () => {
      const place = this.place;
      this.worker = undefined;
      this.place = undefined;
      if (place !== undefined) this.#onLoss(place);
    });
  }

  /** @param resumes whether what is known of the workspace was saved */
  enter(place: GitPlace, resumes: boolean): Worker {
    const worker = this.start();
    this.place = place;
    worker.postMessage({ enter: place, resumes } satisfies GitMessage);
    return worker;
  }

  /** Resolves with whether what it knows of its workspace is saved, when it may serve another one. */
  async leave({ saves }: { readonly saves: boolean }): Promise<SaveResult> {
    const worker = this.worker;
    this.place = undefined;
    if (worker === undefined) return NOT_LEFT;
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const left = askThread<LeaveResult>(worker, { leave: true, saves }, patience);
    // If it dies or is silent, nothing is saved.
    const { mayStay, ...saved } = await left.catch(() => NOT_LEFT);
    if (this.isSpent || !mayStay) await worker.terminate();
    return saved;
  }

  /** A thread that ends cannot end the processes that it started, so they go first. */
  async end(): Promise<void> {
    const worker = this.worker;
    const mayHaveProcesses = this.place?.engine === 'native' || this.use === 'spare';
    if (worker !== undefined && mayHaveProcesses) {
      const patience = AbortSignal.timeout(CANCEL_MS);
      const isAnswer = (heard: unknown): boolean => heard === CANCELLED;
      await askThread(worker, { cancel: true }, patience, isAnswer).catch(() => undefined);
    }
    await worker?.terminate();
  }
}

const isLong = (use: GitThread['use']): boolean => use === 'transfer' || use === 'spare';
