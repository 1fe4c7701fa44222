// What is known of events that did not arrive: how far they were looked for, and which are settled.
import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../database/database.ts';

export interface MissedStore {
  /** `undefined`: the source was never looked through. */
  watermark(source: string): Promise<Watermark | undefined>;
  /** Its time never goes back. */
  markSeen(source: string, until: Date): Promise<void>;
  /** Those of these deliveries that nothing more is to be done for. */
  settled(deliveries: readonly string[]): Promise<ReadonlySet<string>>;
  /** Nothing more is to be done for this delivery: if it comes again, it is known. */
  settle(delivery: string, event: string): Promise<void>;
  /**
   * Counts a failed try to take it. Resolves with the number of tries; `undefined` if it does not count, because the last
   * one that did was less than 30 seconds ago.
   */
  failed(delivery: string): Promise<number | undefined>;
  /** Those of these meanings (`Arrival.meaning`) that were accepted. */
  knownMeanings(meanings: readonly string[]): Promise<ReadonlySet<string>>;
  /** When people requested the work of the sessions on these issues and pull requests, by their numbers. */
  begunAt(repositoryId: number, threads: readonly number[]): Promise<ReadonlyMap<number, Date>>;
}

interface Watermark {
  /** By GitHub's clock. */
  readonly until: Date;
}

/** GitHub keeps deliveries for about three days. */
const KEPT = sql`interval '7 days'`;
const BETWEEN_TRIES = sql`interval '30 seconds'`;

export const missedStore = (database: Database): MissedStore => ({
  ...progress(database),
  ...known(database),
});

const progress = (database: Database): Omit<MissedStore, 'knownMeanings' | 'begunAt'> => ({
  watermark: (source) =>
    database
      .selectFrom('watermarks')
      .select('until')
      .where('source', '=', source)
      .executeTakeFirst(),

  markSeen: async (source, until) => {
    await sql`
      insert into issuewright.watermarks (source, until) values (${source}, ${until})
      on conflict (source) do update
        set until = greatest(watermarks.until, excluded.until), looked_at = now()
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

  settle: async (delivery, event) => {
    await sql`
      with old as (delete from issuewright.missed_deliveries where first_seen_at < now() - ${KEPT}),
      taken as (
        insert into issuewright.deliveries (id, meaning, event) values (${delivery}, ${`missed:${delivery}`}, ${event})
        on conflict do nothing
      )
      insert into issuewright.missed_deliveries (id, is_settled) values (${delivery}, true)
      on conflict (id) do update set is_settled = true
    `.execute(database);
  },

  failed: async (delivery) => {
    const { rows } = await sql<{ tries: number }>`
      insert into issuewright.missed_deliveries (id, tries, tried_at) values (${delivery}, 1, now())
      on conflict (id) do update set tries = missed_deliveries.tries + 1, tried_at = now()
        where missed_deliveries.tried_at <= now() - ${BETWEEN_TRIES}
      returning tries
    `.execute(database);
    return rows[0]?.tries;
  },
});

const known = (database: Database): Pick<MissedStore, 'knownMeanings' | 'begunAt'> => ({
  knownMeanings: async (meanings) => {
    if (meanings.length === 0) return new Set();
    const rows = await database
      .selectFrom('deliveries')
      .select('meaning')
      .where(sql<boolean>`meaning = any(${[...meanings]})`)
      .execute();
    return new Set(rows.map(({ meaning }) => meaning));
  },

  begunAt: async (repositoryId, threads) => {
    if (threads.length === 0) return new Map();
    const { rows } = await sql<BegunRow>`
      select issue, pull_request, created_at, (
        select body from issuewright.journal
        where session_id = sessions.id and type = 'received' order by seq limit 1
      ) as received
      from issuewright.sessions as sessions
      where repository_id = ${repositoryId}
        and (issue = any(${[...threads]}) or pull_request = any(${[...threads]}))
      order by created_at desc
    `.execute(database);
    return new Map(rows.flatMap(begunOf));
  },
});

/** Those of these deliveries that were accepted, or settled. */
export async function knownDeliveries(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom('deliveries')
    .select('id')
    .where(sql<boolean>`id = any(${[...ids]})`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

interface BegunRow {
  readonly issue: number;
  readonly pull_request: number | null;
  readonly created_at: Date;
  readonly received: string | null;
}

const Received = z.object({ intent: z.object({ at: z.string() }) });

/** By both numbers. Where there are several sessions, the oldest one is the last, which counts. */
function begunOf(row: BegunRow): readonly (readonly [number, Date])[] {
  const first = Received.safeParse(JSON.parse(row.received ?? '{}')).data;
  const begun = first === undefined ? row.created_at : new Date(first.intent.at);
  const numbers = row.pull_request === null ? [row.issue] : [row.issue, row.pull_request];
  return numbers.map((number) => [number, begun]);
}
