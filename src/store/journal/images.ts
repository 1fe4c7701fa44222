import { sql } from 'kysely';
import type { StoredImage } from '../../contracts/image.ts';
import type { Database, DatabaseTransaction } from '../database/database.ts';

/** Stores them one by one: together they may be larger than one statement should be. */
export async function storeImages(
  transaction: DatabaseTransaction,
  session: string,
  images: readonly StoredImage[],
): Promise<void> {
  for (const { id, content } of images)
    await transaction
      .insertInto('images')
      .values({ session_id: session, id, content })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** See `Store.images`. */
export async function readImages(
  database: Database,
  session: string,
  images: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (images.length === 0) return new Map();
  const rows = await database
    .selectFrom('images')
    .select(['id', 'content'])
    .where('session_id', '=', session)
    .where(sql<boolean>`id = any(${[...images]})`)
    .execute();
  return new Map(rows.map(({ id, content }) => [id, content]));
}
