// Writes objects into a bare repository. Each function returns the hash of what it wrote.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { GitOptions, Signature } from './git.ts';
import { git, GitFailed } from './git.ts';

export const MODES = ['100644', '100755', '040000', '160000', '120000'] as const;
type Mode = (typeof MODES)[number];

export interface TreeChange {
  readonly path: string;
  readonly mode: Mode;
  /** `null` removes the entry. */
  readonly sha: string | null;
}

export interface Dated extends Signature {
  /** ISO 8601 */
  readonly date: string;
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Dated;
  readonly committer: Dated;
  readonly message: string;
}

const compress = promisify(deflate);

const write = async (directory: string, args: string[], options: GitOptions): Promise<string> =>
  (await git(directory, args, options)).trim();

/** As git writes it, without a process of git for each. */
export async function writeBlob(directory: string, bytes: Buffer): Promise<string> {
  const object = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]);
  const sha = createHash('sha1').update(object).digest('hex');
  const folder = path.join(directory, 'objects', sha.slice(0, 2));
  const made = path.join(folder, `new-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  await writeFile(made, await compress(object), { mode: 0o444 });
  await rename(made, path.join(folder, sha.slice(2)));
  return sha;
}

/** Changes the tree `base`, or an empty one. Rejects with GitFailed if git does not allow a path or an object. */
export async function writeTree(
  directory: string,
  base: string | undefined,
  changes: readonly TreeChange[],
): Promise<string> {
  const index = path.join(directory, `index-${randomUUID()}`);
  const environment = { GIT_INDEX_FILE: index };
  const run = (args: string[], input = '') => git(directory, args, { input, environment });
  try {
    await run(base === undefined ? ['read-tree', '--empty'] : ['read-tree', base]);
    const isFolder = ({ mode, sha }: TreeChange): boolean => mode === '040000' && sha !== null;
    const replaced = changes.filter((one) => one.sha === null || isFolder(one));
    const known = replaced.length === 0 ? [] : records(await run(['ls-files', '-z']));
    const gone = new Set(replaced.map((one) => one.path));
    const removed = known.filter((name) => parentsOf(name).some((one) => gone.has(one)));
    const added = [
      ...changes.filter((one) => one.sha !== null && !isFolder(one)).map(lineOf),
      ...(
        await Promise.all(changes.filter(isFolder).map((one) => linesBelow(directory, one)))
      ).flat(),
    ];
    const lines = [...removed.map((name) => `0 ${'0'.repeat(40)}\t${name}`), ...added];
    const input = lines.map((line) => `${line}\0`).join('');
    await run(['update-index', '-z', '--replace', '--index-info'], input);
    // git ignores a path that it does not allow, such as one with `..` or `.git` in it.
    const kept = new Set(records(await run(['ls-files', '-z'])));
    const wanted = added.map((line) => line.slice(line.indexOf('\t') + 1));
    const lost = wanted.find((name) => !kept.has(name));
    if (lost !== undefined) throw new GitFailed(['update-index'], 0, `Ignoring path ${lost}`);
    return (await run(['write-tree'])).trim();
  } finally {
    await rm(index, { force: true });
  }
}

/** With the path itself. */
function parentsOf(name: string): string[] {
  const names = name.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

const records = (text: string): string[] => text.split('\0').filter((one) => one !== '');

const lineOf = ({ mode, sha, path: name }: TreeChange): string => `${mode} ${sha}\t${name}`;

/** The files of a tree, below the path of the change. */
async function linesBelow(directory: string, { sha, path: name }: TreeChange): Promise<string[]> {
  const listed = records(await git(directory, ['ls-tree', '-r', '-z', String(sha)]));
  return listed.map((line) => line.replace(/^(\d+) \w+ (\w+)\t/, `$1 $2\t${name}/`));
}

/** The text of a commit object, without a signature. */
export function commitText({ tree, parents, author, committer, message }: NewCommit): string {
  const parentLines = parents.map((parent) => `parent ${parent}\n`).join('');
  return `tree ${tree}\n${parentLines}author ${stamped(author)}\ncommitter ${stamped(committer)}\n\n${message}`;
}

/** @param text of a commit object; git checks its format. */
export const writeCommit = (directory: string, text: string): Promise<string> =>
  write(directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: text });

/** The text with a signature in its header. */
export function signedText(text: string, signature: string): string {
  const [header = '', ...rest] = text.split('\n\n');
  const lines = signature.trimEnd().replaceAll('\n', '\n ');
  return [`${header}\ngpgsig ${lines}`, ...rest].join('\n\n');
}

/** git allows neither angle brackets nor line breaks in a name. */
const plain = (text: string): string => text.replace(/[<>\n\0]/g, '').trim();

function stamped({ name, email, date }: Dated): string {
  const zone = /([+-]\d\d):?(\d\d)$/.exec(date);
  const offset = zone === null ? '+0000' : `${zone[1]}${zone[2]}`;
  return `${plain(name)} <${plain(email)}> ${Math.floor(Date.parse(date) / 1000)} ${offset}`;
}
