// Git's objects, whoever reads and writes them.
import fs from 'node:fs';
import git from 'isomorphic-git';
import { TellPerson } from '../../lib/errors.ts';

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
export const damaged = (oid: string, found: ObjectType, wanted: string): TellPerson =>
  new TellPerson(
    `The repository is damaged: the object ${oid} is a ${found}, not a ${wanted}. \`git fsck\` lists what is wrong with it.`,
  );

/** @throws {TellPerson} if it is something else */
export async function readBlob(objects: GitObjects, oid: string): Promise<Uint8Array> {
  const { type, content } = await objects.read(oid);
  if (type !== 'blob') throw damaged(oid, type, 'file');
  return content;
}

export interface ReadCommit {
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
