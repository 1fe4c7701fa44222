import type { Job, PgBoss } from 'pg-boss';
import { messageOf } from '../../lib/errors.ts';

interface Named {
  readonly session: string;
}

interface Running {
  readonly job: Job<Named>;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

export interface SurgeOptions {
  readonly boss: PgBoss;
  readonly queue: string;
  /** Jobs at once. */
  readonly most: number;
  /** Logs its failures. */
  readonly handler: (session: string, signal: AbortSignal) => Promise<void>;
  /** Whether there is more to do than the workers of pg-boss can. */
  readonly isPressed: () => boolean;
}

/** While all workers are busy, no notification tells of new jobs. */
const LOOK_MS = 200;
/** Well before a job without a sign of life is given to someone else. */
const BEAT_MS = 4_000;

/**
 * Handles jobs beside the workers of pg-boss while all of those are busy. More workers would do, but each of them asks for
 * a job at every notification, and once a second.
 */
export class Surge {
  readonly #options: SurgeOptions;
  readonly #running = new Map<string, Running>();
  #looking: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: SurgeOptions) {
    this.#options = options;
  }

  /** Takes jobs as long as there are some, and all workers are busy. */
  look(): void {
    clearTimeout(this.#again);
    this.#looking ??= this.#fill().finally(() => {
      this.#looking = undefined;
      const isWanted = !this.#isStopped && this.#options.isPressed();
      if (isWanted) this.#again = setTimeout(() => this.look(), LOOK_MS);
    });
  }

  /** Aborts what runs, waits for it up to `timeoutMs`, and leaves the rest to others. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#again);
    await this.#looking;
    const all = [...this.#running.values()];
    for (const { controller } of all) controller.abort(new Error('the service is stopping'));
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, timeoutMs);
    await Promise.race([Promise.all(all.map(({ done }) => done)), timeout.promise]);
    clearTimeout(timer);
    clearInterval(this.#beat);
    const { boss, queue } = this.#options;
    const left = [...this.#running.values()].map(({ job }) => job);
    // If that fails, they are others' when they show no sign of life.
    if (left.length > 0)
      await boss.fail(queue, left, { message: 'the service stopped' }).catch(() => {});
  }

  async #fill(): Promise<void> {
    const { boss, queue, most, isPressed } = this.#options;
    while (!this.#isStopped && isPressed() && this.#running.size < most) {
      const batchSize = most - this.#running.size;
      // pg-boss reports it too, and the next look is soon.
      const jobs = await boss.fetch<Named>(queue, { batchSize }).catch(() => []);
      for (const job of jobs) this.#start(job);
      if (jobs.length < batchSize) return;
    }
  }

  #start(job: Job<Named>): void {
    const controller = new AbortController();
    this.#beat ??= setInterval(() => void this.#touch(), BEAT_MS).unref();
    const done = this.#run(job, controller.signal).finally(() => {
      this.#running.delete(job.id);
      if (!this.#isStopped) this.look();
    });
    this.#running.set(job.id, { job, controller, done });
  }

  /** Never rejects. A job that cannot be settled is given to someone else when it shows no sign of life. */
  async #run(job: Job<Named>, signal: AbortSignal): Promise<void> {
    const { boss, queue, handler } = this.#options;
    const failure = await handler(job.data.session, signal).then(
      () => undefined,
      (error: unknown) => ({ message: messageOf(error) }),
    );
    const settled = failure ? boss.fail(queue, job, failure) : boss.complete(queue, job);
    await settled.catch(() => {});
  }

  async #touch(): Promise<void> {
    const { boss, queue } = this.#options;
    const all = [...this.#running.values()].map(({ job }) => job);
    if (all.length > 0) await boss.touch(queue, all).catch(() => {});
  }
}
