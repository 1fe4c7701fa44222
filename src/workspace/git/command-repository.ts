// What commands get of the repository: its objects, to read, and what a git directory of their own is made from. Commands
// see it read-only, and nothing of ours reads what they make of it.
import { chmod, lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandRepository } from '../../contracts/shell.ts';
import { ATTRIBUTES, linkFile, linkPacks, shallowIn } from './engines/native/gitdir.ts';

export interface CommandRepositoryRequest {
  /** The absolute path of its directory. */
  readonly directory: string;
  /** Names without `refs/heads/`: the branch that is checked out, and others at commits that are there. */
  readonly branch: string;
  readonly branches: Readonly<Record<string, string>>;
}

/**
 * What is fetched of the history when a command first reads it. 100 commits take 0.2 to 2 MB more than one in repositories of
 * 200 to 900 kB, all of the history ten times that.
 */
export const COMMAND_HISTORY = { depth: 100, milliseconds: 30_000 };

interface Head {
  readonly commit: string;
  readonly tree: string;
}

/** Where commands see it, as its own files name it. */
const SEEN_AT = '/run/repository';

const OBJECT_DIRECTORY = /^[\da-f]{2}$/;
const LOOSE_OBJECT = /^[\da-f]{38}$/;
/** Of what git allows, the names that need no quoting in a file of git. */
const BRANCH = /^(?![-/.])[^\p{Cc}\s~^:?*[\\]+$/u;

const CONFIG = [
  '[core]',
  '\trepositoryformatversion = 0',
  '\tfilemode = true',
  '\tbare = false',
  '\tlogallrefupdates = false',
  '[extensions]',
  '\tworktreeConfig = true',
  // So that an attempt to commit fails for the reason that holds.
  '[user]',
  '\tname = agent',
  '\temail = agent@localhost',
  '[gc]',
  '\tauto = 0',
  '[maintenance]',
  '\tauto = false',
  '',
].join('\n');

/** This file wins over `config`, where installers of hooks set a path of theirs. */
const WORKTREE_CONFIG = `[core]\n\thooksPath = ${SEEN_AT}/hooks\n`;

/** Git's names for where something was before are no branches; a stash is the command's own. A deletion has zeros only. */
const HOOK = `#!/bin/sh
[ "$1" = prepared ] || exit 0
while read -r old new name; do
  case $name in ORIG_HEAD | AUTO_MERGE | CHERRY_PICK_HEAD | REVERT_HEAD | refs/stash) continue ;; esac
  case $new in *[!0]*) [ "$old" = "$new" ] && continue ;; esac
  echo "In a command, git can only read: $name stays as it is." >&2
  exit 1
done
`;

/**
 * Makes it, or brings it up to date. The directory belongs to the workspace alone. What is in it may be read by whoever can enter the directory
 * itself.
 */
export async function writeCommandRepository(
  gitdir: string,
  { commit, tree }: Head,
  { directory, branch, branches }: CommandRepositoryRequest,
): Promise<CommandRepository> {
  const template = join(directory, 'template');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of ['objects/pack', 'objects/info', 'hooks', ...TEMPLATE])
    await makeReadable(directory, name);
  await linkObjects(join(gitdir, 'objects'), join(directory, 'objects'));
  const own = BRANCH.test(branch) ? branch : undefined;
  const heads = { ...branches, ...(own === undefined ? {} : { [own]: commit }) };
  const refs = Object.entries(heads).filter(([name]) => BRANCH.test(name));
  const shallow = await shallowIn(gitdir);
  const files: Readonly<Record<string, string>> = {
    config: CONFIG,
    'config.worktree': WORKTREE_CONFIG,
    HEAD: own === undefined ? `${commit}\n` : `ref: refs/heads/${own}\n`,
    'packed-refs': refs
      .map(([name, at]) => `${at} refs/heads/${name}\n`)
      .toSorted()
      .join(''),
    'info/attributes': ATTRIBUTES,
    'objects/info/alternates': `${SEEN_AT}/objects\n`,
    // Git takes an empty file for a repository without its history.
    ...(shallow.length === 0 ? {} : { shallow: `${shallow.join('\n')}\n` }),
  };
  await rm(join(template, 'shallow'), { force: true });
  await replace(join(directory, 'hooks/reference-transaction'), HOOK, 0o555);
  for (const [name, text] of Object.entries(files)) await replace(join(template, name), text);
  const historyDepth = depthOf(shallow, commit);
  return { directory, tree, historyDepth, version: `${commit}-${tree}-${historyDepth ?? 'all'}` };
}

/** A commit of ours has the one before it. */
function depthOf(shallow: readonly string[], commit: string): number | undefined {
  if (shallow.length === 0) return undefined;
  return shallow.includes(commit) ? 1 : COMMAND_HISTORY.depth;
}

const TEMPLATE = ['info', 'objects/info', 'objects/pack', 'refs/heads'].map(
  (name) => `template/${name}`,
);

/** Whatever umask the service has: commands may run as another user. */
async function makeReadable(directory: string, name: string): Promise<void> {
  let path = directory;
  for (const part of name.split('/')) {
    path = join(path, part);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o755);
  }
}

async function replace(path: string, text: string, mode = 0o444): Promise<void> {
  await writeFile(`${path}.new`, text);
  await chmod(`${path}.new`, mode);
  await rename(`${path}.new`, path);
}

/** Git never writes to an object again. */
async function linkObjects(from: string, to: string): Promise<void> {
  await linkPacks(from, to);
  for (const name of await readdir(join(to, 'pack'))) await letRead(join(to, 'pack', name));
  for (const outer of (await readdir(from)).filter((name) => OBJECT_DIRECTORY.test(name))) {
    const names = (await readdir(join(from, outer))).filter((name) => LOOSE_OBJECT.test(name));
    if (names.length > 0) await makeReadable(to, outer);
    for (const name of names) {
      await linkFile(join(from, outer, name), join(to, outer, name));
      await letRead(join(to, outer, name));
    }
  }
}

/** Only whoever can enter the directories above it reads the file, in the cache too. */
async function letRead(path: string): Promise<void> {
  const { mode } = await lstat(path);
  if ((mode & 0o444) !== 0o444) await chmod(path, (mode & 0o777) | 0o444);
}
