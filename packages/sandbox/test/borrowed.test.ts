// What `issuewright run` shows commands of a person's folder: dependencies that git ignores.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { borrowedWords } from '../../../src/commands/run/work-in-folder.ts';
import type { BorrowedDirectories, Shell } from '../../../src/contracts/shell.ts';
import { openSandbox, type Sandbox } from '../src/index.ts';
import { FolderRepository } from '../../../src/workspace/git/folder/folder.ts';
import { nativeGit } from '../../../test/support/git-server.ts';
import { isRoot } from '../../../test/support/other-user.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { whyNot } from './support.ts';

// What the tests make can be read by the user that commands run as.
const umask = process.umask(0o022);
afterAll(() => void process.umask(umask));

const IGNORED = {
  'node_modules/.bin/tool': '#!/bin/sh\necho a tool\n',
  'packages/a/node_modules/.bin/inner': '#!/bin/sh\necho inner\n',
  '.venv/bin/script': '',
  '.venv/.gitignore': '*\n',
  'dist/main.js': '',
  'secrets/key': 'secret',
};

function makeFolder(): string {
  const folder = temporaryDirectory();
  chmodSync(folder, 0o755);
  nativeGit(folder, 'init', '-q', '-b', 'main');
  const tracked = { '.gitignore': 'node_modules\ndist\nsecrets\n', 'packages/a/index.js': '' };
  for (const [path, content] of Object.entries({ ...tracked, ...IGNORED })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode: 0o755 });
  }
  writeFileSync(join(folder, '.venv/bin/script'), `#!${folder}/.venv/bin/sh\necho in ${folder}\n`, {
    mode: 0o755,
  });
  symlinkSync('/bin/sh', join(folder, '.venv/bin/sh'));
  nativeGit(folder, 'add', '.');
  nativeGit(folder, 'commit', '-qm', 'Begin');
  return folder;
}

const dependenciesOf = async (folder: string): Promise<BorrowedDirectories | undefined> => {
  const repository = await FolderRepository.find(folder, new AbortController().signal);
  try {
    return await repository.dependencies();
  } finally {
    await repository.close();
  }
};

const declare = whyNot === '' ? describe : describe.skip;
declare(`what commands see of a folder ${whyNot}`, () => {
  let folder: string;
  let tree: string;
  let borrowed: BorrowedDirectories | undefined;
  let sandbox: Sandbox;
  let shell: Shell;

  beforeAll(async () => {
    folder = makeFolder();
    borrowed = await dependenciesOf(folder);
    const opened = await openSandbox({ allowHosts: [], log: pino({ level: 'silent' }) });
    if (opened.state === 'absent') throw new Error(opened.why);
    sandbox = opened.sandbox;
    tree = join(temporaryDirectory(), 'tree');
    mkdirSync(join(tree, 'packages/a'), { recursive: true });
    shell = sandbox.shell({ directory: tree, borrowed });
  });
  afterAll(() => sandbox.close());

  const output = async (command: string): Promise<string> => {
    const { signal } = new AbortController();
    const { output: said } = await shell.run({
      command,
      directory: '',
      timeoutMs: 100_000,
      signal,
    });
    return said.head;
  };

  it('is each ignored directory with programs, and nothing else that is ignored', () => {
    expect(borrowed).toEqual({
      root: folder,
      paths: ['.venv', 'node_modules', 'packages/a/node_modules'],
    });
  });

  it('is there for each command, at its own path and at that of the folder', async () => {
    const run =
      'node_modules/.bin/tool; packages/a/node_modules/.bin/inner; .venv/bin/script; ls -A';
    for (const _time of [1, 2])
      expect(await output(run)).toBe(
        `a tool\ninner\nin ${folder}\n.venv\nnode_modules\npackages\n`,
      );
    expect(readdirSync(tree)).toEqual(['packages']);
    expect(readdirSync(join(tree, 'packages/a'))).toEqual([]);
  });

  it('cannot be changed', async () => {
    expect(
      await output(
        'echo x > node_modules/.bin/tool; rm -rf node_modules/.bin; mv .venv gone; echo done',
      ),
    ).toMatch(/Read-only file system[^]*done/);
    expect(readFileSync(join(folder, 'node_modules/.bin/tool'), 'utf8')).toContain('a tool');
    expect(existsSync(join(folder, '.venv/bin/script'))).toBe(true);
  });

  it('is mounted nowhere else, whatever link a command makes on its way', async () => {
    const outside = temporaryDirectory();
    for (const target of [outside, `/oldroot${outside}`, '/newroot/tmp', '../..']) {
      await output(`rm -rf packages; mkdir packages; ln -s ${target} packages/a`);
      expect(await output('node_modules/.bin/tool')).toBe('a tool\n');
    }
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe('what a person is told at the start', () => {
  it('names what commands see, and the programs that they do not see', () => {
    const folder = temporaryDirectory();
    chmodSync(folder, 0o755);
    const tools = join(temporaryDirectory(), 'bin');
    mkdirSync(tools);
    writeFileSync(join(tools, 'tool'), '', { mode: 0o755 });
    mkdirSync(join(folder, '.venv/bin'), { recursive: true });
    symlinkSync(join(tools, 'tool'), join(folder, '.venv/bin/python'));
    const borrowed = { root: folder, paths: ['.venv'] };
    const path = `/usr/bin:${tools}:/nowhere:relative`;
    expect(borrowedWords(borrowed, [], path)).toEqual([
      'Commands can read but not change .venv of this folder.',
      `Commands do not see the programs in ${tools}. To show them a toolchain, put its directory into SANDBOX_READ_PATHS.`,
    ]);
    expect(borrowedWords(borrowed, [dirname(tools)], path)).toHaveLength(1);
    expect(borrowedWords(undefined, [], '/usr/bin')).toEqual([]);
    if (!isRoot) return;
    chmodSync(folder, 0o700);
    expect(borrowedWords(borrowed, [dirname(tools)], undefined)).toEqual([
      expect.stringMatching(/^Commands do not see \.venv of this folder: they never run as root/),
    ]);
  });
});
