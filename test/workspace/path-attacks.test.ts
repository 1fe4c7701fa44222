import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { filesBelow } from '../support/files-below.ts';

const SECRET = 'secret from outside';
const outside = temporaryDirectory();
const root = temporaryDirectory();
const files = new WorkspaceFiles(root, (path) => existsSync(join(root, path)), {
  allow: ['**'],
  deny: ['secrets', '*.pem', '/private.txt', 'config/{prod,stage}.json', 'Upper'],
});

const PLAIN = [
  '.git/config',
  '.github/workflows/ci.yml',
  '.github/CODEOWNERS',
  '.gitmodules',
  'CODEOWNERS',
  'config/prod.json',
  'docs/CODEOWNERS',
  'file.txt',
  'other.txt',
  'private.txt',
  'secrets/deep/key',
  'src/.git/config',
  'src/server.pem',
  'Upper/file',
];

beforeAll(() => {
  writeFileSync(join(outside, 'secret'), SECRET);
  for (const path of PLAIN) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'plain');
    chmodSync(join(root, path), 0o644);
  }
  symlinkSync(join(outside, 'secret'), join(root, 'link-to-file'));
  symlinkSync(outside, join(root, 'link-to-directory'));
  symlinkSync('link-to-directory', join(root, 'link-to-link'));
  symlinkSync(join(outside, 'not-there'), join(root, 'dangling-link'));
  symlinkSync('file.txt', join(root, 'inner-link'));
  symlinkSync('secrets', join(root, 'link-to-closed'));
  symlinkSync('.git', join(root, 'link-to-git'));
  symlinkSync('loop', join(root, 'loop'));
  symlinkSync('..', join(root, 'link-up'));
  symlinkSync('/', join(root, 'link-to-everything'));
  symlinkSync('/dev/zero', join(root, 'link-to-device'));
  symlinkSync('/proc/self/environ', join(root, 'link-to-environment'));
  linkSync(join(outside, 'secret'), join(root, 'hard-link'));
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'pipe')]);
  before = snapshot();
});

/** Everything at a path and below it: kind, mode, and content or target. */
function look(path: string): string[] {
  const stats = lstatSync(path);
  const what = `${path} ${stats.mode}`;
  if (stats.isSymbolicLink()) return [`${what} ${readlinkSync(path)}`];
  if (stats.isFile()) return [`${what} ${readFileSync(path, 'utf8')}`];
  if (!stats.isDirectory()) return [what];
  return [
    what,
    ...readdirSync(path)
      .toSorted()
      .flatMap((name) => look(join(path, name))),
  ];
}
const snapshot = (): string[] => [...look(root), ...look(outside)];
let before: string[];

type Operation = (path: string) => Promise<unknown>;

const READING: Record<string, Operation> = {
  read: (path) => files.read(path),
};
const WRITING: Record<string, Operation> = {
  write: (path) => files.write(path, Buffer.from('owned')),
  'be moved to': (path) => files.rename([{ from: 'other.txt', to: path }]),
};
const TAKING: Record<string, Operation> = {
  delete: (path) => files.delete(path),
  move: (path) => files.rename([{ from: path, to: 'moved' }]),
};
const LISTING: Record<string, Operation> = {
  list: (path) => files.list(path),
};

const HOSTILE: Record<string, string> = {
  'the parent': '..',
  'a file of the parent': '../secret',
  'a detour through the parent': 'src/../../secret',
  'an inner detour': 'src/../file.txt',
  'a trailing parent': 'src/..',
  'a parent after empty names': 'src//..//..//secret',
  'a parent in full-width dots': '\uff0e\uff0e/secret',
  'a parent with a space': '.. /secret',
  'a parent with a joiner between': '.\u200d./secret',
  'an absolute path': '/etc/passwd',
  'an absolute path with two slashes': '//etc/passwd',
  'the environment of the process': '/proc/self/environ',
  'a home directory': '~/.ssh/id_rsa',
  'a Windows drive': 'C:\\Windows\\win.ini',
  'a Windows drive with slashes': 'c:/Windows/win.ini',
  'a network share': '\\\\host\\share',
  backslashes: '..\\..\\secret',
  'a NUL': 'file.txt\0.png',
  'a newline': 'a\nb',
  'an escape sequence': 'a\u001b[31mb',
  'a C1 control character': 'a\u009bb',
  'a lone surrogate': 'a\ud800b',
  'a name beyond 255 bytes': 'a'.repeat(256),
  'a name beyond 255 bytes in fewer characters': 'é'.repeat(128),
  'a path beyond 1024 bytes': 'abcdefgh/'.repeat(120),
  'more than 64 directories': `${'a/'.repeat(65)}b`,
  'git itself': '.git',
  'git with a slash': '.git/',
  'git after a dot': './.git/config',
  'a file of git': '.git/config',
  'a hook of git': '.git/hooks/pre-commit',
  'git of an inner repository': 'src/.git/config',
  'git in capitals': '.GIT/config',
  'git in mixed case': '.GiT/config',
  'git with a trailing dot': '.git./config',
  'git with a trailing space': '.git /config',
  'git with an ideographic space': '.git\u3000/config',
  'the short name of git': 'git~1/config',
  'the second short name of git': 'GIT~2/config',
  'git with a zero-width joiner': '.g\u200dit/config',
  'git with a byte order mark': '\ufeff.git/config',
  'git with a soft hyphen': '.gi\u00adt/config',
  'git with a stream': '.git::$INDEX_ALLOCATION/config',
  'git in full-width letters': '.\uff47\uff49\uff54/config',
  'an invisible name': '\u200b/x',
  'only dots': '.../x',
  'a file behind a link': 'link-to-directory/secret',
  'a new file behind a link': 'link-to-directory/new/file',
  'a file behind two links': 'link-to-link/secret',
  'a file behind a link to the parent': 'link-up/secret',
  'a file behind a link to everything': 'link-to-everything/etc/passwd',
  'a file of git behind a link': 'link-to-git/config',
  'a closed file behind a link': 'link-to-closed/deep/key',
  'a file behind a link to itself': 'loop/x',
  'a file below a file': 'file.txt/x',
  'a pipe': 'pipe',
  'a file in a pipe': 'pipe/x',
  'a closed directory': 'secrets',
  'a file of a closed directory': 'secrets/deep/key',
  'a new file in a closed directory': 'secrets/new/file',
  'a closed directory in capitals': 'SECRETS/deep/key',
  'a closed directory with a trailing dot': 'secrets./deep/key',
  'a closed directory by a detour': './/secrets/./deep/key',
  'a closed kind of file': 'src/server.pem',
  'a closed kind of file in capitals': 'src/SERVER.PEM',
  'a closed file of the root': 'private.txt',
  'a closed choice': 'config/prod.json',
  'a directory that was closed in capitals': 'upper/file',
};

const LINKS: Record<string, string> = {
  'a link to a file': 'link-to-file',
  'a link to a directory': 'link-to-directory',
  'a link to a directory, with a slash': 'link-to-directory/',
  'a link to a directory, with a dot': 'link-to-directory/.',
  'a link to a link': 'link-to-link',
  'a dangling link': 'dangling-link',
  'a link that stays inside': 'inner-link',
  'a link to git': 'link-to-git',
  'a link to itself': 'loop',
  'a link to a device': 'link-to-device',
  'a link to the environment': 'link-to-environment',
};

const DIRECTORIES: Record<string, string> = {
  'the empty path': '',
  'the root': '.',
  'a directory': 'src',
};

const PROTECTED: Record<string, string> = {
  'a workflow': '.github/workflows/ci.yml',
  'a workflow in capitals': '.GitHub/Workflows/ci.yml',
  'a workflow by a detour': './.github//workflows/./ci.yml',
  'a workflow with a trailing dot': '.github./workflows./ci.yml',
  'a workflow with an invisible character': '.github/workflows\u200b/ci.yml',
  'a workflow in a directory': '.github/workflows/deep/ci.yml',
  'the workflows themselves': '.github/workflows',
  'the owners of the code': 'CODEOWNERS',
  'the owners of the code in .github': '.github/CODEOWNERS',
  'the owners of the code in docs': 'docs/codeowners',
  'the owners of the code in full-width letters': 'docs/\uff23ODEOWNERS',
  'the submodules': '.gitmodules',
  'the submodules in capitals': '.GITMODULES',
  'the short name of the submodules': 'gitmod~1',
};

const expectRejected = async (
  operations: Record<string, Operation>,
  path: string,
): Promise<void> => {
  for (const operation of Object.values(operations))
    await expect(operation(path)).rejects.toBeInstanceOf(TellModel);
};

describe('paths that a model may name', () => {
  it.each(Object.entries(HOSTILE))('lead nowhere: %s', async (name, path) => {
    await expectRejected({ ...READING, ...WRITING, ...TAKING }, path);
    // A search is of what is there, and a pipe is nothing to be found.
    if (name !== 'a pipe') await expectRejected(LISTING, path);
  });

  it.each(Object.entries(LINKS))('follow no link: %s', async (_name, path) => {
    await expectRejected({ ...READING, ...WRITING, list: LISTING['list']! }, path);
  });

  it.each(Object.entries(DIRECTORIES))('are no file: %s', async (_name, path) => {
    await expectRejected({ ...READING, ...WRITING, delete: TAKING['delete']! }, path);
  });

  it.each(Object.entries(PROTECTED))('leave to people: %s', async (_name, path) => {
    await expectRejected({ ...WRITING, ...TAKING }, path);
  });

  it('do not write to a file that has a second name', async () => {
    await expectRejected(WRITING, 'hard-link');
  });

  it('do not move protected or closed files with their directory, in or out', async () => {
    const moves: [from: string, to: string][] = [
      ['.github', 'github'],
      ['docs', 'papers'],
      ['src', 'source'],
      ['config', 'settings'],
      ['Upper', 'lower'],
    ];
    for (const [from, to] of moves)
      await expect(files.rename([{ from, to }])).rejects.toBeInstanceOf(TellModel);
  });

  it('are shown without what is closed', async () => {
    const names = (await files.list('')).map(({ name }) => name);
    for (const name of ['.git', 'secrets', 'private.txt', 'Upper'])
      expect(names).not.toContain(name);
    expect((await files.list('src')).map(({ name }) => name)).toEqual([]);
    expect(await filesBelow(files)).toEqual([
      '.github/CODEOWNERS',
      '.github/workflows/ci.yml',
      '.gitmodules',
      'CODEOWNERS',
      'docs/CODEOWNERS',
      'file.txt',
      'hard-link',
      'other.txt',
    ]);
  });

  it('leave everything inside and outside as it was', () => {
    expect(snapshot()).toEqual(before);
  });

  it('are rejected with the reason, and with what to do instead', async () => {
    await expect(files.write('.github/workflows/ci.yml', Buffer.from(''))).rejects.toThrow(
      'The path ".github/workflows/ci.yml" cannot be written: this App does not have GitHub\'s permission to change workflow files. Describe the change in the pull request instead.',
    );
    await expect(files.read('secrets/deep/key')).rejects.toThrow(
      'The repository settings deny access to "secrets/deep/key". Work without it, or ask people.',
    );
  });
});
