// Git in commands: a real workspace, the real sandbox, and the machine's git.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { CommandDone, Shell } from '../../../src/contracts/shell.ts';
import { openSandbox, type Sandbox } from '../src/index.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import {
  startGitServer,
  type GitServer,
  type TestRepository,
} from '../../../test/support/git-server.ts';
import { ENGINES } from '../../../test/workspace/git/engines.ts';
import { AT, BRANCH, GIT, open } from '../../../test/workspace/support.ts';
import { whyNot } from './support.ts';

const FILES = {
  'README.md': '# Sum\n',
  'src/sum.js': 'export const sum = (a, b) => a + b;\n',
  '.gitattributes': '*.txt text eol=crlf\n*.js filter=evil diff=evil\n',
  'lines.txt': 'one\ntwo\n',
  '.gitignore': 'ignored\n',
};

const gitOf = (engine: (typeof ENGINES)[number]) =>
  engine === 'native' ? GIT : { engine, maxBytes: GIT.maxBytes };

const declare = whyNot === '' ? describe : describe.skip;
declare.each(ENGINES)(`git in a command, cloned by %s ${whyNot}`, (engine) => {
  let server: GitServer;
  let repository: TestRepository;
  let sandbox: Sandbox;
  let workspace: Workspace;
  let shell: Shell;

  beforeAll(async () => {
    server = await startGitServer();
    repository = server.createRepository('sum', { 'README.md': '# Sum\n' });
    repository.commit(FILES);
    const opened = await openSandbox({ allowHosts: [], log: pino({ level: 'silent' }) });
    if (opened.state === 'absent') throw new Error(opened.why);
    sandbox = opened.sandbox;
    workspace = await open(server, repository, {
      git: gitOf(engine),
      branches: { main: repository.head() },
    });
    shell = sandbox.shell(workspace.commands);
  });

  afterAll(async () => {
    await workspace.close();
    await sandbox.close();
    await server.close();
  });

  const run = async (command: string, readsHistory = false): Promise<CommandDone> => {
    const { watch, repository: seen } = workspace.commands;
    await watch.begin();
    const { signal } = new AbortController();
    const limits = { directory: '', timeoutMs: 100_000, signal };
    const done = await shell.run({
      command,
      ...limits,
      repository: await seen?.({ readsHistory }),
    });
    const { leftOut } = await watch.end(async () => []);
    expect(leftOut.repositories).toEqual([]);
    expect(existsSync(join(workspace.commands.directory, '.git'))).toBe(false);
    return done;
  };
  const output = async (command: string): Promise<string> => (await run(command)).output.head;
  const write = (path: string, content: string): Promise<unknown> =>
    workspace.files.write(path, Buffer.from(content));

  it('has the branch of the session, its commit, and no changes at first', async () => {
    expect(await output('git status -sb && git log --format=%s && git ls-files')).toBe(
      `## ${BRANCH}\nChange files\n${Object.keys(FILES).toSorted().join('\n')}\n`,
    );
    expect(await output('git rev-parse --show-toplevel HEAD main')).toBe(
      `/workspace\n${repository.head()}\n${repository.head()}\n`,
    );
    expect(await output('cd src && git rev-parse --show-prefix && git grep -c sum')).toBe(
      'src/\nsum.js:1\n',
    );
  });

  it('shows what tools and commands changed', async () => {
    await write('src/new.js', 'export {};\n');
    expect(await output('echo more >> README.md; touch ignored; git status --porcelain')).toBe(
      ' M README.md\n?? src/new.js\n',
    );
    expect(await output('git diff; git diff --stat main')).toMatch(
      /^diff --git a\/README\.md .*\n\+more\n README\.md \| 1 \+\n/s,
    );
    expect(await output('git show HEAD:README.md; git blame -s README.md')).toMatch(
      /^# Sum\n\^?[\da-f]+ 1\) # Sum\n0{7,} 2\) more\n$/,
    );
    expect(await output('git checkout -q README.md && cat README.md')).toBe('# Sum\n');
  });

  it('stages for the commands of the run, and for no commit', async () => {
    expect(await output('git add -A && git diff --cached --stat')).toContain('src/new.js | 1 +');
    expect(await output('git status --porcelain')).toBe('A  src/new.js\n');
    expect(await output('git reset -q && git status --porcelain')).toBe('?? src/new.js\n');
  });

  it.each([
    ['git commit -qm x --allow-empty', /^In a command, git can only read: HEAD stays as it is\.$/m],
    [
      'git config core.hooksPath .husky && git commit -qm x --allow-empty',
      /^In a command, git can only read: HEAD/m,
    ],
    ['git add -A && git commit -qm x', /^In a command, git can only read/m],
    ['git checkout -qb other', /^In a command, git can only read: refs\/heads\/other/m],
    ['git branch -D main', /^In a command, git can only read: refs\/heads\/main/m],
    ['git tag v1', /^In a command, git can only read: refs\/tags\/v1/m],
    ['git push', /^fatal: No configured push destination\.$/m],
    ['git fetch origin', /^fatal: 'origin' does not appear to be a git repository$/m],
  ])('fails in words, and leaves files and branches alone: %s', async (command, words) => {
    await write('src/new.js', `// ${command}\n`);
    const before = await output('cat src/new.js README.md; git for-each-ref; git rev-parse HEAD');
    const { exitCode, output: said } = await run(command);
    expect(said.head).toMatch(words);
    expect(exitCode).not.toBe(0);
    expect(await output('cat src/new.js README.md; git for-each-ref; git rev-parse HEAD')).toBe(
      before,
    );
  });

  it('takes changes back', async () => {
    await write('src/more.js', 'x\n');
    const reset = 'echo more >> README.md; git reset -q --hard && git clean -fdq && git status -s';
    expect(await output(`${reset} && cat README.md && ls src`)).toBe('# Sum\nsum.js\n');
  });

  it('puts changes away and brings them back, also after a commit and with more of the history', async () => {
    await write('src/sum.js', 'export const sum = 1;\n');
    await write('src/new.js', 'new\n');
    const looks = 'cat src/sum.js; ls src';
    const changed = await output(looks);
    const before = 'git stash -qu && cat src/sum.js && ls src && git stash pop -q';
    expect(await output(before)).toBe('export const sum = (a, b) => a + b;\nsum.js\n');
    expect(await output(looks)).toBe(changed);
    expect(await output('git stash -u')).toMatch(/^Saved working directory/);
    await write('README.md', '# Sums\n');
    await commit('Rename');
    expect((await run('git log', true)).exitCode).toBe(0);
    expect(await output('git stash list | wc -l; git status --porcelain')).toBe('1\n');
    expect((await run('git stash pop')).exitCode).toBe(0);
    expect(await output(`${looks}; git stash list`)).toBe(changed);
    await output('git checkout -q . && git clean -fdq');
  });

  it('makes repositories of its own elsewhere, and finds none in /tmp', async () => {
    const own =
      'cd /tmp && git init -q a && cd a && git -c user.name=a -c user.email=a@b.test commit -q --allow-empty -m own && git log --format=%s';
    expect(await output(own)).toBe('own\n');
    expect(await output('cd /tmp && git status')).toMatch(/^fatal: not a git repository/);
  });

  it.each([
    'rm -rf .git',
    'git init -q',
    'echo broken > .git/config',
    'echo broken > .git/HEAD',
    'touch .git/index.lock',
    'mv .git mine',
  ])('survives that a command breaks it: %s', async (command) => {
    await run(`${command}; true`);
    await write('src/again.js', `// ${command}\n`);
    await commit(`After ${command}`);
    expect(await output('git log -1 --format=%s && git status --porcelain')).toBe(
      `After ${command}\n`,
    );
  });

  it('shows the commits of the run', async () => {
    await write('src/new.js', 'export const x = 1;\n');
    const sha = await commit('Add x');
    expect(
      await output('git log --format="%H %s" -1; git diff --stat main...HEAD -- src/new.js'),
    ).toMatch(new RegExp(`^${sha} Add x\n src/new\\.js \\| 1 \\+`));
  });

  it('has more of the history once a command reads it, if git cloned the repository', async () => {
    const other = await open(server, repository, { git: gitOf(engine) });
    try {
      const seen = (needs?: object) => other.commands.repository?.(needs);
      expect((await seen())?.historyDepth).toBe(1);
      expect((await seen({ readsHistory: true }))?.historyDepth).toBe(
        engine === 'native' ? undefined : 1,
      );
      const shown = sandbox.shell(other.commands);
      const count = { command: 'git rev-list --count HEAD', directory: '', timeoutMs: 100_000 };
      const { signal } = new AbortController();
      const done = await shown.run({ ...count, signal, repository: await seen() });
      expect(done.output.head).toBe(engine === 'native' ? '2\n' : '1\n');
      // Once is enough.
      const before = server.requests.length;
      await seen({ readsHistory: true });
      expect(server.requests.slice(before)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  async function commit(message: string): Promise<string> {
    await workspace.drain();
    const done = await workspace.git.commit({ message, at: AT, only: undefined });
    return done?.sha ?? '';
  }

  it('reads a repository that has no name of the host, and cannot be written', async () => {
    const found = await output(
      'grep -rl -e x-access-token -e token-of-the-test -e 127.0.0.1 .git /run/repository; cat .git/config; ' +
        'touch /run/repository/x /run/repository/objects/pack/x; chmod -R u+w /run/repository; rm -rf /run/repository; ' +
        'for f in /run/repository/objects/pack/*; do echo x >> $f; done; git fsck && echo sound',
    );
    expect(found).not.toMatch(/token|http|127\.0/);
    expect(found).toMatch(/sound$/m);
    writeFileSync(join(workspace.commands.directory, 'x'), '');
  });
});
