// A group of arrivals: found, decided and written by one statement, so one round trip and one commit.
import { mayOpenSession } from '../../session/said/asks.ts';
import { ENTRY_VERSION } from '../../session/entry.ts';
import type { Arrival } from '../../contracts/intent.ts';
import type { Delivery } from '../../contracts/delivery.ts';
import type { Execute, Statement } from '../database/database.ts';
import type { Accepted } from '../store.ts';

export interface Arrived {
  readonly arrival: Arrival;
  readonly delivery: Delivery;
  /** The bodies of its two entries; `opened` is empty if it cannot open a session. */
  readonly opened: string;
  readonly received: string;
  /** The title that the session has from now on; `null`: the one that it has. */
  readonly title: string | null;
  /** The title of a session that it opens without one. */
  readonly firstTitle: string;
  /** The id of the session that it opens. */
  readonly newSession: string;
}

/** `busy`: someone else is writing to the session, so nothing was written. */
type Outcome = Accepted | { readonly outcome: 'busy'; readonly session: string };

/** The state of a session whose start was rejected. Only another start changes it. */
const IGNORED = `'ignored'`;

/**
 * Issues and pull requests share their numbers, so `issue` and `opens` may be the number of a pull request. What is
 * decided is read from the locked rows.
 */
const deciding = (lock: 'skip locked' | ''): string => `
given as (
  select * from unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::boolean[], $6::boolean[],
    $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::text[], $13::text[], $14::text[],
    $15::text[], $16::text[], $17::text[]) with ordinality as given (repository_id, issue, pull_request, opens,
    starts, only_new, new_session, delivery, event, meaning, installation, owner, name, title, first_title,
    opened, received, place)
), found as materialized (
  select place, one.id as found from given left join lateral (
    select id from (
      select id, created_at, 1 as preference from issuewright.sessions
        where repository_id = given.repository_id and pull_request = given.pull_request
      union all select id, created_at, 2 from issuewright.sessions
        where repository_id = given.repository_id and issue = given.issue
      union all select id, created_at, 3 from issuewright.sessions
        where given.starts and repository_id = given.repository_id and issue = given.opens
    ) as candidate order by preference, created_at desc limit 1
  ) as one on true
), locked as materialized (
  select id as locked, state as was
  from (select distinct found from found where found is not null order by found) as wanted cross join lateral (
    select id, state from issuewright.sessions where id = wanted.found for no key update ${lock}
  ) as one
), decided as (
  select given.*, coalesce(found, new_session) as session, was, case
    when found is null then case when starts then 'open' else 'no_session' end
    when locked is null then 'busy'
    when was = ${IGNORED} and not starts then 'no_session'
    when only_new then 'exists'
    else 'add' end as act
  from given join found using (place) left join locked on locked = found
)`;

/**
 * Sessions are locked before deliveries are recorded, and all in one order, so that two processes do not wait for
 * each other. `woken`: see `WAKE` of the queue.
 */
const WRITING = `
fresh as (
  insert into issuewright.deliveries (id, event, meaning, session_id)
  select delivery, event, meaning, session from decided where act in ('open', 'add')
  order by repository_id, issue, place
  on conflict do nothing returning id
), accepted as (
  select decided.*, row_number() over (partition by session order by place) as nth
  from decided join fresh on fresh.id = delivery
), opening as (
  insert into issuewright.sessions
    (id, installation, repository_id, owner, name, issue, title, last_seq)
  select session, installation, repository_id, owner, name, opens, coalesce(title, first_title), 2
  from accepted where act = 'open' order by repository_id, opens
  returning id, 1 as before
), news as (
  select session, count(*)::integer as entries, bool_or(was = ${IGNORED}) as again,
    (array_agg(title order by place desc) filter (where title is not null))[1] as title,
    (array_agg(installation order by place desc))[1] as installation,
    (array_agg(owner order by place desc))[1] as owner,
    (array_agg(name order by place desc))[1] as name
  from accepted where act = 'add' group by session
), adding as (
  update issuewright.sessions set
    last_seq = last_seq + news.entries,
    updated_at = now(),
    state = case when news.again then 'queued' else state end,
    title = coalesce(news.title, sessions.title),
    installation = news.installation, owner = news.owner, name = news.name
  from news where id = news.session
  returning id, last_seq - news.entries as before
), first as (
  insert into issuewright.journal (session_id, seq, at, version, type, body)
  select session, 1, clock_timestamp(), $18, 'opened', opened from accepted where act = 'open'
), entry as (
  insert into issuewright.journal (session_id, seq, at, version, type, body)
  select session, before + nth, clock_timestamp(), $18, 'received', received from accepted
  join (select * from opening union all select * from adding) as numbered on id = session
), woken as (
  insert into issuewright.session_queue as queued (session_id)
  select distinct session from accepted order by session
  on conflict (session_id) do update set is_woken = true, not_before = '-infinity'
)`;

const accepting = (name: string, lock: 'skip locked' | ''): Statement => ({
  name,
  text: `
with ${deciding(lock)}, ${WRITING}
select decided.session, case
  when accepted.delivery is not null then 'accepted'
  when decided.act in ('open', 'add') then 'duplicate'
  else decided.act end as outcome
from decided left join accepted using (place) order by place`,
});

const ACCEPT_GROUP = accepting('accept_group', 'skip locked');
const ACCEPT_PATIENTLY = accepting('accept_patiently', '');

/**
 * Accepts all of them in one commit, and resolves with their outcomes, in order. No two have a delivery or a meaning
 * in common, and none belongs to a thread for which one before it may open a session. `patiently`: waits for
 * other writers, so that nothing is `busy`.
 */
export const acceptAll = (
  execute: Execute,
  group: readonly Arrived[],
  { patiently }: { readonly patiently: boolean },
): Promise<Outcome[]> => {
  const of = <T>(value: (arrived: Arrived) => T): T[] => group.map(value);
  return execute<Outcome>(patiently ? ACCEPT_PATIENTLY : ACCEPT_GROUP, [
    of(({ arrival }) => arrival.repository.id),
    of(({ arrival: { thread } }) => thread.issue ?? thread.number),
    of(({ arrival: { thread } }) => (thread.on === 'pull_request' ? thread.number : null)),
    of(({ arrival }) => arrival.thread.number),
    of(({ arrival }) => mayOpenSession(arrival.intent)),
    of(({ arrival }) => arrival.onlyNew === true),
    of(({ newSession }) => newSession),
    of(({ delivery }) => delivery.id),
    of(({ delivery }) => delivery.event),
    of(({ arrival }) => arrival.meaning),
    of(({ arrival }) => arrival.installation),
    of(({ arrival }) => arrival.repository.owner),
    of(({ arrival }) => arrival.repository.name),
    of(({ title }) => title),
    of(({ firstTitle }) => firstTitle),
    of(({ opened }) => opened),
    of(({ received }) => received),
    ENTRY_VERSION,
  ]);
};
