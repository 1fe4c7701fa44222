import { randomUUID } from 'node:crypto';
import { sql, type Updateable } from 'kysely';
import { inTransaction, type Database, type DatabaseTransaction } from './database/database.ts';
import { writeWorth } from './results.ts';
import { findSession, projectionColumns, toSessionRow, type StoreParts } from './sessions.ts';
import type { SessionTable } from './database/tables.ts';
import { ClaimLost, NoSuchSession, type Projection, type SessionRow } from './store.ts';

/**
 * See `Store.claim`. It waits for a writer that has locked the session, so that it sees the write. A statement that reaches the
 * database late, after its second attempt, changes nothing: someone has claimed the session since then.
 */
export async function claim(database: Database, id: string): Promise<string> {
  for (;;) {
    const token = await replaceClaim(database, id, await countClaims(database, id));
    if (token !== undefined) return token;
  }
}

/** How often the session was claimed. */
export async function countClaims(database: Database, id: string): Promise<number> {
  const session = await database
    .selectFrom('sessions')
    .select('claims')
    .where('id', '=', id)
    .executeTakeFirst();
  if (session === undefined) throw new NoSuchSession(id);
  return session.claims;
}

/** `undefined` if it was claimed since it had been claimed `before` times. */
export async function replaceClaim(
  database: Database,
  id: string,
  before: number,
): Promise<string | undefined> {
  const token = randomUUID();
  const claimed = await database
    .updateTable('sessions')
    .set({
      claim: token,
      claims: before + 1,
      wake_at: null,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('claims', '=', before)
    .returning('id')
    .executeTakeFirst();
  return claimed && token;
}

/** See `Store.settle`. What keeps the claim locks nothing, so that nobody who adds to the session waits. */
export function settleClaim(
  { database, queue }: StoreParts,
  id: string,
  claimed: string,
  seen: number,
  projection: Projection,
): Promise<'settled' | 'more'> {
  return inTransaction(database, async (transaction) => {
    const session = await endClaim(transaction, id, claimed, projectionColumns(projection), seen);
    if (session === undefined) return stillClaimed(transaction, id, claimed);
    if (projection.worth !== undefined) await writeWorth(transaction, session, projection.worth);
    await publishRest(queue, session, transaction);
    return 'settled';
  });
}

/** See `Store.release`. */
export function release(
  { database, queue }: StoreParts,
  id: string,
  claimed: string,
  at?: Date,
): Promise<void> {
  return inTransaction(database, async (transaction) => {
    const wakeAt = at === undefined ? {} : { wake_at: at };
    const session = await endClaim(transaction, id, claimed, wakeAt, null);
    if (session === undefined) return;
    if (at === undefined) await queue.wake('advance', id, transaction);
    await publishRest(queue, session, transaction);
  });
}

/** @throws {ClaimLost} */
async function stillClaimed(
  transaction: DatabaseTransaction,
  id: string,
  claimed: string,
): Promise<'more'> {
  const session = await findSession(transaction, id);
  if (session === undefined) throw new NoSuchSession(id);
  if (session.claim !== claimed) throw new ClaimLost(id);
  return 'more';
}

/** Writes the columns and drops the claim. `undefined`: another one has it, or there are entries after `seen`. */
async function endClaim(
  transaction: DatabaseTransaction,
  id: string,
  claimed: string,
  columns: Updateable<SessionTable>,
  seen: number | null,
): Promise<SessionRow | undefined> {
  const row = await transaction
    .updateTable('sessions')
    .set({ ...columns, claim: null, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('claim', '=', claimed)
    .where(sql<boolean>`last_seq <= coalesce(${seen}::integer, last_seq)`)
    .returningAll()
    .executeTakeFirst();
  return row && toSessionRow(row);
}

/** The end of a run is published without a throttle, because no later append would publish it. */
async function publishRest(
  queue: StoreParts['queue'],
  { id, lastSeq, publishedSeq }: SessionRow,
  transaction: DatabaseTransaction,
): Promise<void> {
  if (publishedSeq < lastSeq) await queue.wake('publish', id, transaction);
}
