// Looks for secrets wherever the service or the agent could have put them.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import {
  gitEnvironment,
  GITHUB_SIGNATURE,
} from '../../packages/local-github/src/github/git/git.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { secretPattern } from './secret-pattern.ts';
import { DEPLOY_TOKEN } from './tales.ts';
import type { World } from './world.ts';

const run = promisify(execFile);

/** All objects of a repository together: a string cannot be much longer. */
const MOST_BYTES = 500_000_000;

/** Where a secret is, each as words that name no secret. */
export async function secretsIn(world: World): Promise<string[]> {
  const pattern = new RegExp(patternOf(world));
  const inTexts = textsOf(world)
    .filter(([, text]) => pattern.test(text))
    .map(([where]) => where);
  const inTables = await secretsInTables(world, pattern);
  return [...new Set([...inTexts, ...inTables, ...(await secretsInFiles(world))])];
}

function textsOf({ repository, stage }: World): (readonly [where: string, text: string])[] {
  const { issues, comments, reviews, reviewComments, checks } = repository;
  return [
    ['the log', stage.log()],
    ...issues.map(({ body, title }) => ['an issue', `${title}\n${body}`] as const),
    ...[...comments, ...reviews, ...reviewComments]
      .filter(({ author }) => author.type === 'Bot')
      .map(({ body }) => ['a comment', body] as const),
    ...[...checks.runs, ...checks.statuses].map(
      (check) => ['a check', JSON.stringify(check)] as const,
    ),
    ...stage.model.requests.map(({ body }) => ['a request to the model', body] as const),
  ];
}

/** In the workspaces, which a kill may leave, in the repositories with all their objects, and in the data directory. */
export async function secretsInFiles(world: World, below = world.directory): Promise<string[]> {
  const pattern = patternOf(world);
  // Grep exits with 1 if it finds nothing, and with 2 if a file goes meanwhile.
  const files = await linesOf('grep', ['-rlaE', '-e', pattern, below]);
  // Find exits with 1 if a directory goes meanwhile.
  const stores = await linesOf('find', [below, '-type', 'd', '-name', 'objects', '-prune']);
  const found = files.map((file) => `the file ${path.relative(world.directory, file)}`);
  for (const store of stores)
    if (new RegExp(pattern).test(await objectsIn(world, store)))
      found.push(`the git objects in ${path.relative(world.directory, store)}`);
  return found;
}

async function linesOf(command: string, args: readonly string[]): Promise<string[]> {
  const options = { env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  const { stdout } = await run(command, args, options).catch((error: unknown) => {
    if (Object(error).code === 1 || Object(error).code === 2) return error as { stdout: string };
    throw error;
  });
  return stdout.split('\n').filter((line) => line !== '');
}

/** All commits, trees and files: git compresses them, so a search of its files does not find what is in them. */
async function objectsIn({ repository }: World, store: string): Promise<string> {
  const args = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', '--batch'];
  const env = {
    ...gitEnvironment(GITHUB_SIGNATURE),
    // Any repository will do: only the objects count, also where the rest of a repository is not complete.
    GIT_DIR: repository.git.directory,
    GIT_OBJECT_DIRECTORY: store,
  };
  const options = { env, encoding: 'latin1', maxBuffer: MOST_BYTES } as const;
  try {
    return (await run('git', args, options)).stdout;
  } catch (error) {
    if (!existsSync(store)) return '';
    throw error;
  }
}

/** A line of the key identifies it, however its lines are broken. */
const patternOf = ({ secrets }: World): string =>
  secretPattern([...secrets, DEPLOY_TOKEN, PRIVATE_KEY.split('\n')[3] ?? PRIVATE_KEY]);

/** In all rows of all tables of the database, as text. What is sealed there, no one can read without the secrets. */
async function secretsInTables(world: World, pattern: RegExp): Promise<string[]> {
  const client = await world.connect();
  const { rows: names } = await client.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('issuewright', 'pgboss') and table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of names)
    for await (const row of rowsOf(client, name))
      if (pattern.test(row)) found.push(`the table ${name}`);
  return found;
}

/** A few at a time: the journal may be longer than the memory. */
async function* rowsOf(client: Client, table: string): AsyncGenerator<string> {
  await client.query('begin');
  await client.query(`declare dump no scroll cursor for select one::text as row from ${table} one`);
  for (;;) {
    const { rows } = await client.query<{ row: string }>('fetch 500 from dump');
    if (rows.length === 0) break;
    yield* rows.map(({ row }) => withBytes(row));
  }
  await client.query('commit');
}

/** PostgreSQL shows bytes in hexadecimal. */
const withBytes = (row: string): string =>
  row.replaceAll(/\\x((?:[\da-f]{2})+)/g, (_whole, hex: string) =>
    Buffer.from(hex, 'hex').toString('latin1'),
  );
