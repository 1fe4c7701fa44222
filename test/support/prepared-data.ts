// Making a database takes seconds and is the same each time: tests begin with a copy.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { openStore } from '../../src/store/open.ts';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/issuewright');

const silent = pino({ level: 'silent' });

let original: Promise<string> | undefined;

/** Makes `dataDir`, which is not there yet: what the embedded server leaves after its first start. */
export async function prepareData(dataDir: string): Promise<void> {
  original ??= findOrMake();
  await mkdir(dirname(dataDir), { recursive: true });
  await run('cp', ['-a', await original, dataDir]);
}

/** Kept from run to run while nothing of the store changes. */
async function findOrMake(): Promise<string> {
  const name = `data-${await digestOfStore()}`;
  const kept = join(CACHE, name);
  if (existsSync(kept)) return kept;
  await mkdir(CACHE, { recursive: true });
  await removeOthers(name);
  const making = await mkdtemp(join(CACHE, 'making-'));
  const made = join(making, 'data');
  const store = await openStore({ dataDir: made, log: silent });
  await store.close();
  // Another worker may have been faster: its own is as good.
  await rename(made, kept).catch((error: unknown) => {
    if (!existsSync(kept)) throw error;
  });
  await rm(making, { recursive: true });
  return kept;
}

async function removeOthers(current: string): Promise<void> {
  const names = await readdir(CACHE);
  const others = names.filter((name) => name.startsWith('data-') && name !== current);
  await Promise.all(others.map((name) => rm(join(CACHE, name), { recursive: true, force: true })));
}

async function digestOfStore(): Promise<string> {
  const store = join(ROOT, 'src/store');
  const names = await readdir(store, { recursive: true });
  const sources = names.filter((name) => name.endsWith('.ts')).map((name) => join(store, name));
  const hash = createHash('sha256');
  for (const file of [...sources.toSorted(), join(ROOT, 'package-lock.json')])
    hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}
