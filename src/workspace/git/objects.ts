// Git's objects, whoever reads and writes them.
import fs from 'node:fs';
import git from 'isomorphic-git';
import { TellPerson, unlessItFails } from '../../lib/errors.ts';
import { isGitsOwn } from '../files/path-policy.ts';

type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

interface GitObject {
  readonly type: ObjectType;
  readonly content: Uint8Array;
}

/** The objects of one repository. Use it for one operation: it may remember what it has read. */
export interface GitObjects {
  /** @throws {Error} if the repository does not have it */
  read(oid: string): Promise<GitObject>;
  /** Returns its object id. */
  write(object: GitObject): Promise<string>;
  /** A pack of what a commit adds to its parents. */
  pack(addition: Addition): Promise<Uint8Array>;
}

export interface Addition {
  readonly commit: string;
  /** The objects that none of its parents has, itself included. */
  readonly created: readonly string[];
}

/** Reads and writes them with isomorphic-git, which reads a pack as a whole. */
export function isomorphicObjects(gitdir: string): GitObjects {
  const cache = {};
  return {
    read: async (oid) => {
      const found = await git.readObject({ fs, gitdir, oid, format: 'content', cache });
      if (!(found.object instanceof Uint8Array)) throw new Error(`${oid} was not read`);
      // `format: 'content'` answers with git's own four types.
      return { type: found.type as ObjectType, content: found.object };
    },
    write: ({ type, content }) =>
      git.writeObject({ fs, gitdir, type, object: content, format: 'content' }),
    pack: async ({ created }) => {
      const { packfile } = await git.packObjects({ fs, gitdir, oids: [...created], cache });
      if (packfile === undefined) throw new Error('the pack was not made');
      return packfile;
    },
  };
}

/** What a repository says when an object is not what it should be. */
const damaged = (oid: string, found: ObjectType, wanted: string): TellPerson =>
  new TellPerson(
    `The repository is damaged: the object ${oid} is a ${found}, not a ${wanted}. \`git fsck\` lists what is wrong with it.`,
  );

/** @throws {TellPerson} if it is something else */
export async function readBlob(objects: GitObjects, oid: string): Promise<Uint8Array> {
  const { type, content } = await objects.read(oid);
  if (type !== 'blob') throw damaged(oid, type, 'file');
  return content;
}

interface ReadCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** @throws {TellPerson} if it is something else */
export async function readCommit(objects: GitObjects, oid: string): Promise<ReadCommit> {
  const { type, content } = await objects.read(oid);
  if (type !== 'commit') throw damaged(oid, type, 'commit');
  const text = Buffer.from(content).toString();
  const end = text.indexOf('\n\n');
  const headers = (end === -1 ? text : text.slice(0, end)).split('\n');
  const valuesOf = (name: string): string[] =>
    headers
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1));
  const [tree] = valuesOf('tree');
  if (tree === undefined) throw damaged(oid, type, 'commit with a tree');
  return { tree, parents: valuesOf('parent'), message: end === -1 ? '' : text.slice(end + 2) };
}

// Git's trees, byte for byte. A name in a tree is any bytes; isomorphic-git changes some names and modes
// when it reads them, and rejects others.

export interface RawEntry {
  readonly mode: string;
  /** The bytes of the name, as latin1. */
  readonly name: string;
  readonly oid: string;
}

const OID_BYTES = 20;
const DIRECTORY = 0o04;
const FILE = 0o10;
const LINK = 0o12;
const SUBMODULE = 0o16;

export const DIRECTORY_MODE = '40000';

const kindOf = (mode: string): number => Number.parseInt(mode, 8) >> 12;

export const isDirectory = ({ mode }: RawEntry): boolean => kindOf(mode) === DIRECTORY;
export const isSubmodule = ({ mode }: RawEntry): boolean => kindOf(mode) === SUBMODULE;

/** The mode that git writes today: trees of old hold others, such as 100664. `undefined` for no file or link. */
export function fileMode({ mode }: RawEntry): '100644' | '100755' | '120000' | undefined {
  if (kindOf(mode) === LINK) return '120000';
  if (kindOf(mode) !== FILE) return undefined;
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? '100644' : '100755';
}

/** Of a file or directory, by the system. */
export const MAX_NAME_BYTES = 255;
/** Below the system's limit for a whole path, which includes the path of the work tree. */
const MAX_PATH_BYTES = 3_500;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether the entry gets a file in the work tree: one that leads out, or that git would use itself, does not. */
export function isPlaceable({ name }: RawEntry, prefixBytes: number): boolean {
  const isShort = name.length <= MAX_NAME_BYTES && prefixBytes + name.length <= MAX_PATH_BYTES;
  // Nearly all names: git uses none of these itself.
  if (/^\w[\w@+=.-]*$/.test(name)) return isShort;
  if (!isShort || name === '' || name === '.' || name === '..' || name.includes('/')) return false;
  return !isGitsOwn(Buffer.from(name, 'latin1').toString());
}

/** The name as text; `undefined` if it is not UTF-8. */
export const textOfName = ({ name }: RawEntry): string | undefined =>
  unlessItFails(() => utf8.decode(Buffer.from(name, 'latin1')));

export const latin1OfName = (text: string): string => Buffer.from(text).toString('latin1');

export async function readRawTree(objects: GitObjects, oid: string): Promise<readonly RawEntry[]> {
  const { type, content } = await objects.read(oid);
  if (type !== 'tree') throw damaged(oid, type, 'directory');
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const entries: RawEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const next = end + 1 + OID_BYTES;
    if (space === -1 || end === -1 || next > bytes.length) throw invalidTree();
    entries.push({
      mode: bytes.toString('latin1', at, space),
      name: bytes.toString('latin1', space + 1, end),
      oid: bytes.toString('hex', end + 1, next),
    });
    at = next;
  }
  if (new Set(entries.map(({ name }) => name)).size !== entries.length) throw invalidTree();
  return entries;
}

const invalidTree = (): TellPerson =>
  new TellPerson(
    'A directory of the repository is damaged: git cannot read it, or it holds two entries of one name. `git fsck` says which.',
  );

/** Writes a tree with these entries, in git's order; returns its object id. */
export function writeRawTree(objects: GitObjects, entries: readonly RawEntry[]): Promise<string> {
  // Git sorts a directory as if its name ended with a slash.
  const sorted = entries
    .map((entry) => ({ entry, key: isDirectory(entry) ? `${entry.name}/` : entry.name }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const parts = sorted.flatMap(({ entry: { mode, name, oid } }) => [
    Buffer.from(`${mode} ${name}\0`, 'latin1'),
    Buffer.from(oid, 'hex'),
  ]);
  return objects.write({ type: 'tree', content: Buffer.concat(parts) });
}
