import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BaseTree } from '../../base-tree.ts';
import { readBlob, type GitObjects } from '../../objects.ts';
import { latin1OfName } from '../../raw-tree.ts';
import { filesTooLarge, rawCheckOut, linkTarget } from '../raw-check-out.ts';
import { askGitWith, DamagedRepository, runGitWith } from './native-git.ts';
import type { NativeOptions, NativePlace } from './native-git.ts';

const CHECK_OUT_MS = 300_000;
/** Only the owner writes to the files, as in those that we write ourselves. */
const OWNER_WRITES = 0o022;

/** Most of the time is the kernel's, for each new file. Git uses them from 100 files on. */
const WORKERS = ['-c', 'checkout.workers=2'];

export interface CheckOutPlace extends NativePlace {
  /** Limit in bytes for what is written. */
  readonly maxBytes: number;
  /** See `NativeOptions`. */
  readonly keepsOpen?: number | undefined;
}

/**
 * Writes the files of a commit into the empty work tree. By git itself, if every entry of the tree is one that we would
 * write under its own name; git converts nothing (`info/attributes` of a bare gitdir) and has no filters to run.
 */
export async function nativeCheckOut(
  place: CheckOutPlace,
  objects: GitObjects,
  base: BaseTree,
): Promise<void> {
  const index = join(place.gitdir, 'issuewright-index');
  const environment = { GIT_INDEX_FILE: index };
  const options = { environment, timeoutMs: CHECK_OUT_MS, keepsOpen: place.keepsOpen };
  await requireFiles(place, base);
  await requireTargets(objects, base);
  const isRead = base.isWhole && (await readIntoIndex(place, options, base));
  // Git writes a few names less than we do.
  if (!isRead) return rawCheckOut(objects, place, base.tree, bytesOf(base.outside));
  const umask = process.umask() | OWNER_WRITES;
  const words = [...WORKERS, 'checkout-index', '--all', '--quiet'];
  await askGitWith(place, { ...options, umask }, words);
  if (base.outside.size > 0)
    for (const path of base.submodules) await mkdir(join(place.tree, path), { recursive: true });
  await rm(index, { force: true });
}

const bytesOf = (paths: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...paths].map(latin1OfName));

/** Fills an index with what the work tree is to have; of a sparse one, with that alone. Answers false if git denies a name. */
async function readIntoIndex(
  place: CheckOutPlace,
  options: NativeOptions,
  { tree, files, outside }: BaseTree,
): Promise<boolean> {
  if (outside.size === 0)
    return (await runGitWith(place, options, ['read-tree', tree])).exitCode === 0;
  const input = [...files].map(([path, { mode, oid }]) => `${mode} ${oid} 0\t${path}\0`).join('');
  const words = ['update-index', '-z', '--index-info'];
  const { exitCode, errors } = await runGitWith(place, { ...options, input }, words);
  // It says which names it ignores, and takes the others.
  return exitCode === 0 && errors === '';
}

/** @throws {TooManyBytes} {DamagedRepository} before anything is written */
async function requireFiles(place: CheckOutPlace, { files }: BaseTree): Promise<void> {
  const input = [...files.values()].map(({ oid }) => `${oid}\n`).join('');
  const words = ['cat-file', '--batch-check=%(objecttype) %(objectsize)', '--buffer'];
  const lines = (await askGitWith(place, { input }, words)).split('\n').slice(0, -1);
  let bytes = 0;
  for (const line of lines) {
    const [, size] = /^blob (\d+)$/.exec(line) ?? [];
    if (size === undefined) throw new DamagedRepository(`not a file: ${line}`);
    bytes += Number(size);
  }
  if (bytes > place.maxBytes) throw filesTooLarge(place.maxBytes);
}

/** Git cuts the target of a link at a NUL, and stops in the middle of a checkout at one that cannot be made. */
async function requireTargets(objects: GitObjects, { files }: BaseTree): Promise<void> {
  for (const [path, { mode, oid }] of files)
    if (mode === '120000') linkTarget(latin1OfName(path), await readBlob(objects, oid));
}
