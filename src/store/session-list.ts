// Sessions in a list, page by page.
import { sql } from 'kysely';
import type { RepositoryRef } from '../contracts/intent.ts';
import type { Database } from './database/database.ts';
import type { SessionChoices, SessionQuery, SessionRow } from './store.ts';
import { toSessionRow } from './sessions.ts';

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
