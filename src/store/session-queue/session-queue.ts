import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { executeIn, type DatabaseTransaction, type Execute } from '../database/database.ts';
import {
  BEAT,
  BURY_DEAD,
  DROP_IDLE,
  FREE_ALL,
  GIVE_BACK,
  HELD,
  RETRY_LATER,
  SIGN_OFF,
  TAKE,
  WAKE,
} from './queue-statements.ts';
import { messageOf } from '../../lib/errors.ts';

/** How many sessions are advanced at once in all processes together; `undefined`: no limit. */
export interface SlotLimits {
  readonly repository?: number | undefined;
  readonly installation?: number | undefined;
  readonly service?: number | undefined;
}

/** `again`: the session must be advanced again soon, although nothing failed. */
export type HandlerEnd = 'again' | void;
type Handler = (session: string, signal: AbortSignal) => Promise<HandlerEnd>;
interface QueueOptions {
  readonly execute: Execute;
  readonly limits: SlotLimits;
  readonly log: Logger;
}

interface TakenSession {
  readonly controller: AbortController;
  readonly done: Promise<void>;
  /** Another process has the session now, or may take it. */
  isLost: boolean;
}

interface TakenRow {
  readonly session: string;
}

/** A wake-up that no notification announced is found this late. */
const LOOK_MS = 500;
const BEAT_MS = 2_000;
const AGAIN_MS = 1_000;

/**
 * The queue of sessions that have to be advanced, and this process's slots. Accounts take turns, and in each of
 * them its repositories; within a repository, the session that was opened first is first. At most one handler runs for
 * a session. A wake-up that comes while it runs causes another run. A handler that throws is retried with growing
 * delays, which a wake-up ends. The sessions of a process that dies are taken by others within 15 s.
 */
export class SessionQueue {
  readonly #worker = randomUUID();
  readonly #execute: Execute;
  readonly #limits: SlotLimits;
  readonly #log: Logger;
  readonly #outage: OutageLog;
  readonly #running = new Map<string, TakenSession>();
  readonly #timers: NodeJS.Timeout[] = [];
  #slots = 0;
  #handler: Handler | undefined;
  #looking: Promise<void> | undefined;
  #isAskedAgain = false;
  #beating: Promise<void> | undefined;
  /** Sessions that the database assigns to this worker but that are not running here, as of the last sign of life. */
  #unknown = new Set<string>();

  constructor({ execute, limits, log }: QueueOptions) {
    this.#execute = execute;
    this.#limits = limits;
    this.#log = log;
    this.#outage = new OutageLog(log);
  }

  /** Part of `transaction`: nobody takes the session before it commits. */
  async wake(session: string, transaction: DatabaseTransaction): Promise<void> {
    await executeIn(transaction)(WAKE, [session]);
  }

  /** Call it only if no other worker can be alive. */
  async freeAll(): Promise<void> {
    await this.#execute(FREE_ALL, []);
  }

  async work(slots: number, handler: Handler): Promise<void> {
    this.#slots = slots;
    this.#handler = handler;
    await this.#beat();
    this.#timers.push(setInterval(() => this.look(), LOOK_MS));
    this.#timers.push(setInterval(() => this.#beatOnce(), BEAT_MS));
    this.look();
  }

  /** Takes sessions for the free slots, soon. */
  look(): void {
    this.#isAskedAgain = true;
    this.#looking ??= this.#fill().finally(() => {
      this.#looking = undefined;
    });
  }

  /** Takes nothing more, and waits for the running handlers. Resolves with whether they ended in time. */
  async drain(timeoutMs: number): Promise<boolean> {
    this.#slots = 0;
    await this.#looking;
    const ended = Promise.all([...this.#running.values()].map(({ done }) => done));
    const deadline = new AbortController();
    const isInTime = await Promise.race([
      ended.then(() => true),
      pause(timeoutMs, false, { signal: deadline.signal }).catch(() => false),
    ]);
    deadline.abort();
    return isInTime;
  }

  /** Takes nothing more, aborts the running handlers, waits for them, and lets others take what they had. */
  async stop(timeoutMs: number): Promise<void> {
    this.#slots = 0;
    await this.#looking;
    for (const { controller } of this.#running.values())
      controller.abort(new Error('the service is stopping'));
    await this.drain(timeoutMs);
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await this.#beating;
    if (this.#handler === undefined) return;
    this.#handler = undefined;
    await this.#outage.watched(() => this.#execute(SIGN_OFF, [this.#worker]));
  }

  async #fill(): Promise<void> {
    while (this.#isAskedAgain && this.#running.size < this.#slots) {
      this.#isAskedAgain = false;
      let session = await this.#outage.watched(() => this.#take());
      while (session !== undefined) {
        this.#start(session);
        session =
          this.#running.size < this.#slots
            ? await this.#outage.watched(() => this.#take())
            : undefined;
      }
    }
  }

  async #take(): Promise<string | undefined> {
    const { repository = null, installation = null, service = null } = this.#limits;
    const taking = [this.#worker, repository, installation, service];
    const rows = await this.#execute<{ session: string | null }>(TAKE, taking);
    return rows[0]?.session ?? undefined;
  }

  #start(session: string): void {
    const earlier = this.#running.get(session);
    if (earlier !== undefined) lose(earlier);
    const controller = new AbortController();
    // Begins only after `taken` is in the map.
    const done = (earlier?.done ?? Promise.resolve()).then(() => this.#run(session, taken));
    const taken: TakenSession = { controller, isLost: false, done };
    this.#running.set(session, taken);
  }

  /** Never rejects. */
  async #run(session: string, taken: TakenSession): Promise<void> {
    let statement = GIVE_BACK;
    try {
      const end = await this.#handler?.(session, taken.controller.signal);
      if (end === 'again') statement = RETRY_LATER;
    } catch (error) {
      this.#log.error({ err: error, session, queue: 'advance' }, 'job failed and will be retried');
      statement = RETRY_LATER;
    }
    await this.#giveBack(session, taken, statement);
    if (this.#running.get(session) === taken) this.#running.delete(session);
    this.look();
  }

  /** Tried until it succeeds: if the process ends before that, its other sessions go to others too. */
  async #giveBack(
    session: string,
    taken: TakenSession,
    statement: typeof GIVE_BACK,
  ): Promise<void> {
    while (!taken.isLost && this.#handler !== undefined) {
      const isDone = await this.#outage.watched(async () => {
        await this.#execute(statement, [session, this.#worker]);
        await this.#execute(DROP_IDLE, [session]);
        return true;
      });
      if (isDone === true) return;
      await pause(AGAIN_MS);
    }
  }

  #beatOnce(): void {
    this.#beating ??= this.#outage
      .watched(() => this.#beat())
      .then(() => {})
      .finally(() => {
        this.#beating = undefined;
      });
  }

  async #beat(): Promise<void> {
    const before = new Map(this.#running);
    await this.#execute(BEAT, [this.#worker]);
    const buried = await this.#execute<TakenRow>(BURY_DEAD, [this.#worker]);
    for (const { session } of buried)
      this.#log.warn({ session }, 'took over a session from an unresponsive worker');
    if (buried.length > 0) this.look();
    const held = new Set(
      (await this.#execute<TakenRow>(HELD, [this.#worker])).map((row) => row.session),
    );
    for (const [session, taken] of before) if (!held.has(session)) lose(taken);
    await this.#giveUpUnknown(held);
  }

  /**
   * If the answer to a take is lost with its connection, this worker holds the session but never runs it. Two signs of
   * life in a row that find such a session return it to the queue, unless a take is under way.
   */
  async #giveUpUnknown(held: ReadonlySet<string>): Promise<void> {
    const names = this.#looking === undefined ? [...held] : [];
    const unknown = new Set(names.filter((session) => !this.#running.has(session)));
    const before = this.#unknown;
    this.#unknown = unknown;
    for (const session of unknown)
      if (before.has(session)) await this.#execute(RETRY_LATER, [session, this.#worker]);
  }
}

function lose(taken: TakenSession): void {
  taken.isLost = true;
  taken.controller.abort(new Error('another process has taken the session'));
}

/** Logs once when the database stops answering, and once when it answers again. */
export class OutageLog {
  readonly #log: Logger;
  #isAway = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Never rejects: resolves with `undefined` if `work` failed. */
  async watched<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      if (this.#isAway) this.#log.info('the database answers again');
      this.#isAway = false;
      return result;
    } catch (error) {
      if (!this.#isAway)
        this.#log.warn({ reason: messageOf(error) }, 'the database does not answer; trying again');
      this.#isAway = true;
      return undefined;
    }
  }
}
