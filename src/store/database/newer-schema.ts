// A database that a newer version has migrated.
import { sql, type Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** The end of the name of a migration with which the version before it keeps working. */
const COMPATIBLE = '_compatible';

/** For the operator. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';

  constructor(change: string) {
    super(
      `Cannot use the database: a newer version of Issuewright has changed its tables (${change}), and this version cannot work with them. ` +
        `Start the newer version. To go back to this one, restore the backup from before the upgrade.`,
    );
  }
}

/** Of the migrations that were made, those that are not in `known`, oldest first. */
export async function unknownMigrations(
  database: Kysely<Tables>,
  known: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from issuewright.kysely_migration order by name`.execute(database);
  return rows.map(({ name }) => name).filter((name) => !known.has(name));
}

/** Whether this version may work with them. */
export const isCompatible = (migration: string): boolean => migration.endsWith(COMPATIBLE);
