import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BaseTree } from '../../base-tree.ts';
import type { GitObjects } from '../../objects.ts';
import { filesTooLarge, rawCheckOut } from '../raw-check-out.ts';
import { askGitWith, runGitWith, type NativePlace } from './native-git.ts';

const CHECK_OUT_MS = 300_000;
/** Only the owner writes to the files, as in those that we write ourselves. */
const OWNER_WRITES = 0o022;

export interface CheckOutPlace extends NativePlace {
  /** Limit in bytes for what is written. */
  readonly maxBytes: number;
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
  const options = { environment: { GIT_INDEX_FILE: index }, timeoutMs: CHECK_OUT_MS };
  await requireSize(place, base);
  const read = base.isWhole
    ? await runGitWith(place, options, ['read-tree', base.tree])
    : undefined;
  // Git writes a few names less than we do.
  if (read?.exitCode !== 0) return rawCheckOut(objects, place, base.tree);
  const umask = process.umask() | OWNER_WRITES;
  await askGitWith(place, { ...options, umask }, ['checkout-index', '--all', '--quiet']);
  await rm(index, { force: true });
}

/** @throws {TooManyBytes} before anything is written */
async function requireSize(place: CheckOutPlace, { files }: BaseTree): Promise<void> {
  const input = [...files.values()].map(({ oid }) => `${oid}\n`).join('');
  const words = ['cat-file', '--batch-check=%(objectsize)', '--buffer'];
  const sizes = await askGitWith(place, { input }, words);
  const bytes = sizes.split('\n').reduce((sum, size) => sum + (Number(size) || 0), 0);
  if (bytes > place.maxBytes) throw filesTooLarge(place.maxBytes);
}
