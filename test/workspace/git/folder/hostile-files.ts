// Files that lead git out of a folder, as its author could write them.
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { nativeGit } from '../../../support/git-server.ts';
import { BRANCH } from './folder-client.ts';
import type { HostileFolder } from './hostile-folder.ts';
import { makePipe, plantHooks, type Threat } from './hostile-settings.ts';

/** Makes a link to all directories of loose objects. */
function linkObjects({ common, outside }: HostileFolder): void {
  for (let byte = 0; byte < 256; byte += 1) {
    const name = byte.toString(16).padStart(2, '0');
    mkdirSync(join(outside, name));
    if (!existsSync(join(common, 'objects', name)))
      symlinkSync(join(outside, name), join(common, 'objects', name));
  }
}

/** Another repository, which has nothing to do with the folder. */
function privateRepository({ outside }: HostileFolder): string {
  const directory = join(outside, 'private');
  mkdirSync(directory);
  nativeGit(directory, 'init', '-q', '-b', 'main');
  writeFileSync(join(directory, 'secret.txt'), 'secret\n');
  nativeGit(directory, 'add', '.');
  nativeGit(directory, 'commit', '-q', '-m', 'Secret');
  return join(directory, '.git');
}

/** A work tree that git would update with the branch, in a directory outside. */
function plantWorkTree(folder: HostileFolder): void {
  const directory = join(folder.common, 'worktrees/evil');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'HEAD'), `ref: refs/heads/${BRANCH}\n`);
  writeFileSync(join(directory, 'commondir'), '../..\n');
  writeFileSync(join(directory, 'gitdir'), `${folder.outside}/.git\n`);
  const config = join(folder.common, 'config');
  nativeGit('/', 'config', '--file', config, 'receive.denyCurrentBranch', 'updateInstead');
}

/** A repository inside of the work tree, with settings of its own; tracked as a submodule if that is wanted. */
function plantInner(folder: HostileFolder, isTracked: boolean): void {
  const inner = join(folder.tree, 'inner');
  mkdirSync(inner);
  nativeGit(inner, 'init', '-q', '-b', 'main');
  writeFileSync(join(inner, 'a.txt'), 'a\n');
  writeFileSync(join(inner, '.gitattributes'), '* filter=x\n');
  nativeGit(inner, 'add', '.');
  nativeGit(inner, 'commit', '-q', '-m', 'Inner');
  plantHooks(folder, join(inner, '.git/hooks'));
  for (const key of ['filter.x.clean', 'core.fsmonitor'])
    nativeGit(
      '/',
      'config',
      '--file',
      join(inner, '.git/config'),
      key,
      folder.program(`inner.${key}`),
    );
  if (!isTracked) return;
  nativeGit(folder.tree, 'add', 'inner');
  nativeGit(folder.tree, 'commit', '-q', '-m', 'Add a submodule');
  const old = new Date('2021-03-04T05:06:07Z');
  for (const name of ['a.txt', '.gitattributes', '.git/index'])
    utimesSync(join(inner, name), old, old);
}

/** Files of the work tree that lead to what never ends. */
function plantEndless({ tree, outside }: HostileFolder): void {
  makePipe(join(outside, 'pipe'));
  symlinkSync('/dev/zero', join(tree, 'zero'));
  symlinkSync(join(outside, 'pipe'), join(tree, 'pipe'));
  nativeGit(tree, 'add', '.');
  nativeGit(tree, 'commit', '-q', '-m', 'Add links');
  for (const name of ['zero', 'pipe']) rmSync(join(tree, name));
  symlinkSync('/dev/zero', join(tree, 'zero'));
  symlinkSync(join(outside, 'pipe'), join(tree, 'pipe'));
}

const extension = (
  name: string,
  settings: readonly [string, string][],
  refused?: RegExp,
): Threat => ({
  name,
  plant: ({ common }) => {
    for (const [key, value] of settings)
      nativeGit('/', 'config', '--file', join(common, 'config'), key, value);
  },
  ...(refused === undefined ? {} : { refused }),
});
const VERSION_1: [string, string] = ['core.repositoryFormatVersion', '1'];

export const FILES: readonly Threat[] = [
  { name: 'links for loose objects', plant: linkObjects, refused: /objects\/.. is a link/ },
  { name: 'a work tree outside', plant: plantWorkTree, refused: /checked out/ },
  {
    name: 'a branch that is another one',
    plant: ({ common }) => {
      mkdirSync(join(common, 'refs/heads/issuewright'), { recursive: true });
      writeFileSync(join(common, 'refs/heads', BRANCH), 'ref: refs/heads/other-one\n');
    },
    refused: /symbolic/,
  },
  {
    name: 'settings of filters in info/attributes',
    plant: (folder) => {
      mkdirSync(join(folder.common, 'info'), { recursive: true });
      writeFileSync(join(folder.common, 'info/attributes'), '* filter=z text=auto\n');
      const config = join(folder.common, 'config');
      nativeGit(
        '/',
        'config',
        '--file',
        config,
        'filter.z.clean',
        folder.program('filter.z.clean'),
      );
    },
  },
  {
    name: 'a `.git` that is a link',
    plant: (folder) => {
      const other = privateRepository(folder);
      rmSync(join(folder.tree, '.git'), { recursive: true });
      symlinkSync(other, join(folder.tree, '.git'));
    },
    refused: /\.git is a link/,
  },
  {
    name: 'a `.git` that names another repository',
    plant: (folder) => {
      const other = privateRepository(folder);
      rmSync(join(folder.tree, '.git'), { recursive: true });
      writeFileSync(join(folder.tree, '.git'), `gitdir: ${other}\n`);
    },
    refused: /does not name this folder/,
  },
  {
    name: 'a `commondir` that names another repository',
    plant: (folder) => {
      writeFileSync(join(folder.gitdir, 'commondir'), `${privateRepository(folder)}\n`);
    },
    refused: /commondir/,
  },
  {
    name: 'a work tree of another folder',
    forms: ['worktree'],
    plant: ({ gitdir, outside }) => writeFileSync(join(gitdir, 'gitdir'), `${outside}/.git\n`),
    refused: /does not name this folder/,
  },
  {
    name: 'alternates of another user',
    needsRoot: true,
    plant: (folder) => {
      const other = privateRepository(folder);
      chownSync(join(other, 'objects'), 12_345, 12_345);
      writeFileSync(join(folder.common, 'objects/info/alternates'), `${other}/objects\n`);
    },
    refused: /belongs to another user/,
  },
  {
    name: 'alternates in a circle',
    plant: ({ common }) =>
      writeFileSync(join(common, 'objects/info/alternates'), `${common}/objects\n/nonexistent\n`),
    forms: ['archive', 'worktree', 'submodule'],
  },
  {
    name: 'a link in alternates',
    plant: (folder) => {
      const other = privateRepository(folder);
      renameSync(join(other, 'objects/pack'), join(folder.outside, 'pack'));
      symlinkSync(join(folder.outside, 'pack'), join(other, 'objects/pack'));
      writeFileSync(join(folder.common, 'objects/info/alternates'), `${other}/objects\n`);
    },
    refused: /pack is a link/,
  },
  {
    name: 'a shared index outside',
    plant: ({ tree, gitdir, outside }) => {
      nativeGit(tree, 'update-index', '--split-index');
      const [name = ''] = readdirSync(gitdir).filter((each) => each.startsWith('sharedindex.'));
      renameSync(join(gitdir, name), join(outside, name));
      symlinkSync(join(outside, name), join(gitdir, name));
    },
    refused: /sharedindex\.\w+ is a link/,
  },
  { name: 'a repository inside', plant: (folder) => plantInner(folder, false) },
  { name: 'a submodule inside', plant: (folder) => plantInner(folder, true) },
  {
    name: 'a bare repository inside',
    at: 'bare',
    plant: (folder) => {
      nativeGit(
        folder.root,
        'clone',
        '-q',
        '--bare',
        '--no-local',
        folder.tree,
        join(folder.tree, 'bare'),
      );
      plantHooks(folder, join(folder.tree, 'bare/hooks'));
      const config = join(folder.tree, 'bare/config');
      for (const key of ['core.fsmonitor', 'core.alternateRefsCommand'])
        nativeGit('/', 'config', '--file', config, key, folder.program(`bare.${key}`));
    },
  },
  { name: 'links to what never ends', plant: plantEndless },
  extension('an unknown extension', [VERSION_1, ['extensions.surprise', 'true']], /surprise/),
  extension('reftable', [VERSION_1, ['extensions.refStorage', 'reftable']], /reftable/),
  extension('sha256', [VERSION_1, ['extensions.objectFormat', 'sha256']], /sha256/),
  extension('another format', [['core.repositoryFormatVersion', '2']], /format 2/),
  extension('safe.directory', [
    ['safe.directory', '*'],
    ['safe.bareRepository', 'all'],
  ]),
];
