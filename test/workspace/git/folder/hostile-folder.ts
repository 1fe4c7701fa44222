// Folders with a repository, of each kind that there is on a disk, for tests to plant something in.
import {
  appendFileSync,
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { nativeGit } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

export const FORMS = ['archive', 'worktree', 'submodule', 'alternates'] as const;
export type Form = (typeof FORMS)[number];

/** What a run in it may never do: start a program, or change a file outside of the repository. */
export interface HostileFolder {
  /** Of all that belongs to it, what is outside included. */
  readonly root: string;
  /** The work tree. */
  readonly tree: string;
  readonly gitdir: string;
  /** What the work trees of a repository share: settings, references and objects. */
  readonly common: string;
  /** Nothing in it may change. */
  readonly outside: string;
  /** Makes a program that leaves its name if it is run, and answers its path. */
  readonly program: (name: string) => string;
  /** The programs that were run. */
  readonly ran: () => readonly string[];
}

/** Of all files, and of the index: git then compares contents, and asks filters for them. */
const LONG_AGO = new Date('2021-03-04T05:06:07Z');

const PLACES: Readonly<Record<Form, Pick<HostileFolder, 'tree' | 'gitdir' | 'common'>>> = {
  archive: { tree: 'folder', gitdir: 'folder/.git', common: 'folder/.git' },
  alternates: { tree: 'folder', gitdir: 'folder/.git', common: 'folder/.git' },
  worktree: { tree: 'folder', gitdir: 'main/.git/worktrees/folder', common: 'main/.git' },
  submodule: {
    tree: 'super/folder',
    gitdir: 'super/.git/modules/folder',
    common: 'super/.git/modules/folder',
  },
};

const templates = new Map<Form, string>();

/** A copy of a folder of this form, with two commits and a clean work tree. */
export function newFolder(form: Form): HostileFolder {
  const template = templates.get(form) ?? newTemplate(form);
  templates.set(form, template);
  const root = temporaryDirectory();
  chmodSync(root, 0o755);
  cpSync(template, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const [tree, gitdir, common] = (['tree', 'gitdir', 'common'] as const).map((one) =>
    join(root, PLACES[form][one]),
  ) as [string, string, string];
  if (form === 'worktree') {
    writeFileSync(join(tree, '.git'), `gitdir: ${gitdir}\n`);
    writeFileSync(join(gitdir, 'gitdir'), `${tree}/.git\n`);
  }
  if (form === 'alternates')
    writeFileSync(join(common, 'objects/info/alternates'), `${root}/lent.git/objects\n`);
  const outside = join(root, 'outside');
  const canaries = join(root, 'canaries');
  for (const directory of [outside, canaries, join(root, 'programs'), join(root, 'home')])
    mkdirSync(directory);
  chmodSync(canaries, 0o777);
  writeFileSync(join(outside, 'notes.txt'), 'Outside\n');
  const program = (name: string): string => {
    const path = join(root, 'programs', name);
    writeFileSync(path, `#!/bin/sh\n: > '${canaries}/${name}'\ncat\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const ran = (): readonly string[] => readdirSync(canaries);
  return { root, tree, gitdir, common, outside, program, ran };
}

function newTemplate(form: Form): string {
  const root = temporaryDirectory();
  const { tree, gitdir, common } = PLACES[form];
  const main = form === 'worktree' ? join(root, 'main') : join(root, tree);
  mkdirSync(main, { recursive: true });
  if (form === 'submodule') {
    nativeGit(dirname(main), 'init', '-q', '-b', 'main');
    mkdirSync(join(root, dirname(gitdir)));
    nativeGit(main, 'init', '-q', '-b', 'main', `--separate-git-dir=${join(root, gitdir)}`);
    writeFileSync(join(main, '.git'), 'gitdir: ../.git/modules/folder\n');
    nativeGit(main, 'config', 'core.worktree', '../../../folder');
  } else nativeGit(main, 'init', '-q', '-b', 'main');
  writeFileSync(join(main, 'readme.md'), 'Hello\n');
  nativeGit(main, 'add', '.');
  nativeGit(main, 'commit', '-q', '-m', 'Begin');
  writeFileSync(join(main, '.gitattributes'), '* filter=x diff=x merge=x\n');
  writeFileSync(join(main, 'readme.md'), 'Hello, you\n');
  nativeGit(main, 'add', '.');
  nativeGit(main, 'commit', '-q', '-m', 'Second');
  if (form === 'worktree')
    nativeGit(main, 'worktree', 'add', '-q', '-b', 'other', join(root, tree));
  if (form === 'alternates') lend(root, main);
  // Of an archive, times and sizes are as its author wants them, and these settings leave out the rest.
  appendFileSync(
    join(root, common, 'config'),
    '[core]\n\tcheckStat = minimal\n\ttrustctime = false\n',
  );
  for (const name of ['readme.md', '.gitattributes'])
    utimesSync(join(root, tree, name), LONG_AGO, LONG_AGO);
  nativeGit(join(root, tree), 'update-index', '--refresh');
  utimesSync(join(root, gitdir, 'index'), LONG_AGO, LONG_AGO);
  return root;
}

function lend(root: string, main: string): void {
  const lent = join(root, 'lent.git');
  nativeGit(root, 'clone', '-q', '--bare', '--no-local', main, lent);
  nativeGit(main, 'repack', '-q', '-a', '-d');
  writeFileSync(join(main, '.git/objects/info/alternates'), `${lent}/objects\n`);
  nativeGit(main, 'repack', '-q', '-a', '-d', '-l');
}

/** All that is below a directory but for some places, each with its kind, mode, time and content. */
export function snapshot(root: string, except: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (path: string): void => {
    if (except.includes(path)) return;
    const stats = lstatSync(path);
    const content = stats.isSymbolicLink()
      ? readlinkSync(path)
      : stats.isFile()
        ? readFileSync(path, 'latin1')
        : '';
    const time = stats.isDirectory() ? '' : stats.mtimeMs;
    found.set(path.slice(root.length), `${stats.mode} ${stats.uid} ${time} ${content}`);
    if (stats.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
  };
  walk(root);
  return found;
}
