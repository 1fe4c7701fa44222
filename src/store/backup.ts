// A backup of the embedded database, made while the service uses it: `tar -xzf` makes a data directory of it.
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Logger } from 'pino';
import { hasCode } from '../lib/errors.ts';
import { reasonOf } from '../lib/reason.ts';
import { control, type HeldCopy } from './control.ts';
import { CLUSTER } from './embedded/postgres-server.ts';

interface BackupOptions {
  readonly dataDir: string;
  /** What is written; it must not exist. */
  readonly file: string;
  readonly log: Logger;
}

/** What is kept in the data directory besides the database. Caches and locks are not. */
const KEPT_FILES = ['pages-token', 'proof.json'];
/** PostgreSQL makes what is in them at its start ("Making a Base Backup Using the Low Level API" in its manual). */
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const LEFT_OUT =
  /^(?:\.s\.PGSQL\..*|postmaster\.(?:pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label|tablespace_map)$/;
/** The server flushes everything first. */
const STATEMENT_MS = 600_000;

/**
 * Resolves with the size of the file, which only its owner can read. It is there once it is complete, and replaces none.
 * If no service runs, the database is started for it. Errors are for the operator.
 */
export async function backUp({ file, ...options }: BackupOptions): Promise<number> {
  const target = resolve(file);
  await requireFree(target);
  const part = `${target}.part`;
  try {
    const store = { ...options, databaseUrl: undefined, statementMs: STATEMENT_MS };
    const failure = await control(store, (service) =>
      service
        .hold((end) => write(part, entriesOf(options.dataDir, end)))
        .catch((cause: unknown) => new Error(`The backup failed: ${reasonOf(cause)}.`, { cause })),
    );
    if (failure instanceof Error) throw failure;
    await putInPlace(part, target);
    return (await stat(target)).size;
  } catch (error) {
    await rm(part, { force: true });
    throw hasCode(error, 'EEXIST') ? taken(target) : error;
  }
}

const taken = (target: string): Error =>
  new Error(`Nothing was written: ${target} exists already, and a backup replaces no file.`);

async function requireFree(target: string): Promise<void> {
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw taken(target);
  try {
    if (!(await stat(dirname(target))).isDirectory()) throw new Error('it is no directory');
  } catch (error) {
    throw new Error(`Nothing was written: ${dirname(target)} cannot be used: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

async function write(part: string, entries: AsyncIterable<Buffer>): Promise<void> {
  // What a killed backup left.
  await rm(part, { force: true });
  const handle = await open(part, 'wx', 0o600);
  try {
    await pipeline(Readable.from(entries), createGzip(), handle.createWriteStream({ flush: true }));
  } finally {
    await handle.close().catch(() => {});
  }
}

/** A second name is made only if there is no such file; not every file system can do that. */
async function putInPlace(part: string, target: string): Promise<void> {
  try {
    await link(part, target);
    await rm(part);
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS') || existsSync(target)) throw error;
    await rename(part, target);
  }
}

/** The archive, in its order: the database, then its log from the time of the copy. */
async function* entriesOf(dataDir: string, end: () => Promise<HeldCopy>): AsyncGenerator<Buffer> {
  for (const name of KEPT_FILES) yield* fileEntry(name, join(dataDir, name));
  const cluster = join(dataDir, CLUSTER);
  yield header(`${CLUSTER}/`, 0);
  yield* treeEntries(cluster, CLUSTER);
  const { label, first, last } = await end();
  yield* textEntry(`${CLUSTER}/backup_label`, label);
  const segments = readdirSync(join(cluster, 'pg_wal')).filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last,
  );
  for (const name of segments)
    yield* fileEntry(`${CLUSTER}/pg_wal/${name}`, join(cluster, 'pg_wal', name));
  yield Buffer.alloc(2 * BLOCK);
}

async function* treeEntries(directory: string, name: string): AsyncGenerator<Buffer> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const [path, inside] = [join(directory, entry.name), `${name}/${entry.name}`];
    if (LEFT_OUT.test(entry.name)) continue;
    if (entry.isFile()) yield* fileEntry(inside, path);
    if (!entry.isDirectory()) continue;
    yield header(`${inside}/`, 0);
    if (!EMPTIED.has(entry.name)) yield* treeEntries(path, inside);
  }
}

// Archives as `tar` reads them (POSIX "ustar").

const BLOCK = 512;
const LONGEST_NAME = 100;

/** As long as it was when it was opened: the server may be writing to it. One that is gone by then is left out. */
async function* fileEntry(name: string, path: string): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (handle === undefined) return;
  try {
    const { size } = await handle.stat();
    yield header(name, size);
    let left = size;
    if (size > 0)
      for await (const chunk of handle.createReadStream({ end: size - 1, autoClose: false })) {
        left -= (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    yield Buffer.alloc(left + padding(size));
  } finally {
    await handle.close();
  }
}

function* textEntry(name: string, text: string): Generator<Buffer> {
  const content = Buffer.from(text);
  yield header(name, content.length);
  yield content;
  yield Buffer.alloc(padding(content.length));
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** For the owner alone. A name that ends in `/` is a directory. */
function header(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > LONGEST_NAME) throw new Error(`the name ${name} is too long`);
  const isDirectory = name.endsWith('/');
  const block = Buffer.alloc(BLOCK);
  const put = (text: string, at: number): void => void block.write(text, at, 'latin1');
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  put(name, 0);
  put(isDirectory ? '0000700' : '0000600', 100);
  put('0000000', 108);
  put('0000000', 116);
  put(octal(size, 11), 124);
  put(octal(Math.floor(Date.now() / 1000), 11), 136);
  put(' '.repeat(8), 148);
  put(isDirectory ? '5' : '0', 156);
  put('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)}\u0000 `, 148);
  return block;
}
