// Commands that attack the git directory that they are given, and hostile repositories that git meets in a command.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { CommandRepository } from '../../../src/contracts/shell.ts';
import { openSandbox, type Sandbox } from '../src/index.ts';
import { writeCommandRepository } from '../../../src/workspace/git/command-repository.ts';
import { nativeGit } from '../../../test/support/git-server.ts';
import { startPackServer, type PackServer } from '../../../test/support/pack-server.ts';
import { refusalOf } from '../../../test/workspace/git/engines.ts';
import { outside, SECRET, secret, TREES } from '../../../test/workspace/git/malicious/trees.ts';
import { withoutThread } from '../../../test/workspace/support.ts';
import { Service, USERS, whyNot } from './support.ts';

// What the tests make can be read by the user that commands run as.
const umask = process.umask(0o022);
afterAll(() => void process.umask(umask));

/** All names below a directory, with modes, links and contents. */
function digestOf(root: string): string {
  const hash = createHash('sha256');
  const visit = (path: string): void => {
    const stats = lstatSync(path);
    hash.update(`${path}\0${stats.mode}\0`);
    if (stats.isDirectory())
      for (const name of readdirSync(path).toSorted()) visit(join(path, name));
    else hash.update(stats.isSymbolicLink() ? readlinkSync(path) : readFileSync(path));
  };
  visit(root);
  return hash.digest('hex');
}

const declare = whyNot === '' ? describe : describe.skip;
declare.each(USERS)(`a command with git, of a service that runs %s ${whyNot}`, (_who, user) => {
  let service: Service;
  let tree: string;
  let origin: string;
  let repository: CommandRepository;

  beforeAll(async () => {
    service = await Service.start(user, { limits: { disk: 64 * 1024 * 1024 } });
    expect(service.opened).toBe('ready');
    tree = service.workspace({ 'file.txt': 'one\n' });
    origin = join(service.directory, 'origin');
    mkdirSync(origin);
    nativeGit(origin, 'init', '-q', '-b', 'main');
    service.write(join(origin, 'file.txt'), 'one\n');
    nativeGit(origin, 'add', '.');
    nativeGit(origin, 'commit', '-qm', 'One');
    nativeGit(origin, 'gc', '-q');
    service.write(join(origin, 'file.txt'), 'two\n');
    nativeGit(origin, 'commit', '-qam', 'Two');
    const of = {
      commit: nativeGit(origin, 'rev-parse', 'HEAD'),
      tree: nativeGit(origin, 'rev-parse', 'HEAD^{tree}'),
    };
    const directory = join(dirname(tree), 'repository');
    repository = await writeCommandRepository(join(origin, '.git'), of, {
      directory,
      branch: 'main',
      branches: {},
    });
    if (user !== undefined) execFileSync('chown', ['-R', `${user}:${user}`, directory]);
    await run('true');
  });

  afterAll(() => service.stop());

  const run = (command: string) => service.run(tree, command, { repository });

  it.each([
    'rm -rf /run/repository /run/repository/* .git .git/*',
    'chmod -R 777 /run/repository; chown -R agent /run/repository; touch /run/repository/x',
    'for f in $(find /run/repository -type f); do echo x >> $f; truncate -s 0 $f; done',
    'for f in $(find /run/repository -type f); do ln $f .; ln $f .git; ln $f ~; done; echo x >> pack-*',
    'mv /run/repository/objects /run/repository/gone; mkdir -p /run/repository/objects',
    'rm -rf .git/objects && ln -s /run/repository/objects .git/objects && git gc --prune=now --aggressive',
    'rm -rf .git/refs && ln -s ../.. .git/refs; git update-ref refs/git/HEAD HEAD',
    'git config core.worktree ../..; git checkout -f; git clean -ffdx',
    'git config core.hooksPath .; printf "#!/bin/sh\\nid > ../../planted" > .git/post-checkout; git checkout -f',
    'git -c core.hooksPath=/dev/null -c user.name=a -c user.email=a commit -qam Mine',
    'mount --bind / .git; umount .git /run/repository; umount -l .git; rmdir .git',
    'mv .git mine; ln -sfn / .git; rm -rf .git; mkdir .git && echo own > .git/HEAD',
  ])('changes neither the objects of the service nor its directories: %s', async (command) => {
    const [objects, around] = [origin, join(dirname(tree), 'git')];
    const before = [digestOf(objects), digestOf(around), digestOf(repository.directory)];
    const { ended } = await run(command);
    expect(ended).toBe('exited');
    expect([digestOf(objects), digestOf(around), digestOf(repository.directory)]).toEqual(before);
    expect(readdirSync(dirname(tree)).toSorted()).toEqual(['git', 'repository', 'shell', 'tree']);
    expect(readdirSync(tree)).not.toContain('.git');
  });

  it.each([
    'rm -rf .git/*; mkfifo .git/made-x .git/HEAD .git/index.lock .git/config',
    'rm -rf .git/*; for f in HEAD index config objects packed-refs; do ln -s /dev/zero .git/$f; done',
    'for f in .git/made-*; do rm $f; mkfifo $f; mkfifo .git/index.lock; done',
    'chmod 000 .git',
    'echo x >> file.txt; git stash; rm -rf .git/objects .git/logs; mkfifo .git/objects .git/logs; rm .git/made-*',
    'mkdir -p .git/refs/stash .git/.kept/stash; rm .git/made-*',
    'git stash; ln -s /run/repository/objects .git/objects/aa; ln -s / .git/.kept; rm .git/made-*',
  ])('does not hold up the next one: %s', async (command) => {
    await run(command);
    const { ended, exitCode } = await run('echo alive; touch file.txt');
    expect([ended, exitCode]).toEqual(['exited', 0]);
  });

  it('fills no disk with what git keeps', async () => {
    const { ended } = await run('head -c 200M /dev/urandom > .git/large; sleep 60');
    expect(ended).toBe('disk');
  });

  it('gets no git directory if something else is in its place', async () => {
    const other = service.workspace({ 'file.txt': '' });
    mkdirSync(join(other, '.git'));
    writeFileSync(join(other, '.git/HEAD'), 'mine');
    service.own(join(other, '.git'));
    const { output } = await service.run(other, 'cat .git/HEAD; git status', { repository });
    expect(output.head).toMatch(/^minefatal: not a git repository/);
    expect(readFileSync(join(other, '.git/HEAD'), 'utf8')).toBe('mine');
  });
});

const HOSTILE = [
  'git status; git diff; git log -p; git ls-files; git grep -n x; git blame file',
  'git checkout -f; git reset --hard; git stash -u; git clean -fd; git add -A; git commit -qm x',
  'git submodule update --init --recursive; git fsck; git archive HEAD | wc -c; git gc',
].join('; ');

declare(`a hostile repository that git meets in a command ${whyNot}`, () => {
  let server: PackServer;
  let sandbox: Sandbox;

  beforeAll(async () => {
    writeFileSync(secret, SECRET);
    server = await startPackServer();
    const opened = await openSandbox({ allowHosts: [], log: pino({ level: 'silent' }) });
    if (opened.state === 'absent') throw new Error(opened.why);
    sandbox = opened.sandbox;
  });
  afterAll(async () => {
    await sandbox.close();
    await server.close();
  });

  it.each(Object.entries(TREES))('does no harm outside: %s', async (_name, [make]) => {
    const { objects, commit, pack } = make();
    Object.assign(server, { commit, pack: pack ?? objects.pack() });
    const { git, tree } = withoutThread(server, { engine: 'native', maxBytes: 2 ** 21 });
    if ((await refusalOf(git.clone({ commit, token: 'none' }))) !== undefined) return;
    const directory = join(dirname(tree), 'repository');
    const repository = await git.commandRepository({ directory, branch: 'main', branches: {} });
    const { signal } = new AbortController();
    const request = { command: HOSTILE, directory: '', timeoutMs: 100_000, signal, repository };
    const { output } = await sandbox.shell({ directory: tree }).run(request);
    expect(output.head + output.tail).not.toContain(SECRET);
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(secret, 'utf8')).toBe(SECRET);
    expect(readdirSync(tree)).not.toContain('.git');
    await git.changes({ except: [], recorded: new Map() });
  });
});
