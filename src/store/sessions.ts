import { sql, type Selectable, type Updateable } from 'kysely';
import {
  inTransaction,
  type Database,
  type DatabaseTransaction,
  type Execute,
} from './database/database.ts';
import type { Queue } from './queue/queue.ts';
import {
  NoSuchSession,
  type Projection,
  type SessionRow,
  type SessionChoices,
  type SessionQuery,
} from './store.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import type { SessionTable } from './database/tables.ts';
import type { RepositoryRef } from '../contracts/intent.ts';

/** What the operations of the store need. */
export interface StoreParts {
  readonly database: Database;
  /** Runs a statement in its own transaction. */
  readonly execute: Execute;
  readonly queue: Pick<Queue, 'wake'>;
  /** Wakes `publish` outside of any transaction, without a delay for the caller; see `Store.append`. */
  readonly publishSoon: (session: string) => void;
}

export async function findSession(database: Database, id: string): Promise<SessionRow | undefined> {
  const row = await database
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toSessionRow(row);
}

/** SQL for the repository of a session: GitHub's number, which stays the same if it is renamed or moved. */
export const repositoryOf = (session: string) =>
  sql`(select repository_id from issuewright.sessions where id = ${session})`;

/** The session as its last writer left it. Until the transaction ends, others that write to it wait. */
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

export const projectionColumns = (projection: Projection): Updateable<SessionTable> =>
  withoutUndefined({
    state: projection.state,
    outcome: projection.outcome,
    pull_request: projection.pullRequest,
    model: projection.model,
    dollars: projection.cost?.dollars,
    is_partial: projection.cost?.isPartial,
    wake_at: projection.wakeAt,
  });

export const toSessionRow = (row: Selectable<SessionTable>): SessionRow => ({
  id: row.id,
  installation: row.installation,
  repository: { id: row.repository_id, owner: row.owner, name: row.name },
  issue: row.issue,
  title: row.title,
  pullRequest: row.pull_request,
  state: row.state,
  outcome: row.outcome,
  model: row.model,
  cost: { dollars: row.dollars, isPartial: row.is_partial },
  lastSeq: row.last_seq,
  publishedSeq: row.published_seq,
  claim: row.claim,
  wakeAt: row.wake_at,
  publishAt: row.publish_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const AWAITING_PERSON = ['waiting(answer)', 'waiting(approval)'];

/** See `Store.isPersonAwaited`. */
export async function isPersonAwaited(database: Database, repositoryId: number): Promise<boolean> {
  const found = await database
    .selectFrom('sessions')
    .select('id')
    .where('repository_id', '=', repositoryId)
    .where('state', 'in', AWAITING_PERSON)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** See `Store.sessionFor`. */
export async function sessionFor(
  database: Database,
  repositoryId: number,
  number: number,
): Promise<SessionRow | undefined> {
  const row = await database
    .selectFrom('sessions')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .where((where) => where.or([where('issue', '=', number), where('pull_request', '=', number)]))
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return row && toSessionRow(row);
}

const MAX_BASED = 200;

/** See `Store.wakeForBase`. */
export const wakeForBase = (
  { database, queue }: StoreParts,
  repositoryId: number,
  branch: string,
): Promise<number> =>
  inTransaction(database, async (transaction) => {
    // Strings within the entry have their quotes escaped, so nobody's text contains this.
    const named = `"baseBranch":${JSON.stringify(branch)}`;
    const { rows } = await sql<{ id: string }>`
      select id from issuewright.sessions as sessions
      where repository_id = ${repositoryId} and (state = 'failed' or state like 'waiting(%')
      and strpos((
        select body from issuewright.journal
        where session_id = sessions.id and type in ('run_prepared', 'base_chosen', 'base_changed')
        order by seq desc limit 1
      ), ${named}) > 0
      order by created_at desc limit ${MAX_BASED}
    `.execute(transaction);
    for (const { id } of rows) await queue.wake('advance', id, transaction);
    return rows.length;
  });

/** See `Store.wakeForSubIssue`. */
export const wakeForSubIssue = (
  { database, queue }: StoreParts,
  repositoryId: number,
  parent: number,
): Promise<boolean> =>
  inTransaction(database, async (transaction) => {
    const rows = await transaction
      .selectFrom('sessions')
      .select('id')
      .where('repository_id', '=', repositoryId)
      .where('issue', '=', parent)
      .where('state', '=', 'waiting(sub-issues)')
      .execute();
    for (const { id } of rows) await queue.wake('advance', id, transaction);
    return rows.length > 0;
  });

const MAX_SESSIONS = 500;

const OVER = ['ignored', 'done', 'stopped'];

/** See `Store.openSessions`. */
export async function openSessions(
  database: Database,
  installation: number,
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('sessions')
    .select('id')
    .where('installation', '=', installation)
    .where('state', 'not in', OVER)
    .orderBy('created_at', 'desc')
    .limit(MAX_SESSIONS)
    .execute();
  return rows.map(({ id }) => id);
}

/** See `Store.wakeInstallation`. */
export async function wakeInstallation(
  database: Database,
  installation: number,
): Promise<readonly string[]> {
  // What is being worked on may be about to wait for what has just changed: it is looked at once more afterwards. First, since
  // what is left between the two statements waits by then, and what starts between them knows of the change.
  await sql`
    insert into issuewright.session_queue (session_id)
    select id from issuewright.sessions where installation = ${installation} and claim is not null
    on conflict (session_id) do update set is_woken = true, not_before = '-infinity'
  `.execute(database);
  await sql`
    update issuewright.sessions set wake_at = now()
    where installation = ${installation} and claim is null
      and (state in ('queued', 'working') or wake_at is not null)
  `.execute(database);
  // People's text cannot contain this pattern, because JSON escapes quotes.
  const { rows } = await sql<{ id: string }>`
    select id from issuewright.sessions as sessions
    where installation = ${installation} and (
      select body from issuewright.journal
      where session_id = sessions.id and type = 'publishing_blocked' order by seq desc limit 1
    ) not like '%"block":null%'
    order by created_at desc limit ${MAX_SESSIONS}
  `.execute(database);
  return rows.map(({ id }) => id);
}

/** See `Store.sessions`. */
export async function listSessions(
  database: Database,
  { limit, after, state, repositoryId, within, model, search = '' }: SessionQuery,
): Promise<SessionRow[]> {
  let rows = database.selectFrom('sessions').selectAll();
  if (state !== undefined) rows = rows.where('state', '=', state);
  if (repositoryId !== undefined) rows = rows.where('repository_id', '=', repositoryId);
  const isWithin = isIn(within);
  rows = rows.where(isWithin);
  if (model !== undefined) rows = rows.where('model', '=', model);
  if (search !== '') rows = rows.where(matches(search));
  if (after !== undefined)
    rows = rows.where(
      sql<boolean>`(created_at, id) < (select created_at, id from issuewright.sessions where id = ${after} and ${isWithin})`,
    );
  const page = rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit);
  return (await page.execute()).map(toSessionRow);
}

const isIn = (repositories: readonly number[] | undefined) =>
  repositories === undefined
    ? sql<boolean>`true`
    : sql<boolean>`repository_id = any(${repositories})`;

const NUMBER = /^#?(\d{1,9})$/;

function matches(search: string) {
  // The text is what it says: none of its signs stand for others.
  const part = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const number = NUMBER.exec(search)?.[1];
  const isNumber =
    number === undefined
      ? sql<boolean>`false`
      : sql<boolean>`issue = ${Number(number)} or pull_request = ${Number(number)}`;
  return sql<boolean>`(title ilike ${part} or owner || '/' || name ilike ${part} or ${isNumber})`;
}

/** See `Store.choices`. */
export async function sessionChoices(
  database: Database,
  within?: readonly number[],
): Promise<SessionChoices> {
  const isWithin = isIn(within);
  const { rows: repositories } = await sql<RepositoryRef>`
    select distinct on (repository_id) repository_id as id, owner, name
    from issuewright.sessions where ${isWithin} order by repository_id, created_at desc
  `.execute(database);
  const { rows: models } = await sql<{ model: string }>`
    select distinct model from issuewright.sessions where model <> '' and ${isWithin} order by model
  `.execute(database);
  const byName = (one: RepositoryRef, other: RepositoryRef): number =>
    `${one.owner}/${one.name}`.localeCompare(`${other.owner}/${other.name}`);
  return { repositories: repositories.toSorted(byName), models: models.map(({ model }) => model) };
}
