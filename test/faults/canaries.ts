// Looks for secrets wherever the service or the agent could have put them.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { DEPLOY_TOKEN } from './tales.ts';
import type { World } from './world.ts';

const run = promisify(execFile);

/** Installation tokens of the local GitHub; long enough that a shortened or redacted one does not match. */
const TOKEN = /ghs_1_[\w-]{20,}/;

/** Where a secret is, each as words that name no secret. */
export async function secretsIn(world: World): Promise<string[]> {
  const { repository, stage } = world;
  const places: [string, string][] = [
    ['the log', stage.log()],
    ...repository.issues.map(({ body, title }): [string, string] => [
      'an issue',
      `${title}${body}`,
    ]),
    ...[...repository.comments, ...repository.reviewComments]
      .filter(({ author }) => author.type === 'Bot')
      .map(({ body }): [string, string] => ['a comment', body]),
    ...stage.model.requests.map(({ body }): [string, string] => ['a request to the model', body]),
  ];
  const inTexts = places.filter(([, text]) => hasSecret(world, text)).map(([where]) => where);
  const inTables = await secretsInTables(world);
  return [...new Set([...inTexts, ...inTables, ...(await secretsInFiles(world))])];
}

/** In the workspaces, which a kill may leave, and in all that is in the repositories and the data directory. */
export async function secretsInFiles(world: World, below = world.directory): Promise<string[]> {
  const patterns = wanted(world).flatMap((secret) => ['-e', secret]);
  const { stdout } = await run('grep', ['-rlaF', ...patterns, below]).catch(none);
  return stdout
    .split('\n')
    .filter((file) => file !== '')
    .map((file) => `the file ${path.relative(world.directory, file)}`);
}

/** Grep exits with 1 if it finds nothing, and with 2 if a file goes meanwhile. */
function none(error: unknown): { stdout: string } {
  const { stdout = '' } = Object(error) as { stdout?: string };
  return { stdout };
}

/** A line of the key identifies it, however its lines are broken. */
const wanted = ({ secrets }: World): string[] => [
  ...secrets,
  DEPLOY_TOKEN,
  PRIVATE_KEY.split('\n')[3] ?? PRIVATE_KEY,
];

const hasSecret = (world: World, text: string): boolean =>
  TOKEN.test(text) || wanted(world).some((secret) => text.includes(secret));

/** In all rows of all tables of the database, as text. */
async function secretsInTables(world: World): Promise<string[]> {
  const client = await world.connect();
  const { rows: names } = await client.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('issuewright', 'pgboss') and table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of names)
    for await (const row of rowsOf(client, name))
      if (hasSecret(world, row)) found.push(`the table ${name}`);
  return found;
}

/** A few at a time: the journal may be longer than the memory. */
async function* rowsOf(client: Client, table: string): AsyncGenerator<string> {
  await client.query('begin');
  await client.query(`declare dump no scroll cursor for select one::text as row from ${table} one`);
  for (;;) {
    const { rows } = await client.query<{ row: string }>('fetch 500 from dump');
    if (rows.length === 0) break;
    yield* rows.map(({ row }) => row);
  }
  await client.query('commit');
}
