// What stopped services leave on the machine: processes, directories, locks, shared memory.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isLocked } from '../../src/store/embedded/lock.ts';
import { unlessItFails } from '../../src/lib/errors.ts';
import type { World } from './world.ts';

/** What a signal ends may take a moment for it. */
const PATIENCE_MS = 15_000;
const POLL_MS = 20;

/** Call it when all services have stopped. */
export async function leftBehind(world: World): Promise<string[]> {
  const data = path.join(world.directory, 'data');
  const look = () => [
    ...processesOf(world.directory).map((name) => `the process ${name}`),
    ...readdirSync(world.temporary).map((name) => `the directory ${name} for temporary files`),
    ...(isLocked(data) ? ['the lock of the data directory'] : []),
    ...(existsSync(path.join(data, 'postgres/postmaster.pid')) ? ['the file postmaster.pid'] : []),
    ...world.memory.left(),
  ];
  const deadline = Date.now() + PATIENCE_MS;
  let left = look();
  for (; left.length > 0 && Date.now() < deadline; left = look()) await pause(POLL_MS);
  return left;
}

/** Names of the processes that have something to do with the directory, except those of the local GitHub. */
function processesOf(directory: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => mentions(pid, directory))
    .map((pid) => `${pid} (${read(pid, 'comm').trim()})`);
}

function mentions(pid: string, directory: string): boolean {
  const where = unlessItFails(() => readlinkSync(`/proc/${pid}/cwd`)) ?? '';
  if (where.startsWith(path.join(directory, 'repositories'))) return false;
  if (where.startsWith(directory)) return true;
  const command = read(pid, 'cmdline');
  if (command.includes(path.join(directory, 'repositories'))) return false;
  return command.includes(directory) || read(pid, 'environ').includes(directory);
}

/** Zombies have no files that could be read. */
const read = (pid: string, file: string): string =>
  unlessItFails(() => readFileSync(`/proc/${pid}/${file}`, 'utf8')) ?? '';
