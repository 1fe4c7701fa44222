import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SECRET = 'secret from outside';
const outside = temporaryDirectory();
const root = temporaryDirectory();
const files = new WorkspaceFiles(root);

beforeAll(() => {
  writeFileSync(join(outside, 'secret'), SECRET);
  mkdirSync(join(root, 'src'));
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git', 'config'), SECRET);
  writeFileSync(join(root, 'file.txt'), 'plain');
  symlinkSync(join(outside, 'secret'), join(root, 'link-to-file'));
  symlinkSync(outside, join(root, 'link-to-directory'));
  symlinkSync(join(outside, 'not-there'), join(root, 'dangling-link'));
  symlinkSync('file.txt', join(root, 'inner-link'));
  symlinkSync('.git', join(root, 'link-to-git'));
  symlinkSync('loop', join(root, 'loop'));
  linkSync(join(outside, 'secret'), join(root, 'hard-link'));
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'pipe')]);
});

const ATTACKS: Record<string, string> = {
  'the empty path': '',
  'the root': '.',
  'the parent': '..',
  'a file of the parent': '../secret',
  'a detour through the parent': 'src/../../secret',
  'an inner detour': 'src/../file.txt',
  'a trailing parent': 'src/..',
  'a parent after empty names': 'src//..//..//secret',
  'an absolute path': '/etc/passwd',
  'an absolute path with two slashes': '//etc/passwd',
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
  'a file of git': '.git/config',
  'a hook of git': '.git/hooks/pre-commit',
  'git of an inner repository': 'src/.git/config',
  'git in capitals': '.GIT/config',
  'git in mixed case': '.GiT/config',
  'git with a trailing dot': '.git./config',
  'git with a trailing space': '.git /config',
  'the short name of git': 'git~1/config',
  'the second short name of git': 'GIT~2/config',
  'git with a zero-width joiner': '.g\u200dit/config',
  'git with a byte order mark': '\ufeff.git/config',
  'git with a soft hyphen': '.gi\u00adt/config',
  'git with a stream': '.git::$INDEX_ALLOCATION/config',
  'git in full-width letters': '.\uff47\uff49\uff54/config',
  'an invisible name': '\u200b/x',
  'only dots': '.../x',
  'a link to a file': 'link-to-file',
  'a link to a directory': 'link-to-directory',
  'a file behind a link': 'link-to-directory/secret',
  'a new file behind a link': 'link-to-directory/new/file',
  'a dangling link': 'dangling-link',
  'a link that stays inside': 'inner-link',
  'a link to git': 'link-to-git/config',
  'a link to itself': 'loop',
  'a file below a file': 'file.txt/x',
  'a pipe': 'pipe',
  'a directory': 'src',
};

const PROTECTED: Record<string, string> = {
  'a workflow': '.github/workflows/ci.yml',
  'a workflow in capitals': '.GitHub/Workflows/ci.yml',
  'a workflow by a detour': './.github//workflows/./ci.yml',
  'the workflows themselves': '.github/workflows',
  'the owners of the code': 'CODEOWNERS',
  'the owners of the code in .github': '.github/CODEOWNERS',
  'the owners of the code in docs': 'docs/codeowners',
  'the submodules': '.gitmodules',
  'the submodules in capitals': '.GITMODULES',
  'the short name of the submodules': 'gitmod~1',
  'a file with a second name': 'hard-link',
};

describe('paths that a model may name', () => {
  it.each(Object.entries(ATTACKS))('refuses to read %s', async (_name, path) => {
    await expect(files.read(path)).rejects.toBeInstanceOf(TellModel);
  });

  it.each(Object.entries({ ...ATTACKS, ...PROTECTED }))(
    'refuses to write %s',
    async (_name, path) => {
      await expect(files.write(path, Buffer.from('owned'))).rejects.toBeInstanceOf(TellModel);
    },
  );

  it('leaves everything outside and every link as it was', () => {
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe(SECRET);
    expect(readFileSync(join(root, '.git', 'config'), 'utf8')).toBe(SECRET);
    expect(readFileSync(join(root, 'file.txt'), 'utf8')).toBe('plain');
    expect(readdirSync(root).filter((name) => name.startsWith('.issuewright'))).toEqual([]);
  });

  it('lists and searches without following a link or entering git', async () => {
    for (const path of ['link-to-directory', '.git', '..', 'link-to-git'])
      await expect(files.list(path)).rejects.toBeInstanceOf(TellModel);
    expect(await files.find('')).toEqual(['file.txt', 'hard-link']);
    expect((await files.list('')).map(({ name }) => name)).not.toContain('.git');
  });

  it('says why a workflow cannot be written, and what to do instead', async () => {
    await expect(files.write('.github/workflows/ci.yml', Buffer.from(''))).rejects.toThrow(
      'The path ".github/workflows/ci.yml" cannot be written: GitHub lets an App change workflow files ' +
        'only with a permission that this App does not ask for; describe the change in the pull request instead.',
    );
  });
});
