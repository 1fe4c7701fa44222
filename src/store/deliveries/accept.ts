import pg from 'pg';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import { ENTRY_VERSION, type NewEntry } from '../../session/entry.ts';
import { mayOpenSession } from '../../session/said/asks.ts';
import { titleOf } from '../../session/requested-work.ts';
import type { Arrival } from '../../contracts/intent.ts';
import type { Delivery } from '../../contracts/delivery.ts';
import type { Execute, Statement } from '../database/database.ts';
import { newSessionId, type AcceptResult } from '../store.ts';

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
  readonly accept = (arrival: Arrival, delivery: Delivery): Promise<AcceptResult> => {
    const { repository, thread } = arrival;
    // The threads whose session it may find or open.
    const numbers = [thread.issue ?? thread.number, thread.number];
    const threads = numbers.map((number) => `${repository.id}#${number}`);
    return this.#threads.run(threads, () => this.#write(arrival, delivery));
  };

  /** Resolves when all that was given is accepted. */
  idle(): Promise<void> {
    return this.#threads.idle();
  }

  async #write(arrival: Arrival, delivery: Delivery): Promise<AcceptResult> {
    for (let tries = 1; ; tries += 1)
      try {
        const accepted = await acceptOne(this.#parts.execute, arrival, delivery);
        if (accepted.outcome === 'accepted') this.#parts.tell(accepted.session);
        return accepted;
      } catch (error) {
        const isPassing = error instanceof pg.DatabaseError && PASSING.has(error.code ?? '');
        if (tries === MAX_TRIES || !isPassing) throw error;
      }
  }
}

/** PostgreSQL takes none in a text. */
const NUL = '\0';

const bodyOf = ({ type: _type, ...body }: NewEntry): string => JSON.stringify(body);

// An arrival: found, decided and written by one statement, so one round trip and one commit.

/** The state of a session whose start was rejected. Only another start changes it. */
const IGNORED = `'ignored'`;

/**
 * Issues and pull requests share their numbers, so `issue` and `opens` may be the number of a pull request. What is
 * decided is read from the locked row. If that was deleted meanwhile, the row of the delivery violates its foreign key.
 * `woken`: see `WAKE` of the queue.
 */
const ACCEPT: Statement = {
  name: 'accept',
  text: `
with found as materialized (
  select id as found from (
    select id, created_at, 1 as preference from issuewright.sessions
      where repository_id = $1::bigint and pull_request = $3::integer
    union all select id, created_at, 2 from issuewright.sessions
      where repository_id = $1 and issue = $2::integer
    union all select id, created_at, 3 from issuewright.sessions
      where $5::boolean and repository_id = $1 and issue = $4::integer
  ) as candidate order by preference, created_at desc limit 1
), locked as materialized (
  select id as locked, state as was from issuewright.sessions
  where id = (select found from found) for no key update
), decided as (
  select coalesce(found, $7::text) as session, was, case
    when found is null then case when $5 then 'open' else 'no_session' end
    when locked is null then 'add'
    when was = ${IGNORED} and not $5 then 'no_session'
    when $6::boolean then 'exists'
    else 'add' end as act
  from (select) as always left join found on true left join locked on true
), fresh as (
  insert into issuewright.deliveries (id, event, meaning, session_id)
  select $8, $9, $10, session from decided where act in ('open', 'add')
  on conflict do nothing returning id
), accepted as (
  select decided.* from decided, fresh
), opening as (
  insert into issuewright.sessions
    (id, installation, repository_id, owner, name, issue, title, last_seq)
  select session, $11::bigint, $1, $12, $13, $4, coalesce($14, $15), 2 from accepted where act = 'open'
  returning id, last_seq
), adding as (
  update issuewright.sessions set
    last_seq = last_seq + 1,
    updated_at = now(),
    state = case when was = ${IGNORED} then 'queued' else state end,
    title = coalesce($14, title),
    installation = $11, owner = $12, name = $13
  from accepted where act = 'add' and id = session
  returning id, last_seq
), first as (
  insert into issuewright.journal (session_id, seq, at, version, type, body)
  select id, 1, clock_timestamp(), $18, 'opened', $16 from opening
), entry as (
  insert into issuewright.journal (session_id, seq, at, version, type, body)
  select id, last_seq, clock_timestamp(), $18, 'received', $17
  from (select * from opening union all select * from adding) as numbered
), woken as (
  insert into issuewright.session_queue as queued (session_id)
  select session from accepted
  on conflict (session_id) do update set is_woken = true, not_before = '-infinity'
)
select accepted.session, case
  when accepted.session is not null then 'accepted'
  when decided.act in ('open', 'add') then 'duplicate'
  else decided.act end as outcome
from decided left join accepted on true`,
};

/** Accepts it in a commit of its own, once whoever writes to its session has ended. */
async function acceptOne(
  execute: Execute,
  arrival: Arrival,
  delivery: Delivery,
): Promise<AcceptResult> {
  const { installation, repository, thread, sender, intent } = arrival;
  const received = { delivery: delivery.id, installation, repository, sender, intent };
  const [accepted] = await execute<AcceptResult>(ACCEPT, [
    repository.id,
    thread.issue ?? thread.number,
    thread.on === 'pull_request' ? thread.number : null,
    thread.number,
    mayOpenSession(intent),
    arrival.onlyNew === true,
    newSessionId(),
    delivery.id,
    delivery.event,
    arrival.meaning,
    installation,
    repository.owner,
    repository.name,
    // The title that the session has from now on, or keeps; then that of one that opens without.
    titleOf({ intent })?.replaceAll(NUL, '') ?? null,
    ('thread' in intent ? (intent.thread?.title ?? '') : '').replaceAll(NUL, ''),
    bodyOf({ type: 'opened', installation, repository, issue: thread.number }),
    bodyOf({ type: 'received', ...received }),
    ENTRY_VERSION,
  ]);
  if (accepted === undefined) throw new Error('the database gave no outcome');
  return accepted.outcome === 'accepted' ? accepted : { outcome: accepted.outcome };
}
