import pg from 'pg';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import type { NewEntry } from '../../session/entry.ts';
import { mayOpenSession } from '../../session/said/asks.ts';
import { titleOf } from '../../session/request-title.ts';
import type { Arrival } from '../../contracts/intent.ts';
import type { Delivery } from '../../contracts/delivery.ts';
import { acceptOne, type Arrived } from './accept-statement.ts';
import type { Execute } from '../database/database.ts';
import { newSessionId, type Accepted } from '../store.ts';

const MAX_TRIES = 4;

/** A deadlock with another process, or a session that another process opened or deleted meanwhile. */
const PASSING = new Set(['40P01', '23505', '23503']);

interface AcceptParts {
  readonly execute: Execute;
  /** Called for each session with news, after the commit. */
  readonly tell: (session: string) => void;
}

/** Accepts each arrival in a commit of its own. What happens in a thread is accepted in its order. */
export class Acceptance {
  readonly #parts: AcceptParts;
  readonly #threads = new KeyedMutex();

  constructor(parts: AcceptParts) {
    this.#parts = parts;
  }

  /** See `Store.accept`. */
  readonly accept = (arrival: Arrival, delivery: Delivery): Promise<Accepted> =>
    this.#threads.run(threadsOf(arrival), () => this.#write(arrived(arrival, delivery)));

  /** Resolves when all that was given is accepted. */
  idle(): Promise<void> {
    return this.#threads.idle();
  }

  async #write(one: Arrived): Promise<Accepted> {
    for (let tries = 1; ; tries += 1)
      try {
        const accepted = await acceptOne(this.#parts.execute, one);
        if (accepted.outcome === 'accepted') this.#parts.tell(accepted.session);
        return accepted;
      } catch (error) {
        const isPassing = error instanceof pg.DatabaseError && PASSING.has(error.code ?? '');
        if (tries === MAX_TRIES || !isPassing) throw error;
      }
  }
}

/** The threads whose session it may find or open. */
const threadsOf = ({ repository, thread }: Arrival): readonly string[] =>
  [thread.issue ?? thread.number, thread.number].map((number) => `${repository.id}#${number}`);

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
