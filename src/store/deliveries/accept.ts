import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import type { NewEntry } from '../../session/entry.ts';
import { mayOpenSession } from '../../session/said/asks.ts';
import { titleOf } from '../../session/request-title.ts';
import type { Arrival } from '../../contracts/intent.ts';
import type { Delivery } from '../../contracts/delivery.ts';
import { acceptAll, type Arrived } from './accept-statement.ts';
import type { Execute } from '../database/database.ts';
import { newSessionId } from '../sessions.ts';
import type { Accepted } from '../store.ts';
import { keysOf, takeGroup, type Keys } from './thread-groups.ts';

/** Groups under way at once, besides those that wait for other writers. */
const MAX_GROUPS = 2;
const MAX_TRIES = 4;

/** A deadlock with another process, or a session that another process opened meanwhile. */
const PASSING = new Set(['40P01', '23505', '23503']);
/** Classes of errors that say nothing of the data: connections, resources, an operator, the system. */
const OUTAGES = new Set(['08', '53', '57', '58']);

interface Waiting extends Arrived {
  readonly keys: Keys;
  readonly resolve: (accepted: Accepted) => void;
  readonly reject: (error: unknown) => void;
}

type Group = readonly Waiting[];

interface AcceptParts {
  readonly execute: Execute;
  /** Called for each session with news, after the commit. */
  readonly tell: (session: string) => void;
}

/**
 * Accepts arrivals in groups: those that come while groups are written are the next one, and one commit makes all
 * of a group durable. What happens in a thread is accepted in its order. What fails for one arrival fails for it
 * alone.
 */
export class Acceptance {
  readonly #parts: AcceptParts;
  #waiting: Waiting[] = [];
  readonly #swift = new Map<Group, Promise<void>>();
  /** Whoever writes to their session may take long, and other groups do not wait for it. */
  readonly #patient = new Map<Group, Promise<void>>();
  #beginning: Promise<void> | undefined;

  constructor(parts: AcceptParts) {
    this.#parts = parts;
  }

  /** See `Store.accept`. */
  readonly accept = (arrival: Arrival, delivery: Delivery): Promise<Accepted> =>
    new Promise((resolve, reject) => {
      const keys = keysOf(arrival, delivery);
      this.#waiting.push({ ...arrived(arrival, delivery), keys, resolve, reject });
      // What arrives in the same turn of the event loop goes together.
      this.#beginning ??= nextTurn().then(() => {
        this.#beginning = undefined;
        this.#begin();
      });
    });

  /** Resolves when all that was given is accepted. */
  async idle(): Promise<void> {
    while (this.#waiting.length > 0 || this.#swift.size > 0 || this.#patient.size > 0)
      await Promise.all([this.#beginning, ...this.#swift.values(), ...this.#patient.values()]);
  }

  /** Begins as many groups as may be under way. */
  #begin(): void {
    while (this.#waiting.length > 0 && this.#swift.size < MAX_GROUPS) {
      const { group, rest } = takeGroup(this.#waiting, this.#underWay());
      if (group.length === 0) return;
      this.#waiting = rest;
      this.#run(this.#swift, group, false);
    }
  }

  #underWay(): Waiting[] {
    return [...this.#swift.keys(), ...this.#patient.keys()].flat();
  }

  #run(groups: Map<Group, Promise<void>>, group: Group, patiently: boolean): void {
    const end = (): void => {
      groups.delete(group);
      this.#begin();
    };
    groups.set(group, this.#acceptGroup(group, patiently).then(end));
  }

  /** Never rejects. */
  async #acceptGroup(group: Group, patiently: boolean): Promise<void> {
    try {
      const outcomes = await trying(() => acceptAll(this.#parts.execute, group, { patiently }));
      const busy: (Waiting & { readonly session: string })[] = [];
      for (const [place, one] of group.entries()) {
        const outcome = outcomes[place];
        if (outcome?.outcome === 'busy') busy.push({ ...one, session: outcome.session });
        else this.#settle(one, outcome);
      }
      for (const some of Map.groupBy(busy, ({ session }) => session).values())
        this.#run(this.#patient, some, true);
    } catch (error) {
      if (isOutage(error) || group.length === 1) for (const { reject } of group) reject(error);
      else await this.#acceptEach(group);
    }
  }

  /** Each after those before it that share a thread with it. Never rejects. */
  async #acceptEach(group: Group): Promise<void> {
    const lastOf = new Map<string, Promise<void>>();
    const acceptNext = (one: Waiting): Promise<void> => {
      const { threads } = one.keys;
      const before = threads.map((thread) => lastOf.get(thread) ?? Promise.resolve());
      const own = Promise.all(before).then(() => this.#acceptGroup([one], true));
      for (const thread of threads) lastOf.set(thread, own);
      return own;
    };
    await Promise.all(group.map(acceptNext));
  }

  #settle({ resolve, reject }: Waiting, outcome: Accepted | undefined): void {
    if (outcome === undefined) return reject(new Error('the database gave no outcome'));
    if (outcome.outcome === 'accepted') this.#parts.tell(outcome.session);
    resolve(outcome.outcome === 'accepted' ? outcome : { outcome: outcome.outcome });
  }
}

async function trying<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      const isPassing = error instanceof pg.DatabaseError && PASSING.has(error.code ?? '');
      if (tries === MAX_TRIES || !isPassing) throw error;
    }
}

/** The other arrivals would fail as well, each only after a time. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || OUTAGES.has((error.code ?? '').slice(0, 2));

function arrived(arrival: Arrival, delivery: Delivery): Arrived {
  const { installation, repository, thread, sender, intent } = arrival;
  return {
    arrival,
    delivery,
    opened: mayOpenSession(intent)
      ? bodyOf({ type: 'opened', installation, repository, issue: thread.number })
      : '',
    received: bodyOf({
      type: 'received',
      delivery: delivery.id,
      installation,
      repository,
      sender,
      intent,
    }),
    title: titleOf({ intent })?.replaceAll(NUL, '') ?? null,
    firstTitle: ('thread' in intent ? (intent.thread?.title ?? '') : '').replaceAll(NUL, ''),
    newSession: newSessionId(),
  };
}

/** PostgreSQL takes none in a text. */
const NUL = '\0';

const bodyOf = ({ type: _type, ...body }: NewEntry): string => JSON.stringify(body);
