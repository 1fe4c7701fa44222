// Finds the repository of a folder, as git does, without letting git read anything of it.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { TellPerson, unlessItFails } from '../../../lib/errors.ts';
import { trimEnd } from '../../../lib/text/text.ts';
import { GitDirectory } from './git-directory.ts';
import { runGitAlone } from '../engines/native/native-git.ts';

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

const ALTERNATES = 'info/alternates';

/**
 * A directory of objects and all those that it borrows from.
 * @throws {TellPerson} if there is a link in one of them, or one belongs to another user
 */
async function objectDirectories(
  first: string,
  environment: UserEnvironment,
): Promise<readonly string[]> {
  requireDirectory(first);
  const found = [first];
  for (const directory of found) {
    await requireOwned([directory], environment);
    const objects = new GitDirectory(directory);
    // Looks at every name below it.
    objects.files('.');
    for (const path of borrowedFrom(objects)) if (!found.includes(path)) found.push(path);
  }
  return found;
}

function requireDirectory(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  const what = stats?.isSymbolicLink() === true ? 'is a link' : 'is not a directory';
  throw new TellPerson(
    `${path} ${what}. Issuewright follows no links among git's own files. Work in a fresh clone of the repository, or in the one that it leads to.`,
  );
}

/** Git leaves out those that are missing. */
function borrowedFrom(objects: GitDirectory): readonly string[] {
  const lines = (objects.read(ALTERNATES)?.toString() ?? '').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      if (line.startsWith('"'))
        throw new TellPerson(
          `${objects.path}/${ALTERNATES} names a path in quotation marks, which Issuewright does not read. Move what it names to a path without line breaks.`,
        );
      return unlessItFails(() => realpathSync(resolve(objects.path, line))) ?? [];
    })
    .filter((path) => dirname(path) !== path);
}

interface FolderSettings {
  readonly isBare: boolean;
  /** Whether objects may be missing that a server has. */
  readonly isPartial: boolean;
  /** Where the repository says that its work tree is. Only compared with where it was found. */
  readonly workTree: string | undefined;
  /** How the file system treats names and modes: settings that are true or false. */
  readonly fileSystem: ReadonlyMap<string, boolean>;
}

const FILE_SYSTEM = ['core.filemode', 'core.symlinks', 'core.ignorecase', 'core.precomposeunicode'];

/** Extensions of the format that change nothing for us; others may change how references and objects are read. */
const HARMLESS = [
  'noop',
  'noop-v1',
  'preciousobjects',
  'partialclone',
  'worktreeconfig',
  'relativeworktrees',
];

/** @throws {TellPerson} if the repository has a format that is not known here */
async function readSettings(common: GitDirectory, gitdir: GitDirectory): Promise<FolderSettings> {
  const shared = await readFile(common, 'config');
  const hasOwn = isTrue(shared.get('extensions.worktreeconfig'));
  const own = hasOwn ? await readFile(gitdir, 'config.worktree') : new Map<string, string>();
  const all = new Map([...shared, ...own]);
  requireKnownFormat(common.path, shared);
  return {
    isBare: isTrue(all.get('core.bare')),
    isPartial:
      all.has('extensions.partialclone') ||
      [...all.keys()].some((key) => /^remote\..*\.(?:promisor|partialclonefilter)$/s.test(key)),
    workTree: all.get('core.worktree'),
    fileSystem: new Map(
      FILE_SYSTEM.flatMap((key) => (all.has(key) ? [[key, isTrue(all.get(key))]] : [])),
    ),
  };
}

async function readFile(
  directory: GitDirectory,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const text = directory.read(name);
  if (text === undefined) return new Map();
  const words = ['config', '--file', '-', '--no-includes', '--null', '--list'];
  const { exitCode, output } = await runGitAlone(words, { input: text.toString('latin1') });
  if (exitCode !== 0)
    throw new TellPerson(
      `Git cannot read the settings in ${directory.path}/${name}. Repair the file.`,
    );
  const settings = Buffer.from(output, 'latin1').toString().split('\0').filter(Boolean);
  return new Map(
    settings.map((setting) => {
      const at = setting.indexOf('\n');
      return at < 0 ? [setting, 'true'] : [setting.slice(0, at), setting.slice(at + 1)];
    }),
  );
}

function requireKnownFormat(path: string, settings: ReadonlyMap<string, string>): void {
  const reject = (what: string): never => {
    throw new TellPerson(
      `The repository in ${path} has ${what}, which Issuewright does not support. Work in a clone that is without it.`,
    );
  };
  const format = settings.get('core.repositoryformatversion') ?? '0';
  if (format !== '0' && format !== '1') reject(`the format ${format}`);
  for (const [key, value] of settings) {
    if (!key.startsWith('extensions.')) continue;
    const name = key.slice('extensions.'.length);
    if (name === 'objectformat' && value !== 'sha1') reject(`objects of the kind ${value}`);
    if (name === 'refstorage' && value !== 'files') reject(`references of the kind ${value}`);
    const isKnown = HARMLESS.includes(name) || name === 'objectformat' || name === 'refstorage';
    // Git ignores others in the old format.
    if (!isKnown && format === '1') reject(`the extension ${name}`);
  }
}

const isTrue = (value: string | undefined): boolean =>
  value !== undefined && /^(?:true|yes|on|0*[1-9]\d*)$/i.test(value);

// Whether a repository belongs to who started this process, by the rule of git (`safe.directory` in git-config).

/** The environment in which a person started the program. */
export type UserEnvironment = Readonly<Record<string, string | undefined>>;

/** @throws {TellPerson} if one of these belongs to another user, and the person's own settings of git do not allow it */
async function requireOwned(paths: readonly string[], environment: UserEnvironment): Promise<void> {
  const foreign = paths.find((path) => !isOwn(path, environment));
  if (foreign === undefined) return;
  const allowed = await safeDirectories(environment);
  if (paths.flatMap(namesOf).some((path) => isAllowed(path, allowed))) return;
  throw new TellPerson(
    `${foreign} belongs to another user (uid ${lstatSync(foreign).uid}; yours is ${process.geteuid?.()}). ` +
      'Git does not work in repositories of others, since they can have it run programs, and neither does Issuewright. ' +
      'Start it as that user, or work in a folder of your own. If you trust everyone who can write there: ' +
      `git config --global --add safe.directory '${foreign}'`,
  );
}

/** As git does, `sudo` lets root work in folders of who called it. */
function isOwn(path: string, { SUDO_UID: caller }: UserEnvironment): boolean {
  const user = process.geteuid?.();
  const { uid } = lstatSync(path);
  return user === undefined || uid === user || (user === 0 && caller === String(uid));
}

/** Git compares the work tree, or the repository if that is bare. */
function namesOf(path: string): readonly string[] {
  const repository = basename(path) === 'objects' ? dirname(path) : path;
  return basename(repository) === '.git' ? [repository, dirname(repository)] : [repository];
}

const isAllowed = (path: string, allowed: readonly string[]): boolean =>
  allowed.some(
    (one) =>
      one === '*' ||
      one.replace(/\/$/, '') === path ||
      (one.endsWith('/*') && path.startsWith(one.slice(0, -1))),
  );

/** Settings of git that are a person's own, or of the machine: a repository has no say in it. */
const OF_PERSON = [
  'HOME',
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
] as const;

async function safeDirectories(environment: UserEnvironment): Promise<readonly string[]> {
  const own = Object.fromEntries(OF_PERSON.map((name) => [name, environment[name]]));
  const words = ['config', '--includes', '--null', '--type=path', '--get-all', 'safe.directory'];
  const { output } = await runGitAlone(words, { environment: own });
  const all = Buffer.from(output, 'latin1').toString().split('\0').slice(0, -1);
  return all.slice(all.lastIndexOf('') + 1);
}
