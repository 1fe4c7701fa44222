// What is known of events that did not arrive: how far they were looked for, and which are settled.
import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface MissedStore {
  /** Up to when this source was looked through, by GitHub's clock; `undefined`: never. */
  seenUntil(source: string): Promise<Date | undefined>;
  /** Never goes back. */
  markSeen(source: string, until: Date): Promise<void>;
  /** Those of these deliveries that nothing more is to be done for. */
  settled(deliveries: readonly string[]): Promise<ReadonlySet<string>>;
  settle(delivery: string): Promise<void>;
  /** Counts a failed try to take it. Resolves with the number of tries. */
  failed(delivery: string): Promise<number>;
}

/** GitHub keeps deliveries for about three days. */
const KEPT = sql`interval '7 days'`;

export const missedStore = (database: Database): MissedStore => ({
  seenUntil: async (source) => {
    const query = database.selectFrom('watermarks').select('until').where('source', '=', source);
    return (await query.executeTakeFirst())?.until;
  },

  markSeen: async (source, until) => {
    await sql`
      insert into issuewright.watermarks (source, until) values (${source}, ${until})
      on conflict (source) do update set until = greatest(watermarks.until, excluded.until)
    `.execute(database);
  },

  settled: async (deliveries) => {
    if (deliveries.length === 0) return new Set();
    const rows = await database
      .selectFrom('missed_deliveries')
      .select('id')
      .where('is_settled', '=', true)
      .where(sql<boolean>`id = any(${[...deliveries]})`)
      .execute();
    return new Set(rows.map(({ id }) => id));
  },

  settle: async (delivery) => {
    await sql`
      with old as (delete from issuewright.missed_deliveries where first_seen_at < now() - ${KEPT})
      insert into issuewright.missed_deliveries (id, is_settled) values (${delivery}, true)
      on conflict (id) do update set is_settled = true
    `.execute(database);
  },

  failed: async (delivery) => {
    const { rows } = await sql<{ tries: number }>`
      insert into issuewright.missed_deliveries (id, tries) values (${delivery}, 1)
      on conflict (id) do update set tries = missed_deliveries.tries + 1 returning tries
    `.execute(database);
    return rows[0]?.tries ?? 1;
  },
});
