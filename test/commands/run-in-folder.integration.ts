// `issuewright run` as people start it: the shipped program, git, and a model that follows a script.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { nativeGit } from '../support/git-server.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { runProgram, type Ended } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { startModernServer } from '../mcp/modern-server.ts';
import {
  ADDS,
  IN_TERMINAL,
  ask,
  asking,
  call,
  finish,
  say,
  startProgram,
  write,
} from './by-hand-scene.ts';

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

async function runInTerminal(
  directory: string,
  turns: Script['turns'],
  answers: readonly (readonly [words: string, answer: string])[],
  more: Record<string, string> = {},
): Promise<{ readonly code: unknown; readonly shown: string }> {
  const program = path.resolve('bin/issuewright.js');
  const words = ['-c', IN_TERMINAL, JSON.stringify(answers), process.execPath, program];
  const env = await environmentFor(turns, more);
  const terminal = spawn('python3', words, { cwd: directory, env, stdio: 'pipe' });
  let shown = '';
  terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const code = await new Promise((resolve) => terminal.once('close', resolve));
  return { code, shown };
}

const BRANCH = 'issuewright/add-a-greeting';

describe('issuewright run in a folder', () => {
  it('commits to a branch, prints the diff, and leaves uncommitted changes as they are', async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, 'readme.md'), 'Hello, dirty\n');
    writeFileSync(path.join(folder, 'new.txt'), 'new\n');
    const before = nativeGit(folder, 'status', '--porcelain');
    const { code, stdout, stderr } = await run(folder, ADDS);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('the agent neither sees nor changes it'),
    ]);
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

  it('runs by the link of docs/run.md, without a Node on PATH', async () => {
    const written = /^ln -s "\$PWD\/(\w+)" ~\/\.local\/bin\/issuewright$/m;
    const [, launcher = ''] = written.exec(readFileSync('docs/run.md', 'utf8')) ?? [];
    const folder = newFolder();
    const programs = temporaryDirectory();
    symlinkSync(path.resolve(launcher), path.join(programs, 'issuewright'));
    for (const name of ['git', 'readlink']) {
      const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
      symlinkSync(found, path.join(programs, name));
    }
    const env = await environmentFor(ADDS, { PATH: programs });
    const typed = `cd "$1"\nissuewright run 'Add a greeting'`;
    const bash = promisify(execFile)('/bin/bash', ['-c', typed, 'bash', folder], { env });
    expect((await bash).stderr).toContain('1 commit on');
    expect(nativeGit(folder, 'show', `${BRANCH}:hi.txt`)).toBe('hi');
  });

  it('with --continuous begins again at the result, until a run commits nothing', async () => {
    const folder = newFolder();
    const turns = [say(call('list_directory', { path: '.' })), ...ADDS];
    const { code } = await run(folder, turns, ['--continuous', 'Add a greeting']);
    expect(code).toBe(0);
    const bodies = model?.requests.map(({ body }) => body) ?? [];
    expect(bodies).toHaveLength(4);
    expect([bodies[1], bodies[3]].map((body) => body?.includes('hi.txt'))).toEqual([false, true]);
    expect(nativeGit(folder, 'log', '--format=%s', `main..${BRANCH}`)).toBe('Add a greeting');
    expect(nativeGit(folder, 'show', `${BRANCH}:hi.txt`)).toBe('hi');
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

  it('prepares the workspace with --setup, and follows --settings', async () => {
    const folder = newFolder();
    const file = path.join(temporaryDirectory(), 'settings.yml');
    writeFileSync(file, 'tools: { git_log: true }\n');
    const turns = [say(call('run_shell_command', { command: 'ls made' })), ...ADDS];
    const words = ['--allow-dangerous-tools', '--setup', 'touch made', '--settings', file];
    const { code } = await run(folder, turns, [...words, 'Add a greeting'], { SANDBOX: 'unsafe' });
    expect(code).toBe(0);
    expect(model?.requests[0]?.body).toContain('git_log');
    expect(model?.requests[1]?.body).toMatch(/exit code 0[^]*made/i);
    expect(nativeGit(folder, 'ls-tree', '--name-only', BRANCH)).toBe('hi.txt\nreadme.md');
  });

  it.each([
    [['--setup', 'npm ci'], /--setup runs a command, so it needs --allow-dangerous-tools too/],
    [['--settings', 'none.yml'], /--settings none\.yml cannot be read \(ENOENT\)/],
    [['--settings', 'readme.md'], /--settings readme\.md is invalid: /],
  ])('says what is wrong with %j, and asks no model', async (words, said) => {
    const { code, stderr } = await run(newFolder(), ADDS, [...words, 'Add a greeting']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
    expect(model?.requests).toHaveLength(0);
  });

  it('takes proposed answers with --yes, and leaves what has none to the agent', async () => {
    const asks = call('ask_question', {
      questions: [{ question: 'Which one?', default: 'hi' }, { question: 'When?' }],
    });
    const { code, stderr } = await run(newFolder(), [say(asks), ...ADDS], ['--yes', 'Add it']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Proposed answer: hi')]);
    expect(stderr).toContain('Question: When?\nNo answer is proposed.');
    expect(model?.requests[1]?.body).toMatch(/# What the person says.*decide yourself and say so/);
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
    const turns = [say(ask), say(write('hi.txt', 'hi\u001b[31m\n'), finish)];
    const { code, shown } = await runInTerminal(newFolder(), turns, [
      ['proposed one', 'Another one.'],
    ]);
    expect(code).toBe(0);
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

  it('carries a plan out once the person at the terminal agrees to it', async () => {
    const folder = newFolder();
    mkdirSync(path.join(folder, '.github'));
    writeFileSync(path.join(folder, '.github/issuewright.yml'), 'plan: ask\n');
    nativeGit(folder, 'add', '.');
    nativeGit(folder, 'commit', '-q', '-m', 'Ask first');
    const plan = (title: string) => say(call('update_plan', { items: [{ id: '1', title }] }));
    const turns = [
      say(write('early.txt', 'early\n')),
      plan('Write wrong.txt'),
      { ...plan('Write hi.txt'), when: 'name it hi' },
      { ...ADDS[0], when: 'approved your plan' },
    ];
    const { code, shown } = await runInTerminal(folder, turns, [
      ['Carry out this plan?', 'No, name it hi.'],
      ['Carry out this plan?', ''],
    ]);
    expect([code, shown]).toEqual([
      0,
      expect.stringMatching(/\[ \] Write wrong[^]*\[ \] Write hi/),
    ]);
    expect(nativeGit(folder, 'show', `${BRANCH}:hi.txt`)).toBe('hi');
    expect(nativeGit(folder, 'ls-tree', '--name-only', BRANCH)).not.toContain('early.txt');
  });

  it('keeps its commits when it is killed, and begins anew on another branch', async () => {
    const folder = newFolder();
    const turns = [
      say(write('half.txt', 'half\n'), call('commit', { message: 'Begin it' })),
      { ...say(finish), delay_ms: 600_000 },
    ];
    const environment = await environmentFor(turns);
    const { program, untilSaid, ended } = startProgram(
      ['run', 'Add a greeting'],
      folder,
      environment,
    );
    await untilSaid(/commit [0-9a-f]{10}: Begin it/);
    program.kill('SIGKILL');
    await ended;
    expect(nativeGit(folder, 'show', `${BRANCH}:half.txt`)).toBe('half');
    await model?.close();
    expect((await run(folder, ADDS)).code).toBe(0);
    expect(nativeGit(folder, 'rev-list', '--count', `main..${BRANCH}-2`)).toBe('1');
    expect(nativeGit(folder, 'status', '--porcelain')).toBe('');
    expect(nativeGit(folder, 'fsck', '--strict')).toBe('');
  });

  it('works in a work tree beside the main one, from what is checked out there', async () => {
    const folder = newFolder();
    const beside = path.join(temporaryDirectory(), 'beside');
    nativeGit(folder, 'worktree', 'add', '-q', '-b', 'other', beside);
    writeFileSync(path.join(beside, 'other.txt'), 'other\n');
    nativeGit(beside, 'add', '.');
    nativeGit(beside, 'commit', '-q', '-m', 'Other');
    writeFileSync(path.join(beside, 'new.txt'), 'new\n');
    const { code, stdout, stderr } = await run(beside, ADDS);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/ of other\.\n.*nor changes it: new\.txt\./),
    ]);
    expect(stdout).toContain('+++ b/hi.txt');
    expect(stdout).not.toContain('other.txt');
    expect(nativeGit(folder, 'log', '--format=%s', BRANCH)).toBe('Add a greeting\nOther\nBegin');
    expect(nativeGit(beside, 'status', '--porcelain')).toBe('?? new.txt');
    expect(nativeGit(folder, 'status', '--porcelain')).toBe('');
  });

  it('works in a shallow clone, which stays one', async () => {
    const folder = newFolder();
    nativeGit(folder, 'commit', '-q', '--allow-empty', '-m', 'Second');
    const shallow = path.join(temporaryDirectory(), 'shallow');
    nativeGit(folder, 'clone', '-q', '--depth=1', `file://${folder}`, shallow);
    const { code, stdout } = await run(shallow, ADDS);
    expect([code, stdout]).toEqual([0, expect.stringContaining('+++ b/hi.txt')]);
    expect(nativeGit(shallow, 'log', '--format=%s', BRANCH)).toBe('Add a greeting\nSecond');
    expect(nativeGit(shallow, 'rev-parse', '--is-shallow-repository')).toBe('true');
    expect(nativeGit(shallow, 'fsck')).toBe('');
  });

  it('asks in the terminal what an MCP server asks, and tells it to decline where nobody answers', async () => {
    const server = await startModernServer();
    try {
      const more = {
        MCP_SERVERS: JSON.stringify({ new: { url: server.url } }),
        ALLOW_DANGEROUS_TOOLS: 'true',
      };
      const deploy = say(call('mcp__new__deploy', { to: 'production' }));
      const confirm = say(call('answer_mcp_question', { answers: { confirm: true } }));
      const decline = say(call('answer_mcp_question', { decline: true }));
      const folder = newFolder();
      const answers = [['Your answer', 'Yes, deploy it.']] as const;
      const asked = await runInTerminal(folder, [deploy, confirm, ...ADDS], answers, more);
      expect([asked.code, asked.shown]).toEqual([
        0,
        expect.stringContaining('Deploy to production?'),
      ]);
      expect(model?.requests.at(-1)?.body).toContain('deployed to production');
      await model?.close();
      const words = ['--yes', 'Add a greeting'];
      const { code } = await run(folder, [deploy, decline, ...ADDS], words, more);
      expect([code, model?.requests[1]?.body]).toEqual([0, expect.stringContaining('> Decline')]);
      expect(model?.requests.at(-1)?.body).toContain('not deployed');
    } finally {
      await server.close();
    }
  });
});
