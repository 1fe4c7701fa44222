import pg from 'pg';
import type { NewEntry } from '../../session/entry.ts';
import { mayOpenSession } from '../../session/said/asks.ts';
import { titleOf } from '../../session/request-title.ts';
import type { Arrival } from '../../contracts/intent.ts';
import type { Delivery } from '../../contracts/delivery.ts';
import { acceptAll, type Arrived, type Outcome } from './accept-statement.ts';
import type { Execute } from '../database/database.ts';
import { Groups } from '../groups.ts';
import { newSessionId } from '../sessions.ts';
import type { Accepted } from '../store.ts';

const MAX_GROUP = 200;
/** Of entries, in UTF-16 code units. */
const MAX_GROUP_LENGTH = 4 * 1024 * 1024;
const MAX_TRIES = 4;

/** A deadlock with another process, or a session that another process opened meanwhile. */
const PASSING = new Set(['40P01', '23505', '23503']);
/** Classes of errors that say nothing of the data: connections, resources, an operator, the system. */
const OUTAGES = new Set(['08', '53', '57', '58']);

interface Waiting extends Arrived {
  readonly resolve: (accepted: Accepted) => void;
  readonly reject: (error: unknown) => void;
}

interface AcceptParts {
  readonly execute: Execute;
  /** Called for each session with news, after the commit. */
  readonly tell: (session: string) => void;
}

/**
 * Accepts arrivals in groups: those that come while a group is written are the next one, and one commit makes all
 * of a group durable. What fails for one arrival fails for it alone.
 */
export class Acceptance {
  readonly #parts: AcceptParts;
  readonly #groups: Groups<Waiting>;

  constructor(parts: AcceptParts) {
    this.#parts = parts;
    this.#groups = new Groups((group) => this.#acceptGroup(group), {
      count: MAX_GROUP,
      weight: MAX_GROUP_LENGTH,
      weigh: ({ received }) => received.length,
    });
  }

  /** See `Store.accept`. */
  readonly accept = (arrival: Arrival, delivery: Delivery): Promise<Accepted> =>
    new Promise((resolve, reject) => {
      this.#groups.add({ ...arrived(arrival, delivery), resolve, reject });
    });

  /** Resolves when all that was given is accepted. */
  idle(): Promise<void> {
    return this.#groups.idle();
  }

  /** Never rejects. */
  async #acceptGroup(all: readonly Waiting[]): Promise<void> {
    const { now: group, later } = separate(all);
    this.#groups.putBack(later);
    try {
      const outcomes = await trying(() =>
        acceptAll(this.#parts.execute, group, { patiently: false }),
      );
      const busy = group.filter((one, place) => !this.#settle(one, outcomes[place]));
      // Whoever writes to that session may take long, and the others do not wait for it.
      for (const one of busy) void this.#acceptAlone(one);
    } catch (error) {
      if (isOutage(error)) for (const { reject } of group) reject(error);
      else await Promise.all(group.map((one) => this.#acceptAlone(one)));
    }
  }

  /** Never rejects. */
  async #acceptAlone(one: Waiting): Promise<void> {
    try {
      const [outcome] = await trying(() =>
        acceptAll(this.#parts.execute, [one], { patiently: true }),
      );
      if (!this.#settle(one, outcome)) one.reject(new Error('the database gave no outcome'));
    } catch (error) {
      one.reject(error);
    }
  }

  /** Answers whether there was an outcome. */
  #settle({ resolve }: Waiting, outcome: Outcome | undefined): boolean {
    if (outcome === undefined || outcome.outcome === 'busy') return false;
    if (outcome.outcome === 'accepted') this.#parts.tell(outcome.session);
    resolve(outcome.outcome === 'accepted' ? outcome : { outcome: outcome.outcome });
    return true;
  }
}

/** What becomes of those in `later` depends on others of the group: they are in the next one, in their order. */
function separate(all: readonly Waiting[]): Record<'now' | 'later', Waiting[]> {
  const now: Waiting[] = [];
  const later: Waiting[] = [];
  const once = new Set<string>();
  const started = new Set<string>();
  for (const one of all) {
    const { arrival, delivery } = one;
    const marks = [`id ${delivery.id}`, `meaning ${arrival.meaning}`];
    const threads = threadsOf(arrival);
    const waits =
      marks.some((mark) => once.has(mark)) || threads.some((thread) => started.has(thread));
    (waits ? later : now).push(one);
    for (const mark of marks) once.add(mark);
    // Nothing of its thread may overtake it either.
    if (waits || mayOpenSession(arrival.intent)) for (const thread of threads) started.add(thread);
  }
  return { now, later };
}

/** The threads whose session the arrival may find or open. */
const threadsOf = ({ repository, thread }: Arrival): string[] =>
  [thread.issue ?? thread.number, thread.number].map((number) => `${repository.id}#${number}`);

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
    opened: bodyOf({ type: 'opened', installation, repository, issue: thread.number }),
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
