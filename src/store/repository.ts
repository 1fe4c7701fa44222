// What the sessions of one repository have in common.
import type { Database } from './database.ts';

const ASKING = ['waiting(answer)', 'waiting(approval)'];

/** See `Store.isPersonAwaited`. */
export async function isPersonAwaited(database: Database, repositoryId: number): Promise<boolean> {
  const found = await database
    .selectFrom('sessions')
    .select('id')
    .where('repository_id', '=', repositoryId)
    .where('state', 'in', ASKING)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** See `Store.issuesWithSession`. */
export async function issuesWithSession(
  database: Database,
  repositoryId: number,
  issues: readonly number[],
): Promise<ReadonlySet<number>> {
  if (issues.length === 0) return new Set();
  const rows = await database
    .selectFrom('sessions')
    .select('issue')
    .where('repository_id', '=', repositoryId)
    .where('issue', 'in', [...issues])
    .execute();
  return new Set(rows.map(({ issue }) => issue));
}
