import type { Worker } from 'node:worker_threads';
import { hasCode, TellPerson } from '../../lib/errors.ts';
import { repositoryName } from './explain-failure.ts';
import { unpackError } from './operations.ts';
import type { GitAnswer, GitOperation, GitOperations, GitPlace } from './operations.ts';

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * The main thread's side of the git thread. An aborted signal or a call that times out ends the thread.
 * All current and later calls then fail, as they do after `close`.
 */
export class GitClient {
  readonly #worker: Worker;
  readonly #place: GitPlace;
  readonly #signal: AbortSignal;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #hasFailed = false;
  #ended: Error | undefined;
  #terminated: Promise<unknown> | undefined;

  /** The client owns `thread` until it is closed. */
  constructor(thread: Worker, place: GitPlace, signal: AbortSignal) {
    this.#place = place;
    this.#signal = signal;
    this.#worker = thread;
    this.#worker.postMessage(place);
    this.#worker.on('message', this.#onAnswer).on('error', this.#onError).on('exit', this.#onExit);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  /** @throws what the operation throws; {TellPerson} after `timeoutMs` */
  async call<K extends GitOperation>(
    operation: K,
    argument: Parameters<GitOperations[K]>[0],
    timeoutMs: number,
  ): Promise<Awaited<ReturnType<GitOperations[K]>>> {
    if (this.#ended !== undefined) throw this.#ended;
    const id = this.#nextId;
    this.#nextId += 1;
    const timer = setTimeout(() => this.#end(this.#tooSlow(operation, timeoutMs)), timeoutMs);
    try {
      const result = await new Promise<unknown>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        this.#worker.postMessage({ id, operation, argument });
      });
      // The worker implements the same `GitOperations`, so the result has this type.
      return result as Awaited<ReturnType<GitOperations[K]>>;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  /**
   * Ends the client. Resolves with the thread if another workspace may use it: no call is in progress and
   * none has failed, since a failed call may leave work running.
   */
  async close(): Promise<Worker | undefined> {
    const isFree = this.#ended === undefined && !this.#hasFailed && this.#pending.size === 0;
    const reason = new Error('the workspace was closed');
    if (isFree) return this.#giveUp(reason);
    this.#end(reason);
    await this.#terminated;
    return undefined;
  }

  #giveUp(reason: Error): Worker {
    this.#leave(reason);
    const thread = this.#worker.off('message', this.#onAnswer);
    return thread.off('error', this.#onError).off('exit', this.#onExit);
  }

  #end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#leave(reason);
    this.#terminated = this.#worker.terminate();
  }

  #leave(reason: Error): void {
    this.#ended = reason;
    this.#signal.removeEventListener('abort', this.#onAbort);
    for (const pending of this.#pending.values()) pending.reject(reason);
  }

  readonly #onAnswer = (answer: GitAnswer): void => {
    const pending = this.#pending.get(answer.id);
    if ('error' in answer) {
      this.#hasFailed = true;
      pending?.reject(unpackError(answer.error));
    } else pending?.resolve(answer.result);
  };

  readonly #onError = (error: unknown): void => this.#end(this.#explainDeath(error));

  readonly #onExit = (): void => this.#end(new Error('the git thread has ended'));

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal.reason;
    this.#end(reason instanceof Error ? reason : new Error('aborted', { cause: reason }));
  };

  #explainDeath(error: unknown): Error {
    if (!hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY'))
      return new Error('the git thread failed', { cause: error });
    return new TellPerson(
      `Git ran out of memory on ${repositoryName(this.#place.remoteUrl)}. It is too large to work on here.`,
      { cause: error },
    );
  }

  #tooSlow(operation: GitOperation, timeoutMs: number): TellPerson {
    return new TellPerson(
      `Git (${operation}) took more than ${Math.round(timeoutMs / 1000)} seconds on ` +
        `${repositoryName(this.#place.remoteUrl)} and was stopped. ` +
        'Request the work again to retry. If it keeps happening, the repository is too large to work on here.',
    );
  }
}
