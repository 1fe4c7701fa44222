// What an operator should hear of: noticed by every process, kept in the database, told once.
import type { Logger } from 'pino';
import { dayOf, monthOf, SHARED_BUDGETS, type Budgets } from '../../agent/limits.ts';
import type { ProblemCause, SeenProblem } from '../../contracts/service.ts';
import { sharedNow, sharedTime } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { onMeasured, type Measurements } from '../../lib/measurements.ts';
import { day, dollars } from '../../session/texts/format.ts';
import type { OpenStore } from '../../store/open.ts';
import type { UsedUpBudget } from '../../store/spending.ts';
import type { Notify } from '../../telemetry/notify.ts';
import { spellCommand } from '../../lib/program-name.ts';

interface ProblemWatchParts {
  readonly store: Pick<OpenStore, 'problems' | 'figures' | 'budgetsUsedUp'>;
  readonly budgets: Budgets;
  /** Those that this process has keys for. */
  readonly services: readonly string[];
  /** `undefined`: nobody is told; `issuewright doctor` and the metrics show problems all the same. */
  readonly notify: Notify | undefined;
  readonly log: Logger;
}

const INTERVAL_MS = 30_000;
/** As in docs/alerts.yaml. */
const LONGEST_WAIT_SECONDS = 600;
const WEBHOOKS = 'webhooks';

/** Problems that this process notices in what it does, until that works again. */
const ENCOUNTERED = {
  key_rejected: (subject: string) =>
    `${subject} rejected the key. Check it, or replace it: docs/operations.md, "Replacing keys".`,
  quota_used_up: (subject: string) =>
    `The quota at ${subject} is used up. Check your plan and billing there.`,
  deliveries_fail: () =>
    `Webhooks of GitHub fail. What was missed is fetched later. \`${spellCommand('doctor')}\` says what helps.`,
} as const;

type EncounteredProblem = keyof typeof ENCOUNTERED;

const OF_KEYS = ['key_rejected', 'quota_used_up'] as const;

export class ProblemWatch {
  readonly #parts: ProblemWatchParts;
  readonly #stops: (() => void)[] = [];
  /** What failed since the last look. */
  #failed = new Map<string, SeenProblem & { readonly at: Date }>();
  /** What worked last, and when. */
  readonly #worked = new Map<
    string,
    { readonly cause: EncounteredProblem; readonly subject: string; readonly at: Date }
  >();
  #looking: Promise<void> | undefined;
  #hasLooked = false;

  constructor(parts: ProblemWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.listen();
    const timer = setInterval(() => {
      this.#looking ??= this.look().finally(() => {
        this.#looking = undefined;
      });
    }, INTERVAL_MS);
    this.#stops.push(() => clearInterval(timer));
  }

  /** Notices what this process encounters. */
  listen(): void {
    this.#stops.push(
      onMeasured('credentials', (answer) => this.#hear(answer)),
      onMeasured('delivery', ({ outcome }) => {
        if (outcome === 'failed') this.#fails('deliveries_fail', WEBHOOKS);
        if (outcome === 'accepted') this.#works('deliveries_fail', WEBHOOKS);
      }),
      onMeasured('missed_events', () => this.#fails('deliveries_fail', WEBHOOKS)),
    );
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#looking;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    try {
      await this.#keep();
    } catch (error) {
      this.#parts.log.warn({ reason: messageOf(error) }, 'failed to look for problems');
    }
    await this.#tell();
  }

  #hear({ of, answer }: Measurements['credentials']): void {
    if (answer !== 'ok') this.#fails(answer, of);
    else for (const cause of OF_KEYS) this.#works(cause, of);
  }

  #fails(cause: EncounteredProblem, subject: string): void {
    const key = `${cause} ${subject}`;
    this.#worked.delete(key);
    this.#failed.set(key, {
      cause,
      subject,
      text: ENCOUNTERED[cause](subject),
      at: sharedTime(),
    });
  }

  #works(cause: EncounteredProblem, subject: string): void {
    this.#worked.set(`${cause} ${subject}`, { cause, subject, at: sharedTime() });
  }

  async #keep(): Promise<void> {
    const { problems } = this.#parts.store;
    // No answer of a service that is no longer configured would ever end its problem.
    if (!this.#hasLooked)
      for (const cause of OF_KEYS) await problems.endOthers(cause, this.#parts.services);
    this.#hasLooked = true;
    const failed = this.#failed;
    this.#failed = new Map();
    try {
      await problems.seen([...failed.values()]);
    } catch (error) {
      this.#failed = new Map([...failed, ...this.#failed]);
      throw error;
    }
    await problems.recovered([...this.#worked.values()]);
    await this.#compare('budget_used_up', await this.#budgets());
    await this.#compare('queue_stands', await this.#queues());
  }

  /** What the database says of these causes is all that there is. */
  async #compare(cause: ProblemCause, found: readonly SeenProblem[]): Promise<void> {
    const { problems } = this.#parts.store;
    await problems.seen(found);
    await problems.endOthers(
      cause,
      found.map(({ subject }) => subject),
    );
  }

  async #budgets(): Promise<readonly SeenProblem[]> {
    const { store, budgets } = this.#parts;
    const now = sharedNow();
    const since = { day: dayOf(now).begins, month: monthOf(now).begins };
    return (await store.budgetsUsedUp(budgets, since)).map((one) => usedUp(one, budgets, now));
  }

  async #queues(): Promise<readonly SeenProblem[]> {
    const { jobs } = await this.#parts.store.figures();
    return jobs
      .filter(({ oldestSeconds }) => oldestSeconds > LONGEST_WAIT_SECONDS)
      .map(({ queue }) => ({
        cause: 'queue_stands',
        subject: queue,
        text: `${queue === 'advance' ? 'Sessions wait' : 'Comments wait'} for more than ten minutes. Look at the log, and at CONCURRENCY.`,
      }));
  }

  async #tell(): Promise<void> {
    const { store, notify, log } = this.#parts;
    if (notify === undefined) return;
    try {
      for (;;) {
        const news = await store.problems.takeNews();
        if (news === undefined) return;
        await notify(news);
        await store.problems.told(news);
      }
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'failed to send a notification; will retry');
    }
  }
}

function usedUp({ scope, name }: UsedUpBudget, budgets: Budgets, now: number): SeenProblem {
  const { setting, words, period } = SHARED_BUDGETS[scope];
  const until = day(period(now).ends.toISOString());
  return {
    cause: 'budget_used_up',
    subject: [setting, name].filter((part) => part !== '').join(' '),
    text: `${setting} is used up${name === '' ? '' : ` for ${name}`}: ${dollars(budgets[scope] ?? 0)} ${words}. Its sessions wait until ${until}.`,
  };
}
