import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { AnswerStore, StoredAnswer } from '../contracts/answers.ts';
import type { Database } from './database/database.ts';

/** Of an installation. */
const MOST_ANSWERS = 500;

export const answerStore = (database: Database): AnswerStore => ({
  find: async (installation, question) => {
    const { rows } = await sql<StoredAnswer>`
      select etag, answer from issuewright.answers
      where installation = ${installation} and question = ${digest(question)}`.execute(database);
    return rows[0];
  },

  keep: async (installation, question, { etag, answer }) => {
    await sql`
      insert into issuewright.answers (installation, question, etag, answer)
      values (${installation}, ${digest(question)}, ${etag}, ${answer})
      on conflict (installation, question) do update
        set etag = excluded.etag, answer = excluded.answer, at = now()`.execute(database);
    await sql`
      delete from issuewright.answers where installation = ${installation} and at < (
        select at from issuewright.answers where installation = ${installation}
        order by at desc offset ${MOST_ANSWERS - 1} limit 1)`.execute(database);
  },
});

/** For the hourly deletion: an answer is asked for again after a day, which costs one request. */
export async function deleteOldAnswers(database: Database): Promise<void> {
  await sql`delete from issuewright.answers where at < now() - interval '1 day'`.execute(database);
}

const digest = (question: string): string => createHash('sha256').update(question).digest('hex');
