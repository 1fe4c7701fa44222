// `issuewright run` as people start it: the shipped program, git, and a model that follows a script.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { nativeGit } from '../support/git-server.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ADDS, ask, call, finish, say, startProgram, write } from './by-hand-scene.ts';
import { model, newFolder, environmentFor, run, runInTerminal, BRANCH } from './folder-scene.ts';

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
});
