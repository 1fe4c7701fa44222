// What is wrong now, as all processes see it, and what of it the operator was told.
import { sql } from 'kysely';
import type { Problem, ProblemCause, ProblemNews, SeenProblem } from '../contracts/service.ts';
import type { Database } from './database/database.ts';

/** Something worked again. */
interface Recovery {
  readonly cause: ProblemCause;
  readonly subject: string;
  readonly at: Date;
}

export interface ProblemStore {
  /** These are so, whether or not they were before. `at`: when that was noticed, if not now. */
  seen(problems: readonly (SeenProblem & { readonly at?: Date })[]): Promise<void>;
  /** Ends those that were last seen before it worked again, five minutes ago or longer. Without them, keys that work now and then would be news each time. */
  recovered(recoveries: readonly Recovery[]): Promise<void>;
  /** Ends those of a cause that have none of these subjects. */
  endOthers(cause: ProblemCause, subjects: readonly string[]): Promise<void>;
  /** Longest first. */
  open(): Promise<readonly Problem[]>;
  /** Something that the operator was not told yet, which no other process takes within a minute. */
  takeNews(): Promise<ProblemNews | undefined>;
  /** The operator was told. */
  told(news: ProblemNews): Promise<void>;
}

const QUIET = sql`interval '5 minutes'`;
/** Nobody is told any more. */
const FORGOTTEN = sql`interval '1 day'`;

/** Whoever was told that it began is told that it is over, and whoever may have been: a process may die before it notes that. */
const END = sql`set ended_at = now(), told = true
  where ended_at is null and (told or taken_until <> '-infinity') and `;

const SEEN_BY_NOBODY = sql`delete from issuewright.problems
  where not told and taken_until = '-infinity' and `;

export const problemStore = (database: Database): ProblemStore => ({
  seen: async (problems) => {
    if (problems.length === 0) return;
    await sql`
      insert into issuewright.problems (cause, subject, text, since, last_at)
      select cause, subject, text, coalesce(at, now()), coalesce(at, now()) from unnest(
        ${problems.map(({ cause }) => cause)}::text[], ${problems.map(({ subject }) => subject)}::text[],
        ${problems.map(({ text }) => text)}::text[],
        ${problems.map(({ at }) => at ?? null)}::timestamptz[]) as seen (cause, subject, text, at)
      on conflict (cause, subject) do update
        set last_at = greatest(problems.last_at, excluded.last_at), text = excluded.text,
          ended_at = null`.execute(database);
  },

  recovered: async (recoveries) => {
    if (recoveries.length === 0) return;
    const isRecovered = sql`exists (
      select from unnest(${recoveries.map(({ cause }) => cause)}::text[],
        ${recoveries.map(({ subject }) => subject)}::text[], ${recoveries.map(({ at }) => at)}::timestamptz[]
      ) as again (cause, subject, at)
      where again.cause = problems.cause and again.subject = problems.subject
        and last_at < again.at and last_at < now() - ${QUIET})`;
    await sql`${SEEN_BY_NOBODY}${isRecovered}`.execute(database);
    await sql`update issuewright.problems ${END}${isRecovered}`.execute(database);
  },

  endOthers: async (cause, subjects) => {
    const isOther = sql`cause = ${cause} and subject <> all(${[...subjects]}::text[])`;
    await sql`${SEEN_BY_NOBODY}${isOther}`.execute(database);
    await sql`update issuewright.problems ${END}${isOther}`.execute(database);
    await sql`delete from issuewright.problems where ended_at < now() - ${FORGOTTEN}`.execute(
      database,
    );
  },

  open: () => openProblems(database),

  takeNews: () => takeNews(database),

  told: (news) => noteTold(database, news),
});

export async function openProblems(database: Database): Promise<readonly Problem[]> {
  const { rows } = await sql<Problem>`
    select cause, subject, text, since, told as "isTold" from issuewright.problems
    where ended_at is null order by since, cause, subject`.execute(database);
  return rows;
}

async function takeNews(database: Database): Promise<ProblemNews | undefined> {
  const { rows } = await sql<ProblemNews>`
    update issuewright.problems set taken_until = now() + interval '1 minute'
    where (cause, subject) = (
      select cause, subject from issuewright.problems
      where taken_until < now() and told = (ended_at is not null)
      order by since limit 1 for update skip locked)
    returning cause, subject, text, since, ended_at as over`.execute(database);
  return rows[0];
}

async function noteTold(database: Database, { cause, subject, over }: ProblemNews): Promise<void> {
  const isIt = sql`cause = ${cause} and subject = ${subject}`;
  if (over === null) {
    await sql`update issuewright.problems set told = true, taken_until = '-infinity'
      where ${isIt}`.execute(database);
    return;
  }
  await sql`delete from issuewright.problems where ${isIt} and ended_at is not null`.execute(
    database,
  );
  // If it began again while its end was told, it is another problem, with an id of its own.
  await sql`update issuewright.problems set told = false, since = now(), taken_until = '-infinity'
    where ${isIt}`.execute(database);
}
