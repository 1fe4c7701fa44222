import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GitSettings } from '../../../../src/workspace/git/engines/choose-engine.ts';
import type { Workspace } from '../../../../src/workspace/workspace.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { AT, BRANCH, byCommand, GIT, open, text } from '../../support.ts';

const pointer = (content: string): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(content).digest('hex')}\nsize ${content.length}\n`;

let server: GitServer;
let repository: TestRepository;
let workspace: Workspace;
let count = 0;

beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
afterEach(async () => workspace.close());

async function start(files: Record<string, string>, git: GitSettings = GIT): Promise<void> {
  count += 1;
  repository = server.createRepository(`octo/attributes-${count}`, files);
  workspace = await open(server, repository, { git });
}

const commit = () => workspace.git.commit({ message: 'Change', at: AT });
const blobAt = (path: string) => repository.git('rev-parse', `${BRANCH}:${path}`);
const idOf = (content: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex');
const write = (files: Record<string, string>) =>
  byCommand(workspace, (tree) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), content);
    }
  });

const engines = [
  ['git', GIT],
  ['isomorphic-git', { engine: 'isomorphic', maxBytes: GIT.maxBytes }],
] as const;

describe.each(engines)('files that Git LFS stores, with %s', (_name, git) => {
  const LFS = {
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'model.bin': pointer('weights'),
    'other.bin': pointer('others'),
    'README.md': 'Sample\n',
  };

  it('are not written by a tool, which says why', async () => {
    await start(LFS, git);
    for (const path of ['model.bin', 'new.bin', 'deep/new.bin'])
      await expect(workspace.files.write(path, text('raw'))).rejects.toThrow(/Git LFS store/);
    await workspace.files.write('README.md', text('Changed\n'));
    await expect(workspace.files.rename([{ from: 'README.md', to: 'readme.bin' }])).rejects.toThrow(
      /Git LFS store/,
    );
    const inLfs = ['deep/new.bin', 'model.bin', 'new.bin', 'readme.bin'];
    expect(await workspace.git.inLfs()).toEqual(inLfs);
    expect(await commit()).toMatchObject({ files: [{ path: 'README.md' }], inLfs });
    expect(repository.git('ls-tree', '-r', '--name-only', BRANCH)).not.toContain('new.bin');
  });

  it('are not committed raw if a command wrote them, and the commit names them', async () => {
    await start(LFS, git);
    await workspace.commands.watch.begin();
    writeFileSync(join(workspace.commands.directory, 'model.bin'), 'raw');
    writeFileSync(join(workspace.commands.directory, 'new.bin'), 'raw');
    const { uncommitted } = await workspace.commands.watch.end(async () => []);
    expect(uncommitted).toMatch(/^No commit includes "model.bin": .*Git LFS.*1 more/);
    await workspace.git.includeMade(['new.bin']);
    expect(await commit()).toBeUndefined();
    expect(await workspace.git.changes()).toEqual([]);
    await workspace.files.write('README.md', text('Changed\n'));
    expect(await commit()).toMatchObject({
      files: [{ path: 'README.md' }],
      inLfs: ['model.bin', 'new.bin'],
    });
    expect(blobAt('model.bin')).toBe(idOf(LFS['model.bin']));
  });

  it('are moved, deleted, copied and filled in as pointers', async () => {
    await start(LFS, git);
    await workspace.files.rename([{ from: 'model.bin', to: 'moved.bin' }]);
    await workspace.files.delete('other.bin');
    await workspace.files.write('copy.bin', text(LFS['model.bin']));
    await workspace.files.write('empty.bin', text(''));
    expect((await commit())?.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'added copy.bin',
      'added empty.bin',
      'deleted model.bin',
      'added moved.bin',
      'deleted other.bin',
    ]);
    expect(blobAt('moved.bin')).toBe(idOf(LFS['model.bin']));
    // Git LFS has put the file itself there.
    await write({ 'moved.bin': 'weights' });
    expect(await workspace.git.changes()).toEqual([]);
    expect(await workspace.git.inLfs()).toEqual([]);
  });

  it('do not become pointers to what nobody stored', async () => {
    await start(LFS, git);
    await workspace.files.write('model.bin', text(pointer('invented')));
    expect(await commit()).toBeUndefined();
    expect(await workspace.git.inLfs()).toEqual(['model.bin']);
  });
});

it('a pointer in conflict becomes that of one side, and none that neither side has', async () => {
  const rules = '*.bin filter=lfs diff=lfs merge=lfs -text\n';
  await start({ '.gitattributes': rules, 'model.bin': pointer('weights') });
  await workspace.close();
  const ours = repository.commit({ 'model.bin': pointer('ours') }, BRANCH);
  const theirs = repository.commit({ 'model.bin': pointer('theirs') }, 'main');
  const merge = { theirs, branch: 'main' };
  workspace = await open(server, repository, { baseCommit: ours, merge });
  expect(workspace.merge?.result).toBe('conflicts');
  await workspace.files.write('model.bin', text(pointer('invented')));
  await expect(commit()).rejects.toThrow('the merge is not resolved');
  await workspace.files.write('model.bin', text(pointer('theirs')));
  expect(await commit()).toMatchObject({ merges: theirs });
  expect(blobAt('model.bin')).toBe(idOf(pointer('theirs')));
});

describe.each(engines)('line ends in a commit, with %s', (_name, git) => {
  it('of new files are those that the attributes ask for, and the work tree keeps its own', async () => {
    await start({ '.gitattributes': '* text=auto\n*.bat eol=crlf\n*.raw -text\n' }, git);
    await workspace.files.write('run.bat', text('echo\r\n'));
    await workspace.files.write('a.txt', text('a\r\nb\r\n'));
    await workspace.files.write('a.raw', text('a\r\n'));
    await workspace.files.write('lone.txt', text('a\rb\r\n'));
    await commit();
    expect(blobAt('run.bat')).toBe(idOf('echo\n'));
    expect(blobAt('a.txt')).toBe(idOf('a\nb\n'));
    expect(blobAt('a.raw')).toBe(idOf('a\r\n'));
    expect(blobAt('lone.txt')).toBe(idOf('a\rb\r\n'));
    expect(readFileSync(join(workspace.commands.directory, 'run.bat'), 'latin1')).toBe('echo\r\n');
    expect(await workspace.git.changes()).toEqual([]);
    expect(await workspace.git.diff('')).toEqual([]);
  });

  it('of a file that has CRLF in the repository stay, so that a change of one line is one', async () => {
    await start({ 'old.txt': 'a\r\nb\r\n', 'new.txt': 'a\n' }, git);
    await workspace.files.write('.gitattributes', text('*.txt text\n'));
    await workspace.files.write('old.txt', text('a\r\nc\r\n'));
    await workspace.files.write('new.txt', text('a\r\nc\r\n'));
    expect(await workspace.git.diff('old.txt')).toMatchObject([
      { hunks: expect.stringMatching(/^@@ .*\n a\r?\n-b\r?\n\+c/) },
    ]);
    await commit();
    expect(blobAt('old.txt')).toBe(idOf('a\r\nc\r\n'));
    expect(blobAt('new.txt')).toBe(idOf('a\nc\n'));
  });
});

it('new files become what `git add` makes of them, whatever the attributes and bytes are', async () => {
  const attributes = fc
    .array(
      fc
        .tuple(
          fc.constantFrom('*', 'a*', 'b*', '/d/*', 'd/a0'),
          fc.constantFrom(
            'text',
            '-text',
            '!text',
            'text=auto',
            'eol=crlf',
            'eol=lf',
            'crlf',
            '-crlf',
            'crlf=input',
            'text=auto eol=crlf',
            'text=auto eol=lf',
            'binary',
            '-text eol=crlf',
            'text=x eol=lf',
          ),
        )
        .map((words) => words.join(' ')),
      { maxLength: 4 },
    )
    .map((lines) => `${lines.join('\n')}\n`);
  const part = fc.constantFrom(
    '\r\n',
    '\n',
    '\r',
    '\0',
    'word',
    '\u001A',
    '\u007F',
    '\u0001',
    'x'.repeat(128),
    'ä',
    '\t',
  );
  const content = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
  const files = fc.array(content, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(attributes, files, async (rules, contents) => {
      if (count > 0) await workspace?.close();
      await start({ '.gitattributes': rules });
      const made = contents.map(
        (each, at) => [`${['a', 'b', 'd/a', 'c'][at % 4]}${at}`, each] as const,
      );
      for (const [path, each] of made) await workspace.files.write(path, text(each));
      await commit();
      const own = temporaryDirectory();
      nativeGit(own, 'init', '-q');
      for (const [path, each] of [['.gitattributes', rules] as const, ...made]) {
        mkdirSync(dirname(join(own, path)), { recursive: true });
        writeFileSync(join(own, path), each);
      }
      nativeGit(own, '-c', 'core.autocrlf=false', 'add', '--all');
      expect(repository.git('ls-tree', '-r', BRANCH).replaceAll(' blob ', ' ')).toBe(
        nativeGit(own, 'ls-files', '--stage').replaceAll(' 0\t', '\t'),
      );
    }),
    { numRuns: 15 },
  );
});
