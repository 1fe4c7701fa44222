import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BaseTree } from '../../base-tree.ts';
import { readBlob, type GitObjects } from '../../objects.ts';
import { bytesOfName } from '../../raw-tree.ts';
import { filesTooLarge, rawCheckOut, targetOf } from '../raw-check-out.ts';
import { askGitWith, DamagedRepository, runGitWith, type NativePlace } from './native-git.ts';

const CHECK_OUT_MS = 300_000;
/** Only the owner writes to the files, as in those that we write ourselves. */
const OWNER_WRITES = 0o022;

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
  const read = base.isWhole
    ? await runGitWith(place, options, ['read-tree', base.tree])
    : undefined;
  // Git writes a few names less than we do.
  if (read?.exitCode !== 0) return rawCheckOut(objects, place, base.tree);
  const umask = process.umask() | OWNER_WRITES;
  await askGitWith(place, { ...options, umask }, ['checkout-index', '--all', '--quiet']);
  await rm(index, { force: true });
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
export async function requireTargets(
  objects: GitObjects,
  { files }: Pick<BaseTree, 'files'>,
): Promise<void> {
  for (const [path, { mode, oid }] of files)
    if (mode === '120000') targetOf(bytesOfName(path), await readBlob(objects, oid));
}
