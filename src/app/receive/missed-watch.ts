// When missed events are looked for: at the start, every five minutes, after a pause in delivery, and soon after a
// delivery that this service failed to receive or a tunnel lost.
import type { Logger } from 'pino';
import { sharedNow } from '../../lib/clock.ts';
import { measured } from '../../lib/measurements.ts';
import { messageOf, TellPerson } from '../../lib/errors.ts';
import type { DeliveryAnswer, RawDelivery } from '../../contracts/delivery.ts';
import { isInstallationEvent } from './installations.ts';

export interface MissedWatchOptions {
  readonly receive: (delivery: RawDelivery) => Promise<DeliveryAnswer>;
  /**
   * Takes what was missed. Resolves with how many events there were. `isThorough`: everything is compared with GitHub,
   * and not only its list of deliveries read.
   */
  readonly look: (signal: AbortSignal, isThorough: boolean) => Promise<number>;
  readonly log: Logger;
}

const SECONDS = 1_000;
const INTERVAL_MS = 300 * SECONDS;
/** Between two thorough looks, if no installation changes. */
const THOROUGH_MS = 3_600 * SECONDS;
/** Before the next look after one that failed. */
const RETRY_MS = 30 * SECONDS;
/** After this long without any delivery, some may have been lost on the way. */
const PAUSE_MS = 120 * SECONDS;
/** GitHub lists an attempt a moment after it ended. */
const LISTED_MS = 5 * SECONDS;
/** GitHub waits ten seconds for an answer. */
const HELD_MS = 8 * SECONDS;
const STOP_MS = 5 * SECONDS;

export class MissedWatch {
  readonly #options: MissedWatchOptions;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** When to look next, in milliseconds by `performance.now()`. */
  #dueAt = Infinity;
  #looking: Promise<void> | undefined;
  /** `undefined` when it is over. */
  #first: Promise<void> | undefined;
  #lastDelivery = sharedNow();
  #thoroughAt = 0;
  /** Whether a tunnel asked for the next thorough look. */
  #isAsked = false;
  /** When it may ask for one again. */
  #askableAt = 0;

  constructor(options: MissedWatchOptions) {
    this.#options = options;
  }

  /** Begins with a look. */
  start(): void {
    this.#first = this.#begin().then(() => {
      this.#first = undefined;
    });
  }

  /** Resolves when the first look has ended, well or not, after this many milliseconds at the latest. */
  async first(patienceMs: number): Promise<void> {
    if (this.#first !== undefined) await within(this.#first, patienceMs);
  }

  /**
   * Receives what is delivered meanwhile. During the first look it waits: what people did while the service was down
   * comes before what they do now.
   */
  async receive(delivery: RawDelivery): Promise<DeliveryAnswer> {
    await this.first(HELD_MS);
    const answer = await this.#options.receive(delivery);
    // By a clock that counts the time for which this machine was suspended.
    const sinceLast = sharedNow() - this.#lastDelivery;
    this.#lastDelivery += sinceLast;
    const isInstallation = isInstallationEvent(delivery.event);
    if (isInstallation) this.#thoroughAt = 0;
    if (answer.status >= 500 || sinceLast > PAUSE_MS || isInstallation) this.#lookIn(LISTED_MS);
    return answer;
  }

  /**
   * Compares everything soon: GitHub's list has as delivered what a proxy lost on the way. A proxy may break every other
   * minute, so at least five minutes pass between two such looks.
   */
  lookSoon(): void {
    this.#isAsked = true;
    this.#thoroughAt = Math.min(this.#thoroughAt, this.#askableAt);
    this.#lookIn(Math.max(LISTED_MS, this.#askableAt - performance.now()));
  }

  /** Resolves when nothing is looked for any more, or GitHub lets a look wait for long: it changes nothing then. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    if (this.#looking !== undefined) await within(this.#looking, STOP_MS);
  }

  #begin(): Promise<void> {
    this.#dueAt = Infinity;
    this.#looking = this.#look().then((ms) => {
      this.#looking = undefined;
      this.#lookIn(ms);
    });
    return this.#looking;
  }

  /** Not later than it is due anyway. While a look is under way, it is planned when that has ended. */
  #lookIn(ms: number): void {
    this.#dueAt = Math.min(this.#dueAt, performance.now() + ms);
    if (this.#looking !== undefined || this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#begin(), this.#dueAt - performance.now());
  }

  #planThorough(): void {
    this.#thoroughAt = performance.now() + THOROUGH_MS;
    if (this.#isAsked) this.#askableAt = performance.now() + INTERVAL_MS;
    this.#isAsked = false;
  }

  /** Resolves with the milliseconds until the next look. */
  async #look(): Promise<number> {
    const { look, log } = this.#options;
    const isThorough = performance.now() >= this.#thoroughAt;
    try {
      if (isThorough) this.#planThorough();
      const events = await look(this.#stopping.signal, isThorough);
      if (events > 0) log.info({ events }, 'received events that were missed');
      if (events > 0 && this.#first === undefined) measured('missed_events', { events });
      return INTERVAL_MS;
    } catch (error) {
      if (isThorough) this.#thoroughAt = 0;
      log.warn({ reason: messageOf(error) }, 'failed to look for missed events');
      return error instanceof TellPerson ? INTERVAL_MS : RETRY_MS;
    }
  }
}

/** Resolves when the work has ended, or this time has. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
