import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { TellPerson } from '../../../lib/errors.ts';
import { quoted } from '../../../lib/text/invisible.ts';
import { TooManyBytes } from '../http-client.ts';
import { readBlob, type GitObjects } from '../objects.ts';
import { fileMode, isDirectory, isPlaceable, isSubmodule, readRawTree } from '../raw-tree.ts';
import type { RawEntry } from '../raw-tree.ts';
import type { EnginePlace } from './engine.ts';

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
export function linkTarget(name: string, bytes: Uint8Array): Buffer {
  const target = Buffer.from(bytes);
  const { byteLength } = target;
  if (byteLength > 0 && byteLength <= MAX_TARGET_BYTES && !target.includes(0)) return target;
  const shown = quoted(Buffer.from(name, 'latin1').toString());
  throw new TellPerson(
    `The repository cannot be checked out: its link ${shown} has a target that no system allows. Delete the link, then request the work again.`,
  );
}
