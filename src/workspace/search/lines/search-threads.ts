import { availableParallelism } from 'node:os';
import { TaskThread } from '../../../lib/threads/task-thread.ts';
import type { SearchTask, TaskParts } from './tasks.ts';
import type { FilesIn } from '../walk.ts';

const MAX_THREADS = 4;
const MAX_HEAP_MB = 256;
/** More than the largest file takes, unless an expression backtracks without end. */
const MAX_SILENCE_MS = 3000;
const MAX_IDLE_MS = 30_000;

/** Files to search, in parts: each is the work of one thread. */
export type FileParts = readonly (readonly FilesIn[])[];

type SearchThread = TaskThread<SearchTask, TaskParts[keyof TaskParts]>;

/**
 * The few threads that all searches of the process share, first come first served. Threads are started
 * when needed, and ended when all have been idle for a while.
 */
export class SearchThreads {
  readonly size: number;
  readonly #maxSilenceMs: number;
  readonly #free: SearchThread[] = [];
  readonly #waiting: ((thread: SearchThread) => void)[] = [];
  #taken = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor({
    size = Math.min(availableParallelism(), MAX_THREADS),
    maxSilenceMs = MAX_SILENCE_MS,
  } = {}) {
    this.size = size;
    this.#maxSilenceMs = maxSilenceMs;
  }

  /** @throws like `TaskThread.perform` */
  async run<K extends SearchTask['kind']>(
    task: Extract<SearchTask, { kind: K }>,
    onPart: (part: TaskParts[K]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const thread = await this.#take();
    try {
      signal.throwIfAborted();
      // The parts of an answer have the kind of their task.
      await thread.perform(task, (part) => onPart(part as TaskParts[K]), signal);
    } finally {
      this.#giveBack(thread);
    }
  }

  /** Performs the work for each part, in order and on as many threads as there are. Once some failed, no further part is begun. */
  async onAll(parts: FileParts, work: (part: FileParts[number]) => Promise<void>): Promise<void> {
    const left = [...parts];
    const workOff = async (): Promise<void> => {
      for (let part = left.shift(); part !== undefined; part = left.shift()) await work(part);
    };
    try {
      await Promise.all(Array.from({ length: this.size }, workOff));
    } finally {
      left.length = 0;
    }
  }

  /** Ends the idle threads. */
  async endIdle(): Promise<void> {
    clearTimeout(this.#idle);
    await Promise.all(this.#free.splice(0).map((thread) => thread.end()));
  }

  async #take(): Promise<SearchThread> {
    clearTimeout(this.#idle);
    if (this.#taken === this.size)
      return new Promise((resolve) => {
        this.#waiting.push(resolve);
      });
    this.#taken += 1;
    const free = this.#free.pop();
    return free === undefined || free.hasEnded ? this.#start() : free;
  }

  #giveBack(used: SearchThread): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next(used.hasEnded ? this.#start() : used);
      return;
    }
    this.#taken -= 1;
    if (!used.hasEnded) this.#free.push(used);
    if (this.#taken === 0) this.#idle = setTimeout(() => void this.endIdle(), MAX_IDLE_MS).unref();
  }

  #start(): SearchThread {
    return new TaskThread({
      name: 'search',
      entry: new URL('./search-worker.ts', import.meta.url),
      maxHeapMb: MAX_HEAP_MB,
      maxSilenceMs: this.#maxSilenceMs,
    });
  }
}
