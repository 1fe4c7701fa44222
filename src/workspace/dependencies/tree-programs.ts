// Whole directories, by the system's own programs: they are quick, follow no link, and go down any depth. Nothing else may
// work in the directories meanwhile. Names are given relative to a directory, and none begins with a slash.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { SYSTEM_PATH } from '../../lib/system-path.ts';

const env = { PATH: SYSTEM_PATH.join(':'), LC_ALL: 'C' };

export interface TreePlace {
  /** The directory that the name is in. It may be below an open descriptor of ours. */
  readonly directory: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

async function run(program: string, args: readonly string[], { directory, signal }: TreePlace) {
  const { stdout } = await promisify(execFile)(program, args, { cwd: directory, env, signal });
  return stdout.trim();
}

const own = ({ name }: TreePlace): string => `./${name}`;

/** Lets us read and change all of it, and takes what would give rights of its owner to who starts a file. */
export const openTree = (place: TreePlace): Promise<unknown> =>
  run('chmod', ['-R', '--', 'u+rwX,a-st', own(place)], place);

/** What there is of a kind besides directories, files and links, as `find` names kinds; empty if nothing. */
export const otherKind = (place: TreePlace): Promise<string> => {
  const known = ['d', 'f', 'l'].flatMap((kind) => ['!', '-type', kind]);
  return run('find', [own(place), ...known, '-printf', '%y', '-quit'], place);
};

/** In bytes, with what their blocks do not use. */
export async function sizeOf(place: TreePlace): Promise<number> {
  const [bytes = ''] = (await run('du', ['-s', '--block-size=1', '--', own(place)], place)).split(
    '\t',
  );
  return Number(bytes);
}

/**
 * A copy that shares no file with the original: by reference where the file system can, and never a hard link to it. It is ours.
 * @param to not there yet
 */
export const copyTree = (from: string, to: TreePlace): Promise<unknown> =>
  run('cp', ['-R', ...COPY, '--', from, own(to)], to);
const COPY = [
  '--no-dereference',
  '--no-target-directory',
  // Compiled Python is as old as its source, and npm trusts what is older than its own list.
  '--preserve=timestamps,links',
  '--reflink=auto',
];

export const removeCopy = (place: TreePlace): Promise<unknown> =>
  run('rm', ['-rf', '--', own(place)], place);

/** Waits until the disk has all that was written to the file system of a directory. */
export const writeToDisk = (place: TreePlace): Promise<unknown> =>
  run('sync', ['--file-system', '--', own(place)], place);

/** Differs if a file or link was made, changed or removed, except in some directories below. */
export async function fingerprintTree(
  place: TreePlace,
  except: readonly string[],
): Promise<string> {
  const left = except.flatMap((path) => [
    '-path',
    `${own(place)}/${escaped(path)}`,
    '-prune',
    '-o',
  ]);
  const words = [own(place), ...left, '!', '-type', 'd', '-printf', String.raw`%y %m %s %T@ %P\0`];
  const { directory, signal } = place;
  const child = spawn('find', words, {
    cwd: directory,
    env,
    signal,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  const hash = createHash('sha256');
  for await (const part of child.stdout) hash.update(part as Buffer);
  const [exitCode] = (await ended) as [number | null];
  if (exitCode !== 0) throw new Error(`find exited with ${exitCode}`);
  return hash.digest('hex');
}

const escaped = (path: string): string => path.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
