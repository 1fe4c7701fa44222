// Stops a service at an entry of a journal: the statement that writes it waits inside PostgreSQL.
import type pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { DidNotHappen } from './fault.ts';
import type { World } from './world.ts';

const KEY = 1_717;
const POLL_MS = 3;

/** Entries pass unless somebody holds the lock. The function stays in the database, and does nothing after that. */
const gateBefore = (condition: string): string => `
  create or replace function public.wait_at_gate() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${KEY}); return new; end $$;
  drop trigger if exists gate on issuewright.journal;
  create trigger gate before insert on issuewright.journal for each row
    when (${condition}) execute function public.wait_at_gate();`;

export class JournalGate {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Closes the gate before the entries of every session for which the condition holds, in SQL: `new.seq = 3`. */
  static async close(world: Pick<World, 'connect'>, condition: string): Promise<JournalGate> {
    const client = await world.connect();
    await client.query('select pg_advisory_lock($1)', [KEY]);
    await client.query(gateBefore(condition));
    return new JournalGate(client);
  }

  /** Resolves when a service waits: all before the entry has happened, and the entry is not durable. */
  async reached(over: AbortSignal): Promise<void> {
    for (;;) {
      const { rows } = await this.#client.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
        [KEY],
      );
      if (rows.length > 0) return;
      if (over.aborted) throw new DidNotHappen('no service came to this entry');
      await pause(POLL_MS);
    }
  }

  /** Lets the entry through, if the database is still there. */
  async open(): Promise<void> {
    await this.#client.query('select pg_advisory_unlock($1)', [KEY]).catch(() => {});
  }
}
