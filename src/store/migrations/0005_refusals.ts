import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A session's last refusal is asked for when its installation changes, of all sessions at once. */
const REFUSALS = sql`
  create index journal_refusals on issuewright.journal (session_id, seq)
  where type = 'publishing_blocked'`;

export const refusals: Migration = {
  async up(database: Kysely<unknown>) {
    await REFUSALS.execute(database);
  },
};
