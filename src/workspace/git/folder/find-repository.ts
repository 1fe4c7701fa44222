// Finds the repository of a folder, as git does, without letting git read anything of it.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { TellPerson } from '../../../lib/errors.ts';
import { trimEnd } from '../../../lib/text/text.ts';
import { unlessItFails } from '../../../lib/unless-it-fails.ts';
import { readSettings, type FolderSettings } from './folder-settings.ts';
import { GitDirectory } from './git-directory.ts';
import { objectDirectories } from './object-directories.ts';
import { requireOwned, type UserEnvironment } from './owner.ts';

export interface FoundRepository {
  /** `undefined` in a bare repository. */
  readonly tree: string | undefined;
  readonly gitdir: GitDirectory;
  /** What all work trees of the repository share; often the same as `gitdir`. */
  readonly common: GitDirectory;
  readonly settings: FolderSettings;
  /** Its own, then those that it borrows from. */
  readonly objects: readonly string[];
}

/**
 * `undefined` if the folder is in none.
 * @throws {TellPerson} if it belongs to another user, or has something in it that leads out of it
 */
export async function findRepository(
  folder: string,
  environment: UserEnvironment,
): Promise<FoundRepository | undefined> {
  const start = realpathSync(folder);
  const { dev } = lstatSync(start);
  for (let at = start; ; at = dirname(at)) {
    // Git stops where another file system begins, too.
    if (lstatSync(at).dev !== dev) return undefined;
    const found = (await ofWorkTree(at, environment)) ?? (await asBare(at, environment));
    if (found !== undefined) return found;
    if (dirname(at) === at) return undefined;
  }
}

async function ofWorkTree(
  tree: string,
  environment: UserEnvironment,
): Promise<FoundRepository | undefined> {
  const place = join(tree, '.git');
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink())
    throw new TellPerson(
      `${place} is a link. Issuewright follows no links among git's own files. Change to the folder that it leads to.`,
    );
  if (stats.isDirectory())
    return isGitDirectory(place)
      ? open({ tree, gitdir: place, common: place, owned: [tree, place] }, environment)
      : undefined;
  const gitdir = namedBy(tree);
  await requireOwned([place, tree, gitdir], environment);
  const common = commonOf(gitdir);
  const owned = [place, tree, gitdir, common];
  const found = await open({ tree, gitdir, common, owned }, environment);
  requireNamed(found, tree);
  return found;
}

const asBare = (
  directory: string,
  environment: UserEnvironment,
): Promise<FoundRepository | undefined> =>
  isGitDirectory(directory)
    ? open({ gitdir: directory, common: directory, owned: [directory] }, environment)
    : Promise.resolve(undefined);

const isGitDirectory = (path: string): boolean =>
  ['HEAD', 'objects', 'refs'].every((name) => new GitDirectory(path).has(name)) ||
  new GitDirectory(path).has('commondir');

interface Places {
  readonly tree?: string;
  readonly gitdir: string;
  readonly common: string;
  /** What has to belong to who started this process. */
  readonly owned: readonly string[];
}

async function open(
  { tree, gitdir: own, common: shared, owned }: Places,
  environment: UserEnvironment,
): Promise<FoundRepository> {
  await requireOwned(owned, environment);
  const gitdir = new GitDirectory(own);
  const common = new GitDirectory(shared);
  if (own === shared && gitdir.has('commondir'))
    throw new TellPerson(
      `${own} has a file \`commondir\`, which names another repository. It belongs into work trees that \`git worktree\` made: remove it.`,
    );
  const settings = await readSettings(common, gitdir);
  const objects = await objectDirectories(join(shared, 'objects'), environment);
  return {
    tree: settings.isBare && own === shared ? undefined : tree,
    gitdir,
    common,
    settings,
    objects,
  };
}

/** The directory that the file `.git` names. */
function namedBy(tree: string): string {
  const text = trimEnd(new GitDirectory(tree).read('.git', 64 * 1024)?.toString() ?? '', '\r\n');
  const [, path] = /^gitdir: ([^\0]*)$/.exec(text) ?? [];
  const found = path && unlessItFails(() => realpathSync(resolve(tree, path)));
  if (!found || !new GitDirectory(found).has('HEAD'))
    throw new TellPerson(
      `${join(tree, '.git')} names no repository. If the work tree or its repository was moved, \`git worktree repair\` fixes that.`,
    );
  return found;
}

/** A work tree of `git worktree` is two directories below the repository, and says so. */
function commonOf(gitdir: string): string {
  const text = new GitDirectory(gitdir)
    .read('commondir', 64 * 1024)
    ?.toString()
    .trim();
  if (text === undefined) return gitdir;
  const common = dirname(dirname(gitdir));
  if (
    basename(dirname(gitdir)) === 'worktrees' &&
    unlessItFails(() => realpathSync(resolve(gitdir, text))) === common
  )
    return common;
  throw new TellPerson(
    `The file \`commondir\` in ${gitdir} names another repository. \`git worktree repair\` may fix that.`,
  );
}

/** A file \`.git\` can be written to name any repository. So that one has to name the folder, too, as git has it. */
function requireNamed({ gitdir, common, settings }: FoundRepository, tree: string): void {
  const isLinked = gitdir.path !== common.path;
  const place = isLinked
    ? trimEnd(gitdir.read('gitdir', 64 * 1024)?.toString() ?? '', '\r\n')
    : settings.workTree && `${settings.workTree}/.git`;
  const named = place && dirname(resolve(gitdir.path, place));
  if (named && unlessItFails(() => realpathSync(named)) === tree) return;
  const cure = isLinked
    ? '`git worktree repair` fixes that.'
    : `If it belongs to this folder: git -C '${tree}' config core.worktree '${tree}'`;
  throw new TellPerson(
    `${join(tree, '.git')} names the repository ${gitdir.path}, which does not name this folder in turn, so it may be of another one. ${cure}`,
  );
}
