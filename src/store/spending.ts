import type { Entry } from '../session/entry.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import type { SessionRow } from './store.ts';

// What entries cost, by repository and time: a projection of the journal, written with it. To add
// it up from the journal itself would mean to read every entry of the repository.

export async function recordSpending(
  transaction: DatabaseTransaction,
  { id, repository }: Pick<SessionRow, 'id' | 'repository'>,
  entries: readonly Entry[],
): Promise<void> {
  const rows = entries.flatMap((entry) => {
    const dollars = 'cost' in entry ? (entry.cost ?? 0) : 0;
    if (dollars === 0) return [];
    const { seq, at } = entry;
    return [{ repository_id: repository.id, at: new Date(at), session_id: id, seq, dollars }];
  });
  if (rows.length > 0) await transaction.insertInto('spending').values(rows).execute();
}

/** See `Store.spentSince`. */
export async function spentSince(
  database: Database,
  repositoryId: number,
  since: Date,
): Promise<number> {
  const { dollars } = await database
    .selectFrom('spending')
    .select(({ fn }) => fn.sum<number | null>('dollars').as('dollars'))
    .where('repository_id', '=', repositoryId)
    .where('at', '>=', since)
    .executeTakeFirstOrThrow();
  return dollars ?? 0;
}
