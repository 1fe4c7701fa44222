import { parentPort, type Worker } from 'node:worker_threads';
import { hasCode, messageOf } from '../../lib/errors.ts';
import { startWorkerThread } from '../../lib/worker-thread.ts';

/** One step of a task took longer than it may: the thread was ended in the middle of it. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** The task cannot be done; the message says why, in the engine's words. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
}

export interface ThreadOptions {
  /** A module that calls `serveTasks`. */
  readonly entry: URL;
  readonly data?: unknown;
  readonly maxHeapMb: number;
  /** How long a task may go on without a part of its answer. */
  readonly maxSilenceMs: number;
}

interface Current<Part> {
  readonly onPart: (part: Part) => void;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly silence: NodeJS.Timeout;
}

/** A thread that does one task at a time. It keeps the process alive only while it does. */
export class TaskThread<Task, Part> {
  readonly #worker: Worker;
  readonly #maxSilenceMs: number;
  #current: Current<Part> | undefined;
  #ended: Error | undefined;

  constructor({ entry, data, maxHeapMb, maxSilenceMs }: ThreadOptions) {
    this.#maxSilenceMs = maxSilenceMs;
    this.#worker = startWorkerThread(entry, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      name: 'search',
    });
    this.#worker.on('message', (answer: TaskAnswer<Part>) => this.#take(answer));
    this.#worker.on('error', (error) => this.#end(explain(error)));
    this.#worker.on('exit', () => this.#end(new Error('the search thread has ended')));
    this.#worker.unref();
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Gives each part of the answer to `onPart`. An aborted task, and one that is silent for too long, ends
   * with the thread.
   * @throws {TookTooLong | TaskFailed} or the reason of the signal
   */
  async perform(task: Task, onPart: (part: Part) => void, signal?: AbortSignal): Promise<void> {
    const onAbort = (): void => this.#end(asError(signal?.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        if (this.#ended !== undefined) return reject(this.#ended);
        const silence = setTimeout(
          () => this.#end(new TookTooLong('it went on for too long')),
          this.#maxSilenceMs,
        );
        this.#current = { onPart, resolve, reject, silence };
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

  /** Ends the thread, and what it does. */
  async end(): Promise<void> {
    this.#end(new Error('the search thread was ended'));
    await this.#worker.terminate();
  }

  #take(answer: TaskAnswer<Part>): void {
    this.#current?.silence.refresh();
    if ('part' in answer) this.#current?.onPart(answer.part);
    else if ('fault' in answer) this.#current?.reject(new TaskFailed(answer.fault));
    else this.#current?.resolve();
  }

  #end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#current?.reject(reason);
    void this.#worker.terminate();
  }
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error('aborted', { cause: reason });

function explain(error: unknown): Error {
  return hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY')
    ? new TaskFailed('it needs too much memory')
    : new Error('the search thread failed', { cause: error });
}

/** What a thread answers to one task: parts of a result, then that it is done or what went wrong. */
export type TaskAnswer<Part> =
  | { readonly part: Part }
  | { readonly done: true }
  | { readonly fault: string };

/** The thread's end of a `TaskThread`: performs each task as it comes. */
export function serveTasks<Task, Part>(perform: (task: Task) => Iterable<Part>): void {
  const post = (answer: TaskAnswer<Part>): void => parentPort?.postMessage(answer);
  parentPort?.on('message', (task: Task) => {
    try {
      for (const part of perform(task)) post({ part });
      post({ done: true });
    } catch (error) {
      post({ fault: messageOf(error) });
    }
  });
}
