import type { NewEntry } from '../session/entries/entry.ts';
import type { Database } from './database.ts';

// What entries cost, by repository and time: a projection of the journal, written with it. To add
// it up from the journal itself would mean to read every entry of the repository.

/** What the entry's row of `spending` says; `null`: it has none, as it costs nothing or nobody knows. */
export function dollarsOf(entry: NewEntry): number | null {
  const dollars = 'cost' in entry ? entry.cost : null;
  return dollars === 0 ? null : dollars;
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
