import { randomInt } from 'node:crypto';
import type { Selectable, Updateable } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import { NoSuchSession, type Projection, type SessionRow } from './store.ts';
import type { SessionTable } from './tables.ts';

const ID_LENGTH = 12;
const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Short enough for a URL, and not to be guessed. */
export const newSessionId = (): string =>
  Array.from({ length: ID_LENGTH }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');

export async function findSession(database: Database, id: string): Promise<SessionRow | undefined> {
  const row = await database
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toSessionRow(row);
}

export async function newestSessions(database: Database, limit: number): Promise<SessionRow[]> {
  const rows = await database
    .selectFrom('sessions')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toSessionRow);
}

/** Every writer of a session goes through here first: they take turns, and see each other's work. */
export async function lockSession(
  transaction: DatabaseTransaction,
  id: string,
): Promise<SessionRow> {
  const row = await transaction
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new NoSuchSession(id);
  return toSessionRow(row);
}

export const projectionColumns = (projection: Projection): Updateable<SessionTable> => ({
  ...(projection.state === undefined ? {} : { state: projection.state }),
  ...(projection.pullRequest === undefined ? {} : { pull_request: projection.pullRequest }),
  ...(projection.wakeAt === undefined ? {} : { wake_at: projection.wakeAt }),
});

const toSessionRow = (row: Selectable<SessionTable>): SessionRow => ({
  id: row.id,
  installation: row.installation,
  repository: { id: row.repository_id, owner: row.owner, name: row.name },
  issue: row.issue,
  pullRequest: row.pull_request,
  state: row.state,
  lastSeq: row.last_seq,
  publishedSeq: row.published_seq,
  claim: row.claim,
  wakeAt: row.wake_at,
  publishAt: row.publish_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
