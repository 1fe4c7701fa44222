import { TellModel } from '../../../lib/errors.ts';
import type { SearchPlace } from '../place.ts';
import { TaskFailed, TaskThread, TookTooLong } from '../../../lib/task-thread.ts';
import type { Answer, Question } from '../../../contracts/search.ts';

const MAX_HEAP_MB = 512;
const MAX_SILENCE_MS = 30_000;
const MAX_WAIT_MS = 60_000;

/** Answers questions from the index of one workspace, which its own thread builds at the first question. */
export class CodeQuestions {
  readonly #place: SearchPlace;
  #thread: TaskThread<Question, Answer | undefined> | undefined;
  #failure: TellModel | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: SearchPlace) {
    this.#place = place;
  }

  /** @throws {TellModel} if the index is not ready yet, or the repository is too large for one */
  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const answer = this.#last.then(() => this.#answer(question));
    // The caller gets the error; the next question is asked regardless.
    this.#last = answer.catch(() => {});
    const timeout = AbortSignal.timeout(MAX_WAIT_MS);
    try {
      return await unlessAborted(answer, AbortSignal.any([signal, timeout]));
    } catch (error) {
      if (error !== timeout.reason) throw error;
      throw new TellModel('The index of this repository is still being made: use grep_search.');
    }
  }

  async close(): Promise<void> {
    await this.#thread?.end();
  }

  async #answer(question: Question): Promise<Answer> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#thread ??= this.#start();
    let answer: Answer | undefined;
    try {
      await this.#thread.perform(question, (part) => (answer = part ?? answer));
    } catch (error) {
      if (!(error instanceof TaskFailed || error instanceof TookTooLong)) throw error;
      const failure = new TellModel(
        `search_codebase is not available in this repository: ${error.message}. Use grep_search.`,
      );
      // Another attempt would fail the same way.
      if (this.#thread.hasEnded) this.#failure = failure;
      throw failure;
    }
    if (answer === undefined) throw new Error('the index gave no answer');
    return answer;
  }

  #start(): TaskThread<Question, Answer | undefined> {
    return new TaskThread({
      name: 'index',
      entry: new URL('./index-worker.ts', import.meta.url),
      data: this.#place,
      maxHeapMb: MAX_HEAP_MB,
      maxSilenceMs: MAX_SILENCE_MS,
    });
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
