import { hasCode, MergeRejected, TellPerson, Termination } from '../../lib/errors.ts';
import { measured, timed } from '../../lib/measurements.ts';
import { fetchTooSlow, notMerged } from '../../session/texts/merges.ts';
import { repositoryName, tookTooLong } from './explain-failure.ts';
import type { MissingFiles } from './engines/engine.ts';
import { askThread, unpackError } from './operations.ts';
import type {
  GitAnswer,
  GitCall,
  GitOperation,
  GitOperations,
  GitPlace,
  OperationRequest,
} from './operations.ts';
import type { GitThreads } from './threads.ts';

/** Those whose time depends on the network. */
const TRANSFERS: ReadonlySet<GitOperation> = new Set([
  'clone',
  'deepen',
  'deepenForCommands',
  'fetchMade',
  'adopt',
  'catchUp',
  'push',
  'fetchMissing',
]);

/** Whether only a merge needs it. */
const isOfMerge = ({ operation, argument }: GitCall): boolean =>
  operation === 'merge' ||
  operation === 'deepen' ||
  (operation === 'fetchMissing' && (argument as MissingFiles).isForMerge === true);

/** Milliseconds that a publication may take once the work is over. */
const PUBLISHING_MS = 10_000;

/**
 * The main thread's side of a workspace's git, which shares the git threads. Its calls are made one at a time. An aborted
 * signal or a call that times out ends the thread that serves it, and the client: all current and later calls then
 * fail, as they do after `close`.
 */
export class GitClient {
  readonly #threads: GitThreads;
  readonly #place: GitPlace;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  #previous: Promise<unknown> = Promise.resolve();
  /** How much is being published. */
  #publishing = 0;
  /** Ends it although something is being published. */
  #patience: NodeJS.Timeout | undefined;

  constructor(threads: GitThreads, place: GitPlace, signal: AbortSignal) {
    this.#threads = threads;
    this.#place = place;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  /** Ends its calls. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /** `timeoutMs` does not count waiting for a thread. @throws what the operation throws; {TellPerson} after `timeoutMs` */
  async call<K extends GitOperation>(
    operation: K,
    argument: OperationRequest<K>,
    timeoutMs: number,
  ): Promise<Awaited<ReturnType<GitOperations[K]>>> {
    const perform = () =>
      timed(
        { kind: 'git_operation', operation },
        () => this.#perform({ operation, argument }, timeoutMs),
        ({ outcome, seconds }) => measured('git_operation', { operation, outcome, seconds }),
      );
    const own = this.#previous.then(perform);
    this.#previous = own.catch(() => {});
    // The worker implements the same `GitOperations`, so the result has this type.
    return (await own) as Awaited<ReturnType<GitOperations[K]>>;
  }

  /**
   * For what others see: if the work is over meanwhile, this is not ended in the middle, when nobody could say whether it was
   * published. A server that hangs is given a few seconds; whoever publishes next finds out what came of it.
   */
  async publishing<T>(work: () => Promise<T>): Promise<T> {
    this.#publishing += 1;
    try {
      return await work();
    } finally {
      this.#publishing -= 1;
      if (this.#signal.aborted) this.#onAbort();
    }
  }

  /** Ends the client. Resolves when no thread does anything for it. */
  async close(): Promise<void> {
    this.#end(new Error('the workspace was closed'));
    await this.#previous;
    await this.#threads.forget(this.#place);
  }

  async #perform(call: GitCall, timeoutMs: number): Promise<unknown> {
    const use = TRANSFERS.has(call.operation) ? 'transfer' : 'other';
    const thread = await this.#threads.take({ place: this.#place, use }, this.#ended.signal);
    const tooSlow = (): void => this.#end(this.#tooSlow(call, timeoutMs));
    const timeout = setTimeout(tooSlow, timeoutMs);
    let answer: GitAnswer;
    try {
      answer = await askThread(thread.worker, call, this.#ended.signal);
    } catch (error) {
      this.#end(this.#ended.signal.aborted ? error : this.#explainDeath(error, call));
      await thread.end();
      throw this.#ended.signal.reason;
    } finally {
      clearTimeout(timeout);
    }
    thread.giveBack({ hasFailed: 'error' in answer });
    if ('error' in answer) throw unpackError(answer.error);
    return answer.result;
  }

  #end(reason: unknown): void {
    clearTimeout(this.#patience);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#ended.abort(reason);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal.reason;
    const end = (): void =>
      this.#end(reason instanceof Error ? reason : new Error('aborted', { cause: reason }));
    if (this.#publishing === 0 || !(reason instanceof Termination)) end();
    else this.#patience ??= setTimeout(end, PUBLISHING_MS);
  };

  #explainDeath(error: unknown, call: GitCall): Error {
    if (!hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY'))
      return new Error('the git thread failed', { cause: error });
    if (isOfMerge(call))
      return new MergeRejected(notMerged('git ran out of memory'), { cause: error });
    return new TellPerson(
      `Git ran out of memory on ${repositoryName(this.#place.remoteUrl)}. It is too large to work on here.`,
      { cause: error },
    );
  }

  #tooSlow(call: GitCall, timeoutMs: number): TellPerson {
    const { operation } = call;
    const seconds = Math.round(timeoutMs / 1000);
    if (!isOfMerge(call)) return tookTooLong(`git (${operation})`, seconds, this.#place);
    return new MergeRejected(
      operation === 'merge'
        ? notMerged(`git took more than ${seconds} seconds for it`)
        : fetchTooSlow(seconds),
    );
  }
}

/** Performs operations on a repository, and nothing else. */
export type GitCaller = Pick<GitClient, 'call'>;
