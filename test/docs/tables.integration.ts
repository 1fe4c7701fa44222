// The table in docs/operations.md of what the database holds.
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase } from '../support/test-database.ts';

/** The names in backticks of the first column; those of a schema are left out. */
function documented(): string[] {
  const [, part = ''] = readFileSync('docs/operations.md', 'utf8').split(
    '\n## What is in the database\n',
  );
  const [section = ''] = part.split('\n## ');
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => (line.split('|')[1] ?? '').split('schema')[0] ?? '')
    .flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

it('docs/operations.md says what each table of the database holds, and names no other', async () => {
  const place = await createDatabase();
  const client = new pg.Client(place.connection);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select table_name::text as name from information_schema.tables where table_schema = 'issuewright'`,
  );
  await client.end();
  await place.drop();
  expect(documented().toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});
