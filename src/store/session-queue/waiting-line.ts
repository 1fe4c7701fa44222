// Who waits for a slot.
import type { Execute } from '../database/database.ts';
import { LEASE_SECONDS, statement } from './queue-statements.ts';

/**
 * The place of a session among those that wait for a slot, beginning with 1: when it would be taken if no other
 * came and no limit of a repository or account were reached. No row if it does not wait: while a worker lives and none
 * has a session, there are free slots.
 */
const PLACE = statement(
  'place',
  `with waiting as (
     select sessions.id, sessions.installation, sessions.repository_id, sessions.created_at,
       greatest(coalesce(account.used, 0), coalesce(service.clock, 0)) as account_start,
       greatest(coalesce(repository.used, 0), coalesce(account.clock, 0)) as repository_start
     from issuewright.session_queue as queued
     join issuewright.sessions on sessions.id = queued.session_id
     left join issuewright.shares as service
       on service.installation = 0 and service.repository_id = 0
     left join issuewright.shares as account
       on account.installation = sessions.installation and account.repository_id = 0
     left join issuewright.shares as repository
       on repository.installation = sessions.installation
       and repository.repository_id = sessions.repository_id
     where queued.worker is null and queued.is_woken and queued.not_before <= now()
   ), in_repository as (
     select *, repository_start + row_number() over (
       partition by installation, repository_id order by created_at, id) - 1 as repository_turn
     from waiting
   ), in_account as (
     select *, account_start + row_number() over (
       partition by installation order by repository_turn, repository_id) - 1 as account_turn
     from in_repository
   ), in_service as (
     select id, row_number() over (order by account_turn, installation)::integer as place
     from in_account
   )
   select place from in_service where id = $1 and (
     exists (select from issuewright.session_queue where worker is not null)
     or not exists (
       select from issuewright.workers where alive_at > now() - interval '${LEASE_SECONDS} seconds'))`,
);

export interface WaitingLine {
  /** The place of a session among those that wait for a slot; `undefined` if it does not wait. */
  place(session: string): Promise<number | undefined>;
}

export const waitingLine = (execute: Execute): WaitingLine => ({
  place: async (session) => {
    const [row] = await execute<{ place: number }>(PLACE, [session]);
    return row?.place;
  },
});
