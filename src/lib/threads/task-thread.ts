import { extname } from 'node:path';
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads';
import { hasCode, messageOf } from '../errors.ts';

/** A task sent nothing for too long, and its thread was terminated. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** The task failed; the message is the engine's own. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
}

interface ThreadOptions extends Pick<WorkerOptions, 'env' | 'execArgv'> {
  readonly name: string;
  /** A module that calls `serveTasks`. */
  readonly entry: URL;
  readonly data?: unknown;
  readonly maxHeapMb: number;
  /** The longest time a task may take between two parts of its answer, once the thread has started. */
  readonly maxSilenceMs: number;
}

/** A thread loads its modules first, which takes seconds on a busy machine. */
const MAX_START_MS = 30_000;

interface CurrentTask<Part> {
  readonly onPart: (part: Part) => void;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  silence: NodeJS.Timeout;
}

/** A thread that performs one task at a time. It keeps the process alive only while it does. */
export class TaskThread<Task, Part> {
  readonly #name: string;
  readonly #worker: Worker;
  readonly #maxSilenceMs: number;
  #hasStarted = false;
  /** Messages of the thread so far. */
  #heard = 0;
  #current: CurrentTask<Part> | undefined;
  #ended: Error | undefined;

  constructor({ name, entry, data, maxHeapMb, maxSilenceMs, ...options }: ThreadOptions) {
    this.#name = name;
    this.#maxSilenceMs = maxSilenceMs;
    this.#worker = startWorkerThread(entry, {
      ...options,
      name,
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
    this.#worker.on('message', (answer: TaskAnswer<Part>) => this.#take(answer));
    this.#worker.on('error', (error) => this.#end(explain(error, name)));
    this.#worker.on('exit', () => this.#end(new Error(`the ${name} thread has ended`)));
    this.#worker.unref();
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Passes each part of the answer to `onPart`. If the task is aborted or sends nothing for too long, the
   * thread is terminated.
   * @throws {TookTooLong | TaskFailed} or the reason of the signal
   */
  async perform(task: Task, onPart: (part: Part) => void, signal?: AbortSignal): Promise<void> {
    const onAbort = (): void => {
      const reason: unknown = signal?.reason;
      this.#end(reason instanceof Error ? reason : new Error('aborted', { cause: reason }));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        if (this.#ended !== undefined) return reject(this.#ended);
        this.#current = { onPart, resolve, reject, silence: this.#endAfterSilence() };
        this.#worker.ref();
        return this.#worker.postMessage(task);
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
      clearTimeout(this.#current?.silence);
      this.#current = undefined;
      this.#worker.unref();
    }
  }

  /** Terminates the thread and its task. */
  async end(): Promise<void> {
    this.#end(new Error(`the ${this.#name} thread was ended`));
    await this.#worker.terminate();
  }

  #endAfterSilence(): NodeJS.Timeout {
    return setTimeout(
      () => this.#endUnlessHeard(),
      this.#hasStarted ? this.#maxSilenceMs : MAX_START_MS,
    );
  }

  /** If this process was busy, messages may wait that are older than the timer. They are taken before `setImmediate`. */
  #endUnlessHeard(): void {
    const heard = this.#heard;
    setImmediate(() => {
      if (this.#heard === heard) this.#end(new TookTooLong('it ran for too long'));
    });
  }

  #take(answer: TaskAnswer<Part>): void {
    this.#heard += 1;
    if ('started' in answer) return this.#start();
    this.#current?.silence.refresh();
    if ('part' in answer) this.#current?.onPart(answer.part);
    else if ('fault' in answer) this.#current?.reject(new TaskFailed(answer.fault));
    else this.#current?.resolve();
  }

  #start(): void {
    this.#hasStarted = true;
    if (this.#current === undefined) return;
    clearTimeout(this.#current.silence);
    this.#current.silence = this.#endAfterSilence();
  }

  #end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#current?.reject(reason);
    void this.#worker.terminate();
  }
}

function explain(error: unknown, name: string): Error {
  return hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY')
    ? new TaskFailed('it needs too much memory')
    : new Error(`the ${name} thread failed`, { cause: error });
}

/** The messages of a thread: that it has started, then about each task parts of the result and `done` or a fault. */
export type TaskAnswer<Part> =
  | { readonly started: true }
  | { readonly part: Part }
  | { readonly done: true }
  | { readonly fault: string };

/** The worker's side of a `TaskThread`: performs each task it receives. */
export function serveTasks<Task, Part>(
  perform: (task: Task) => Iterable<Part> | AsyncIterable<Part>,
): void {
  const post = (answer: TaskAnswer<Part>): void => parentPort?.postMessage(answer);
  const serve = async (task: Task): Promise<void> => {
    try {
      for await (const part of perform(task)) post({ part });
      post({ done: true });
    } catch (error) {
      post({ fault: messageOf(error) });
    }
  };
  parentPort?.on('message', (task: Task) => void serve(task));
  post({ started: true });
}

const ENTRY = new URL('./worker-thread-entry.js', import.meta.url);
/** In the package, modules are compiled: `.js`. */
const EXTENSION = extname(import.meta.filename);

/**
 * Starts a worker thread that runs the module at `entry`. It uses the compile cache: a thread with few
 * imports is ready in a third of the time that a bare `Worker` needs.
 */
export const startWorkerThread = (entry: URL, options: Omit<WorkerOptions, 'argv'>): Worker =>
  new Worker(ENTRY, { ...options, argv: [entry.href.replace(/\.ts$/, EXTENSION)] });
