// Refs, read from the files of a bare repository: git takes a process for each look. Formats: git-pack-refs(1),
// gitrepository-layout(5).
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { git } from './git.ts';

const BRANCHES = 'refs/heads';

/** The commit of a ref, named in full; `undefined` if there is none. */
export async function readRef(directory: string, name: string): Promise<string | undefined> {
  if (!name.startsWith('refs/') || name.split('/').includes('..')) return undefined;
  return (await looseRef(directory, name)) ?? (await packedRefs(directory)).get(name);
}

/** Commits by branch name, in the order of the names. */
export async function readBranches(directory: string): Promise<Map<string, string>> {
  const refs = await packedRefs(directory);
  const found = await readdir(path.join(directory, BRANCHES), { recursive: true });
  for (const file of found) {
    const name = `${BRANCHES}/${file}`;
    const sha = await looseRef(directory, name);
    if (sha !== undefined) refs.set(name, sha);
  }
  const branches = [...refs]
    .filter(([name]) => name.startsWith(`${BRANCHES}/`))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(branches.map(([name, sha]) => [name.slice(BRANCHES.length + 1), sha]));
}

export interface RefFacts {
  /** In full: `refs/heads/main`. */
  readonly name: string;
  readonly sha: string;
  readonly type: string;
}

/** Branches and tags, in the order of their names; only those below `prefix` if it is given. */
export async function listRefs(directory: string, prefix?: string): Promise<RefFacts[]> {
  const branch = prefix?.startsWith(`${BRANCHES}/`) ? await readRef(directory, prefix) : undefined;
  // There is nothing below a branch.
  if (prefix !== undefined && branch !== undefined)
    return [{ sha: branch, type: 'commit', name: prefix }];
  const format = '--format=%(objectname) %(objecttype) %(refname)';
  const below = prefix === undefined ? ['refs/heads', 'refs/tags'] : [prefix];
  const listed = await git(directory, ['for-each-ref', format, '--', ...below]);
  return [...listed.matchAll(/^(\S+) (\S+) (refs\/(?:heads|tags)\/.*)$/gm)].map(
    ([, sha = '', type = '', name = '']) => ({ sha, type, name }),
  );
}

/** git writes a ref to a `.lock` beside it first. */
async function looseRef(directory: string, name: string): Promise<string | undefined> {
  if (name.endsWith('.lock')) return undefined;
  const text = await readFile(path.join(directory, name), 'utf8').catch(() => '');
  return /^[0-9a-f]{40}\n$/.test(text) ? text.trim() : undefined;
}

async function packedRefs(directory: string): Promise<Map<string, string>> {
  const text = await readFile(path.join(directory, 'packed-refs'), 'utf8').catch(() => '');
  const lines = text.matchAll(/^([0-9a-f]{40}) (refs\/.*)$/gm);
  return new Map([...lines].map(([, sha = '', name = '']) => [name, sha]));
}
