// The settings of a repository that someone else may have made. Git reads the text and acts on nothing in it: no file is
// included, and what names a program, a path or an identity is not looked at.
import { TellPerson } from '../../../lib/errors.ts';
import { runGitAlone } from '../engines/native/native-git.ts';
import type { GitDirectory } from './git-directory.ts';

export interface FolderSettings {
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
export async function readSettings(
  common: GitDirectory,
  gitdir: GitDirectory,
): Promise<FolderSettings> {
  const shared = await readFile(common, 'config');
  const hasOwn = isTrue(shared.get('extensions.worktreeconfig'));
  const own = hasOwn ? await readFile(gitdir, 'config.worktree') : new Map<string, string>();
  const all = new Map([...shared, ...own]);
  requireKnownFormat(common.path, shared);
  return {
    isBare: isTrue(all.get('core.bare')),
    isPartial: all.has('extensions.partialclone') || [...all.keys()].some(isPromisor),
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

const isPromisor = (key: string): boolean =>
  /^remote\..*\.(?:promisor|partialclonefilter)$/s.test(key);

const isTrue = (value: string | undefined): boolean =>
  value !== undefined && /^(?:true|yes|on|0*[1-9]\d*)$/i.test(value);
