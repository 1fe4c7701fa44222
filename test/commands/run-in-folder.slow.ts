// `issuewright run` as people start it: the shipped program, git, and a model that follows a script.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../playground/model/script.ts';
import { startModelServer, type ModelServer } from '../../playground/model/server.ts';
import { nativeGit } from '../support/git-server.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { runProgram, type Ended } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ADDS, ask, asking, finish, say, startProgram, write } from './by-hand-scene.ts';

/** Starts it in a terminal, answers its question once it asks, and passes on what the terminal shows. */
const IN_TERMINAL = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], [*sys.argv[1:], 'run', 'Add a greeting'])
shown = b''
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    before = b'as proposed' in shown
    shown += part
    if b'as proposed' in shown and not before:
        os.write(fd, b'Another one.\\r')
sys.stdout.buffer.write(shown)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

let model: ModelServer | undefined;
afterEach(() => model?.close());

/** A folder in a path with blanks, with one commit. */
function newFolder({ commits = true } = {}): string {
  const folder = path.join(temporaryDirectory(), 'my folder');
  mkdirSync(folder);
  nativeGit(folder, 'init', '-q', '-b', 'main');
  if (!commits) return folder;
  writeFileSync(path.join(folder, 'readme.md'), 'Hello\n');
  nativeGit(folder, 'add', '.');
  nativeGit(folder, 'commit', '-q', '-m', 'Begin');
  return folder;
}

async function environmentFor(turns: Script['turns'], more: Record<string, string> = {}) {
  model = await startModelServer({ scripts: [{ turns }] });
  return { ...asking(model), ...more };
}

async function run(
  directory: string,
  turns: Script['turns'],
  words: readonly string[] = ['Add a greeting'],
  more: Record<string, string> = {},
): Promise<Ended> {
  const environment = await environmentFor(turns, more);
  return runProgram(['run', ...words], { directory, environment });
}

const BRANCH = 'issuewright/add-a-greeting';

describe('issuewright run in a folder', () => {
  it('commits to a branch, prints the diff, and leaves uncommitted changes as they are', async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, 'readme.md'), 'Hello, dirty\n');
    writeFileSync(path.join(folder, 'new.txt'), 'new\n');
    const before = nativeGit(folder, 'status', '--porcelain');
    const { code, stdout, stderr } = await run(folder, ADDS);
    expect([code, stderr]).toEqual([0, expect.stringContaining('the agent does not see it')]);
    expect(stderr).toContain('new.txt, readme.md');
    expect(stdout).toContain('+++ b/hi.txt\n@@ -0,0 +1 @@\n+hi');
    expect(nativeGit(folder, 'show', `${BRANCH}:hi.txt`)).toBe('hi');
    expect(nativeGit(folder, 'show', `${BRANCH}:readme.md`)).toBe('Hello');
    expect(nativeGit(folder, 'log', '--format=%an %s', `main..${BRANCH}`)).toBe(
      'Issuewright Add a greeting',
    );
    expect(nativeGit(folder, 'status', '--porcelain')).toBe(before);
    expect(nativeGit(folder, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    const prompt = model?.requests[0]?.body ?? '';
    expect(prompt).toContain('# The task');
    expect(prompt).not.toContain('create_pull_request');
  });

  it('prints one JSON object for scripts, and takes another name for a second branch', async () => {
    const folder = newFolder();
    nativeGit(folder, 'branch', BRANCH);
    const { code, stdout } = await run(folder, ADDS, ['--json', 'Add a greeting']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'done',
      branch: `${BRANCH}-2`,
      base: 'main',
      commits: [{ message: expect.stringContaining('Add a greeting') }],
      diff: expect.stringContaining('hi.txt'),
    });
  });

  it('works where no branch is checked out, and in a bare repository', async () => {
    const folder = newFolder();
    nativeGit(folder, 'checkout', '-q', '--detach');
    expect((await run(folder, ADDS)).code).toBe(0);
    await model?.close();
    const bare = path.join(temporaryDirectory(), 'bare.git');
    nativeGit(folder, 'clone', '-q', '--bare', folder, bare);
    nativeGit(bare, 'branch', '-D', BRANCH);
    expect((await run(bare, ADDS)).code).toBe(0);
    expect(nativeGit(bare, 'show', `${BRANCH}:hi.txt`)).toBe('hi');
  });

  it.each([
    ['no repository', () => temporaryDirectory(), /is not in a git repository/],
    ['no commits', () => newFolder({ commits: false }), /has no commits yet/],
  ])('says what to do if there are %s', async (_, make, words) => {
    const { code, stderr } = await run(make(), ADDS);
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(model?.requests).toHaveLength(0);
  });

  it('names the settings that are missing, and never reads .env', async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, '.env'), 'MODEL=openai:x\nOPENAI_API_KEY=k\n');
    const environment = { PATH: process.env['PATH'] ?? '' };
    const ended = await runProgram(['run', 'x'], { directory: folder, environment });
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/ {2}MODEL {2}/)]);
  });

  it('takes the proposed answers with --yes', async () => {
    const folder = newFolder();
    const turns = [say(ask), ...ADDS];
    const { code, stderr } = await run(folder, turns, ['--yes', 'Add a greeting']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Proposed answer: hi')]);
    expect(model?.requests[1]?.body).toContain('# What the person says');
  });

  it('ends with the question if nobody can answer, and keeps the work', async () => {
    const folder = newFolder();
    const { code, stderr } = await run(folder, [say(write('half.txt', 'half\n'), ask)]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('Which one?')]);
    expect(nativeGit(folder, 'show', `${BRANCH}:half.txt`)).toBe('half');
  });

  it('ends at a limit, and keeps the work', async () => {
    const folder = newFolder();
    const turns = [say(write('half.txt', 'half\n')), ...ADDS];
    const limit = { AGENT_MAX_ITERATIONS: '1' };
    const { code, stderr } = await run(folder, turns, ['Add a greeting'], limit);
    expect([code, stderr]).toEqual([4, expect.stringContaining('limit of 1 model repl')]);
    expect(nativeGit(folder, 'show', `${BRANCH}:half.txt`)).toBe('half');
  });

  it('runs no program that the repository names', async () => {
    const folder = newFolder();
    const trap = path.join(temporaryDirectory(), 'trapped');
    const program = `touch '${trap}'; cat`;
    for (const name of ['core.fsmonitor', 'filter.x.clean', 'filter.x.smudge', 'diff.external'])
      nativeGit(folder, 'config', name, program);
    for (const name of [
      'core.alternateRefsCommand',
      'diff.x.textconv',
      'uploadpack.packObjectsHook',
    ])
      nativeGit(folder, 'config', name, program);
    for (const hook of ['pre-receive', 'update', 'post-receive', 'reference-transaction'])
      writeFileSync(path.join(folder, '.git/hooks', hook), `#!/bin/sh\n${program}\n`, {
        mode: 0o755,
      });
    writeFileSync(path.join(folder, '.gitattributes'), '* filter=x diff=x\n');
    writeFileSync(path.join(folder, 'readme.md'), 'Hello\u001b[31m\n');
    expect((await run(folder, ADDS)).code).toBe(0);
    expect(existsSync(trap)).toBe(false);
  });

  it('asks in the terminal, and shows there what would act on it', async () => {
    const folder = newFolder();
    const turns = [say(ask), say(write('hi.txt', 'hi\u001b[31m\n'), finish)];
    const environment = await environmentFor(turns);
    const program = path.resolve('bin/issuewright.js');
    const terminal = spawn('python3', ['-c', IN_TERMINAL, process.execPath, program], {
      cwd: folder,
      env: environment,
      stdio: 'pipe',
    });
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    expect(await new Promise((resolve) => terminal.once('close', resolve))).toBe(0);
    expect(shown).toContain('Proposed answer: hi');
    expect(shown).toContain(String.raw`+hi\u001b[31m`);
    expect(model?.requests[1]?.body).toContain('> Another one.');
  });

  it('sends its trace to a collector, if one is named', async () => {
    const receiver = await startOtlpReceiver();
    try {
      const to = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
      const turns = [say(write('hello.txt', 'Hello\n'), finish)];
      const { code } = await run(newFolder(), turns, undefined, to);
      expect(code).toBe(0);
      const names = receiver.spans.map(({ name }) => name);
      expect(names.at(-1)).toBe('invoke_agent issuewright');
      expect(names).toEqual(expect.arrayContaining(['chat scripted', 'execute_tool write_file']));
      expect(receiver.metrics.has('issuewright.sessions')).toBe(false);
      expect(receiver.metrics.has('issuewright.runs')).toBe(true);
    } finally {
      await receiver.close();
    }
  });

  it('commits what was changed when it is interrupted, even twice', async () => {
    const folder = newFolder();
    const environment = await environmentFor([
      say(write('half.txt', 'half\n')),
      { ...say(finish), delay_ms: 600_000 },
    ]);
    const { program, untilSaid, ended } = startProgram(
      ['run', 'Add a greeting'],
      folder,
      environment,
    );
    await untilSaid(/✓ Write half\.txt/);
    program.kill('SIGINT');
    await untilSaid(/Stopping/);
    program.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(nativeGit(folder, 'show', `${BRANCH}:half.txt`)).toBe('half');
    expect(readFileSync(path.join(folder, 'readme.md'), 'utf8')).toBe('Hello\n');
  });
});
