// What is deleted, and when: sessions that are over, and all of repositories that the App was removed from.
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Database, type DatabaseTransaction } from '../database/database.ts';

/** Numbers of what was deleted. */
interface DeletedCounts {
  readonly sessions: number;
  readonly repositories: number;
}

export interface RetentionStore {
  /**
   * The App was removed from these repositories, and, with `installation`, from all whose sessions belong to it. Their
   * data is deleted after `GRACE_DAYS`. Repositories that were removed before keep their time.
   */
  removed(repositories: readonly number[], installation?: number): Promise<void>;
  /** The App can reach these repositories: nothing of them is deleted because it was removed. */
  reachable(repositories: readonly number[]): Promise<void>;
  /**
   * Deletes what is due: repositories that were removed, sessions of pull requests that nobody asked to review, and
   * sessions that are over and were last changed before `before`; none by default. Their costs lose the names once the month is over. At most some thousand sessions at once, in small transactions. Several processes may do this
   * at the same time.
   */
  sweep(before?: Date): Promise<DeletedCounts>;
}

/** If someone removes the App by mistake, everything is as before when it comes back in this time. */
export const GRACE_DAYS = 7;

const BATCH = 20;
const MOST_BATCHES = 100;

/** What someone might still ask for is in no other state: whoever waits for people is not over. */
const OVER = sql`state in ('done', 'stopped', 'failed', 'ignored')`;

/** A pull request was opened or pushed to, the settings ask for no review of it, and nothing else came in. */
const UNASKED = sql`state = 'ignored' and not exists (
  select from issuewright.journal where session_id = sessions.id and (
    type not in ('opened', 'received', 'rejected')
    or type = 'rejected' and strpos(body, '"reason":"no_review"') = 0))`;

const DUE = sql`removed_at < now() - ${GRACE_DAYS} * interval '1 day'`;

export const retentionStore = (database: Database): RetentionStore => ({
  removed: async (repositories, installation) => {
    await sql`
      insert into issuewright.removed_repositories (repository_id)
      select unnest(${[...repositories]}::bigint[]) union
      select repository_id from issuewright.sessions where installation = ${installation ?? null}
      on conflict do nothing`.execute(database);
  },

  reachable: async (repositories) => {
    if (repositories.length === 0) return;
    await sql`delete from issuewright.removed_repositories
      where repository_id = any(${[...repositories]}::bigint[])`.execute(database);
  },

  sweep: async (before) => {
    let sessions = await deleteSessions(
      database,
      sql`repository_id in (select repository_id from issuewright.removed_repositories where ${DUE})`,
    );
    const repositories = await deleteRepositories(database);
    sessions += await deleteSessions(database, UNASKED, true);
    await sql`delete from issuewright.spending
      where repository_id = 0 and at < date_trunc('month', now(), 'UTC')`.execute(database);
    if (before !== undefined) {
      sessions += await deleteSessions(database, sql`${OVER} and updated_at < ${before}`);
      await sql`delete from issuewright.deliveries
        where session_id is null and received_at < ${before}`.execute(database);
      await sql`update issuewright.spending set person_id = null, person = ''
        where at < date_trunc('month', now(), 'UTC') and person_id is not null and not exists (
          select from issuewright.sessions where id = spending.session_id)`.execute(database);
    }
    return { sessions, repositories };
  },
});

/** `keepsDeliveries`: the same events are still known when GitHub delivers them again. */
async function deleteSessions(
  database: Database,
  due: RawBuilder<unknown>,
  keepsDeliveries = false,
): Promise<number> {
  let count = 0;
  for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
    const deleted = await inTransaction(database, (transaction) =>
      deleteBatch(transaction, due, keepsDeliveries),
    );
    count += deleted;
    if (deleted < BATCH) break;
  }
  return count;
}

/** Those that a process works on, or writes to, are left for the next time. */
async function deleteBatch(
  transaction: DatabaseTransaction,
  due: RawBuilder<unknown>,
  keepsDeliveries: boolean,
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from issuewright.sessions where ${due} and not exists (
      select from issuewright.session_queue where session_id = sessions.id and worker is not null)
    limit ${BATCH} for update skip locked`.execute(transaction);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  if (keepsDeliveries)
    await sql`update issuewright.deliveries set session_id = null
      where session_id = any(${ids})`.execute(transaction);
  // Each after those that refer to it. Images and the row of the queue go with the session.
  for (const table of ['changes', 'journal', 'publications', 'deliveries'] as const)
    await transaction
      .deleteFrom(table)
      .where(sql<boolean>`session_id = any(${ids})`)
      .execute();
  await transaction.deleteFrom('sessions').where('id', 'in', ids).execute();
  return ids.length;
}

/** What is left of repositories that have no session any more. */
async function deleteRepositories(database: Database): Promise<number> {
  const { rows } = await sql<{ repository: number }>`
    select repository_id as repository from issuewright.removed_repositories as removed
    where ${DUE} and not exists (
      select from issuewright.sessions where repository_id = removed.repository_id)
    limit ${BATCH * MOST_BATCHES}`.execute(database);
  for (const { repository } of rows)
    await inTransaction(database, async (transaction) => {
      // The amounts alone count in the budget of this month.
      await sql`update issuewright.spending set repository_id = 0, person_id = null, person = ''
        where repository_id = ${repository}`.execute(transaction);
      for (const table of ['memories', 'results', 'shares', 'removed_repositories'])
        await sql`delete from ${sql.table(`issuewright.${table}`)}
          where repository_id = ${repository}`.execute(transaction);
      await sql`delete from issuewright.watermarks where source = ${`repository:${repository}`}`.execute(
        transaction,
      );
    });
  return rows.length;
}

/** Sessions that a person had to do with: `erased` are gone, `left` work or wait. */
export interface Erasure {
  readonly erased: readonly string[];
  readonly left: readonly string[];
}

/**
 * Deletes the sessions that are over and in which this person wrote or did something, whole: their words are in what models read and
 * answered. Of what stays, their costs lose the name.
 */
export async function erasePerson(database: Database, given: string): Promise<Erasure> {
  const login = given.toLowerCase();
  // Quotes in people's text are escaped in JSON, so that nobody's text contains this.
  const names = ['login', 'author'].map((key) => `${JSON.stringify(key)}:${JSON.stringify(login)}`);
  const { rows } = await sql<{ id: string }>`
    select distinct session_id as id from issuewright.journal
    where strpos(lower(body), ${names[0]}) > 0 or strpos(lower(body), ${names[1]}) > 0
    order by id`.execute(database);
  const all = rows.map(({ id }) => id);
  await deleteSessions(database, sql`id = any(${all}) and ${OVER}`);
  const found = await sql<{ id: string }>`
    select id from issuewright.sessions where id = any(${all}) order by id`.execute(database);
  const left = new Set(found.rows.map(({ id }) => id));
  await sql`update issuewright.spending set person = '', person_id = null
    where lower(person) = ${login}`.execute(database);
  await sql`delete from issuewright.sign_ins where lower(login) = ${login}`.execute(database);
  await sql`delete from issuewright.problems
    where cause = 'budget_used_up' and lower(subject) = ${`budget_person_day ${login}`}`.execute(
    database,
  );
  return { erased: all.filter((id) => !left.has(id)), left: [...left] };
}
