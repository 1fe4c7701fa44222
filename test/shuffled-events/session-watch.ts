// The database of the service: what its sessions have come to, and their journals.
import { once } from 'node:events';
import pg from 'pg';
import type { Entry } from '../../src/session/entry.ts';

export interface SessionRow {
  readonly id: string;
  readonly state: string;
  readonly last_seq: number;
}

/** Every change of a session or of a wake-up is told. */
const TRIGGERS = `
  create function public.tell_test() returns trigger language plpgsql as
    $$ begin perform pg_notify('test', ''); return null; end $$;
  create trigger tell_test after insert or update or delete on issuewright.sessions
    for each statement execute function public.tell_test();
  create trigger tell_test after insert or update or delete on issuewright.session_queue
    for each statement execute function public.tell_test();
  create trigger tell_test after insert or update or delete on pgboss.job
    for each statement execute function public.tell_test();`;

/** Of a row of `sessions`: nothing is left to do, and nothing that is due in the next seconds. */
export const AT_REST = `
  claim is null and published_seq = last_seq
  and coalesce(wake_at, 'infinity') > now() + interval '20 seconds' and publish_at is null
  and not exists (select from issuewright.session_queue as queued
    where queued.session_id = sessions.id and (queued.is_woken or queued.worker is not null))
  and not exists (select from pgboss.job where singleton_key = sessions.id
    and job.state in ('created', 'retry', 'active'))`;

export class SessionWatch {
  readonly #pool: pg.Pool;
  readonly #listener: pg.Client;
  readonly #patienceMs: number;

  private constructor(pool: pg.Pool, listener: pg.Client, patienceMs: number) {
    this.#pool = pool;
    this.#listener = listener;
    this.#patienceMs = patienceMs;
  }

  static async open(url: string, patienceMs: number): Promise<SessionWatch> {
    const listener = new pg.Client({ connectionString: url });
    await listener.connect();
    await listener.query(TRIGGERS);
    await listener.query('listen test');
    listener.setMaxListeners(0);
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    return new SessionWatch(pool, listener, patienceMs);
  }

  async close(): Promise<void> {
    await this.#listener.end();
    await this.#pool.end();
  }

  /** Resolves when the sessions of a repository have nothing to do and nothing to publish. Rejects if nothing happens. */
  async untilAtRest(repository: number): Promise<void> {
    for (;;) {
      const patience = AbortSignal.timeout(this.#patienceMs);
      const told = once(this.#listener, 'notification', { signal: patience }).catch(
        () => undefined,
      );
      const { rows } = await this.#pool.query(
        `select * from issuewright.sessions where repository_id = $1 and not (${AT_REST})`,
        [repository],
      );
      if (rows.length === 0) return;
      if ((await told) === undefined) throw new Error(`stuck: ${JSON.stringify(rows)}`);
    }
  }

  async sessions(repository: number, issue: number): Promise<readonly SessionRow[]> {
    const { rows } = await this.#pool.query<SessionRow>(
      'select id, state, last_seq from issuewright.sessions where repository_id = $1 and issue = $2',
      [repository, issue],
    );
    return rows;
  }

  async journal(session: string): Promise<readonly Entry[]> {
    const { rows } = await this.#pool.query<{
      seq: number;
      at: Date;
      type: string;
      body: string;
    }>('select seq, at, type, body from issuewright.journal where session_id = $1 order by seq', [
      session,
    ]);
    return rows.map(({ seq, at, type, body }) => ({
      ...(JSON.parse(body) as object),
      type,
      seq,
      at: at.toISOString(),
    })) as unknown as readonly Entry[];
  }
}
