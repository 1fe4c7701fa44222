import { sql } from 'kysely';
import type { Database } from './database.ts';

const AT_ONCE = 500;

/** See `Store.wakeInstallation`. */
export async function wakeInstallation(
  database: Database,
  installation: number,
): Promise<readonly string[]> {
  await sql`
    update issuewright.sessions set wake_at = now()
    where installation = ${installation} and claim is null
      and (state in ('queued', 'working') or wake_at is not null)
  `.execute(database);
  // No person's text can look like this: within JSON, quotes are escaped.
  const { rows } = await sql<{ id: string }>`
    select id from issuewright.sessions as sessions
    where installation = ${installation} and (
      select body from issuewright.journal
      where session_id = sessions.id and type = 'publishing_blocked' order by seq desc limit 1
    ) not like '%"block":null%'
    order by created_at desc limit ${AT_ONCE}
  `.execute(database);
  return rows.map(({ id }) => id);
}
