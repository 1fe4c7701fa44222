// `./issuewright github add` as it is typed, while the local GitHub runs and while it does not.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { nativeGit } from '../../../test/support/git-server.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const LAUNCHER = path.resolve('bin/issuewright.js');
const running = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of running) await kill(child);
});

const github = (...words: string[]): ChildProcess =>
  spawn(process.execPath, [LAUNCHER, 'github', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function start(
  folder: string,
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = github('--data', folder, '--port', '0');
  running.add(child);
  let printed = '';
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    if (printed.includes('Ctrl-C')) break;
  }
  return { url: `http://${/^GHE_HOST=(.+)$/m.exec(printed)?.[1]}`, child };
}

const add = (...words: string[]) => end('add', ...words);

async function end(...words: string[]) {
  const child = github(...words);
  running.add(child);
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  const code: unknown = child.exitCode ?? (await once(child, 'exit'))[0];
  running.delete(child);
  return { code, stdout, stderr };
}

describe('./issuewright github add', () => {
  it('adds to a running local GitHub, to one that was killed, and keeps both', async () => {
    const data = path.join(temporaryDirectory(), 'github');
    const source = path.join(temporaryDirectory(), 'words');
    mkdirSync(source);
    nativeGit(source, 'init', '-q', '-b', 'main');
    nativeGit(source, 'commit', '-q', '--allow-empty', '-m', 'Begin');
    const at = ['--data', data];
    const first = await start(data);
    const added = await add('repository', source, ...at);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toContain(`Added example/words with the branch main`);
    expect(added.stdout).toContain(`${first.url}/example/words\n`);
    const role = ['--repo', 'example/words', '--role', 'triage'];
    expect(await add('person', 'ada', ...role, ...at)).toMatchObject({
      code: 0,
      stdout: 'Added ada. Role in example/words: triage.\n',
    });
    await kill(first.child);
    const named = await add('repository', source, '--name', 'other/copy', ...at);
    expect(named).toMatchObject({ code: 0, stderr: '' });
    expect(named.stdout).toContain('It is there when `issuewright github` starts.');
    const { url } = await start(data);
    const headers = { authorization: 'Bearer user_ada' };
    for (const name of ['example/words', 'other/copy'])
      expect([name, (await fetch(`${url}/${name}`)).status]).toEqual([name, 200]);
    const answer = await fetch(`${url}/api/v3/repos/example/words`, { headers });
    expect(await answer.json()).toMatchObject({ permissions: { triage: true, push: false } });
  });

  it('is rejected while a local GitHub that it cannot ask has the folder', async () => {
    const data = path.join(temporaryDirectory(), 'github');
    const { child } = await start(data);
    rmSync(path.join(data, 'running.json'));
    const rejected = await add('person', 'ada', '--data', data);
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toContain(`A local GitHub (PID ${child.pid}) has the folder ${data} `);
  });

  it.each([
    [['repository'], 2, /issuewright github add repository FOLDER\|URL/],
    [['house', 'x'], 2, /issuewright github add person LOGIN/],
    [['person', 'not a login'], 1, /login is wrong: a login has letters/],
    [['person', 'ada', '--role', 'write'], 1, /--role needs --repo/],
    [['repository', '.', '--name', 'words'], 1, /words is not OWNER\/REPOSITORY/],
    [['person', 'ada', '--colour'], 2, /Unknown option '--colour'/],
  ])('says what is wrong with %j', async (words, code, said) => {
    const answer = await add(...words, '--data', temporaryDirectory());
    expect([answer.code, answer.stdout + answer.stderr]).toEqual([
      code,
      expect.stringMatching(said),
    ]);
  });
});

describe('./issuewright github', () => {
  it('has its folder for itself, and takes that of one that was killed', async () => {
    const data = path.join(temporaryDirectory(), 'github');
    const first = await start(data);
    const second = await end('--data', data, '--port', '0');
    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr: `github: A local GitHub at ${first.url} (PID ${first.child.pid}) has the folder ${data} already. Use that one, stop it first, or choose another folder with --data.\n`,
    });
    expect((await add('person', 'ada', '--data', data)).stdout).toBe('Added ada.\n');
    await kill(first.child);
    await start(data);
    expect((await add('person', 'bob', '--data', data)).stdout).toBe('Added bob.\n');
  });
});
