import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TellPerson } from '../../../lib/errors.ts';
import { quoted } from '../../../lib/text/invisible.ts';
import { TooManyBytes } from '../http-client.ts';
import {
  readBlob,
  fileMode,
  isDirectory,
  isPlaceable,
  isSubmodule,
  readRawTree,
  latin1OfName,
  type GitObjects,
  type RawEntry,
} from '../objects.ts';
import type { EnginePlace } from './engine.ts';
import { ContainedTree } from '../../files/contained-tree.ts';
import type { BaseTree, TrackedFiles } from '../base-tree.ts';
import {
  askGitWith,
  DamagedRepository,
  runGitWith,
  type NativeOptions,
  type NativePlace,
} from './native/native-git.ts';

/** Files that are read at the same time. */
const AT_ONCE = 16;
/** Of the target of a link, by the system. */
const MAX_TARGET_BYTES = 4095;

/**
 * Writes the files of a tree with the names that they have, byte for byte. Makes each directory itself,
 * so that no link in the commit is ever a parent of what is written.
 * @param outside directories that are left out, by the bytes of their paths as latin1
 * @throws {TooManyBytes} a small pack can contain a tree of any size
 */
export async function rawCheckOut(
  objects: GitObjects,
  { tree, maxBytes }: Pick<EnginePlace, 'tree' | 'maxBytes'>,
  root: string,
  outside: ReadonlySet<string> = new Set(),
): Promise<void> {
  let written = 0;
  const read = async (oid: string): Promise<Uint8Array> => {
    const blob = await readBlob(objects, oid);
    written += blob.byteLength;
    if (written > maxBytes) throw filesTooLarge(maxBytes);
    return blob;
  };
  const place = async (entry: RawEntry, directory: Buffer, prefixBytes: number): Promise<void> => {
    const path = Buffer.concat([directory, Buffer.from(`/${entry.name}`, 'latin1')]);
    const mode = fileMode(entry);
    if (isDirectory(entry)) {
      if (outside.has(path.toString('latin1', Buffer.byteLength(tree) + 1))) return;
      mkdirSync(path);
      await fill(entry.oid, path, prefixBytes + entry.name.length + 1);
    } else if (isSubmodule(entry)) mkdirSync(path);
    else if (mode === '120000') symlinkSync(linkTarget(entry.name, await read(entry.oid)), path);
    else if (mode !== undefined) {
      const options = { flag: 'wx', mode: mode === '100755' ? 0o755 : 0o644 };
      writeFileSync(path, await read(entry.oid), options);
    }
  };
  const fill = async (oid: string, directory: Buffer, prefixBytes: number): Promise<void> => {
    const entries = (await readRawTree(objects, oid)).filter((entry) =>
      isPlaceable(entry, prefixBytes),
    );
    const put = (entry: RawEntry) => place(entry, directory, prefixBytes);
    const files = entries.filter((entry) => !isDirectory(entry));
    for (let at = 0; at < files.length; at += AT_ONCE)
      await Promise.all(files.slice(at, at + AT_ONCE).map(put));
    for (const inner of entries.filter(isDirectory)) await put(inner);
  };
  await fill(root, Buffer.from(tree), 0);
}

export const filesTooLarge = (maxBytes: number): TooManyBytes =>
  new TooManyBytes(`its files are larger than ${maxBytes} bytes`);

/**
 * The target of a link, which is `name` in latin1.
 * @throws {TellPerson} if no link can have it
 */
function linkTarget(name: string, bytes: Uint8Array): Buffer {
  const target = Buffer.from(bytes);
  const { byteLength } = target;
  if (byteLength > 0 && byteLength <= MAX_TARGET_BYTES && !target.includes(0)) return target;
  const shown = quoted(Buffer.from(name, 'latin1').toString());
  throw new TellPerson(
    `The repository cannot be checked out: its link ${shown} has a target that no system allows. Delete the link, then request the work again.`,
  );
}

/** What has to change in a work tree that has the files of `from`, so that it has those of `to`. */
function* differences(
  from: TrackedFiles,
  to: TrackedFiles,
): Generator<{ path: string; oid: string | null }> {
  for (const path of from.keys()) if (!to.has(path)) yield { path, oid: null };
  for (const [path, { mode, oid }] of to) {
    const before = from.get(path);
    if (before?.oid !== oid || before.mode !== mode) yield { path, oid };
  }
}

/**
 * Changes a work tree from one tree to another, deletions first: a file may have replaced a directory. Answers the
 * paths that it changed.
 * @throws {TooManyBytes} {TellPerson} for a link that no system allows
 */
export async function moveWorkTree(
  objects: GitObjects,
  { tree: root, maxBytes }: { readonly tree: string; readonly maxBytes: number },
  from: TrackedFiles,
  to: TrackedFiles,
): Promise<readonly string[]> {
  const tree = new ContainedTree(root);
  const paths: string[] = [];
  let written = 0;
  const all = [...differences(from, to)];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    const contents = await Promise.all(
      some.map(async ({ oid }) => (oid === null ? null : readBlob(objects, oid))),
    );
    for (const [index, { path }] of some.entries()) {
      const content = contents[index] ?? null;
      written += content?.byteLength ?? 0;
      if (written > maxBytes) throw filesTooLarge(maxBytes);
      const known = to.get(path)?.mode;
      const mode = known === '120000' || known === '100755' ? known : '100644';
      if (mode === '120000' && content !== null) linkTarget(latin1OfName(path), content);
      tree.restore(path.split('/'), { path, mode, content });
      paths.push(path);
    }
  }
  return paths;
}

const CHECK_OUT_MS = 300_000;
/** Only the owner writes to the files, as in those that we write ourselves. */
const OWNER_WRITES = 0o022;

/** Most of the time is the kernel's, for each new file. Git uses them from 100 files on. */
const WORKERS = ['-c', 'checkout.workers=2'];

interface CheckOutPlace extends NativePlace {
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
  if (!isRead)
    return rawCheckOut(objects, place, base.tree, new Set([...base.outside].map(latin1OfName)));
  const umask = process.umask() | OWNER_WRITES;
  const words = [...WORKERS, 'checkout-index', '--all', '--quiet'];
  await askGitWith(place, { ...options, umask }, words);
  if (base.outside.size > 0)
    for (const path of base.submodules) await mkdir(join(place.tree, path), { recursive: true });
  await rm(index, { force: true });
}

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
