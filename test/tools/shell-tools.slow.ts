import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { holdTimeouts } from '../support/fake-timeouts.ts';
import { bench } from './support.ts';

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('run_shell_command', () => {
  it('answers the exit code, the time and the output', async () => {
    const { call } = await bench({ 'src/a.txt': 'a\n' });
    const { output, effects } = await call('run_shell_command', {
      command: 'cat a.txt; echo oops >&2; exit 3',
      directory: 'src',
    });
    expect(output).toMatch(/^Exit code 3, after \d[\d.]* s\.\na\noops$/);
    expect(effects).toEqual([
      {
        type: 'command',
        command: 'cat a.txt; echo oops >&2; exit 3',
        exitCode: 3,
        ended: 'exited',
        durationMs: expect.any(Number),
      },
    ]);
  });

  it.each(['run_command', 'bash', 'execute_command'])(
    'goes by the name of %s too',
    async (name) => {
      const { call } = await bench();
      expect((await call(name, { cmd: 'echo yes' })).output).toContain('yes');
    },
  );

  it('reads paths from where it starts, if a sandbox contains it', async () => {
    const { call, commands } = await bench({ 'src/a.txt': 'a\n' });
    const up = { command: 'ls ..', directory: 'src' };
    await expect(call('bash', up)).rejects.toThrow(/uses "\.\."/);
    commands.contained = {
      workspace: '/workspace',
      home: '/home/agent',
      readable: [],
      hasGit: true,
      keepsTemporary: false,
    };
    expect((await call('bash', up)).output).toContain('src');
    await expect(call('bash', { ...up, directory: '' })).rejects.toThrow(/outside/);
  });

  it('is described by the facts of the run', async () => {
    const { tools, commands } = await bench();
    const described = () => tools.named.get('run_shell_command')?.description;
    commands.contained = {
      workspace: '/workspace',
      home: '/home/agent',
      readable: [],
      hasGit: true,
      keepsTemporary: false,
    };
    commands.hosts = ['registry.example.com'];
    commands.programs = 'node 20.20.2, git 2.39.5';
    commands.hasRepository = true;
    expect(described()).toMatch(
      /new sh -c in \/workspace, for 60 s .* Only files in \/workspace last.* Network: registry\.example\.com\. Programs: node 20\.20\.2, git 2\.39\.5\. Git cannot commit/,
    );
    commands.hosts = [];
    expect(described()).toContain('Network: none.');
    commands.contained = { ...commands.contained, keepsTemporary: true };
    expect(described()).not.toContain('last');
  });

  it('says that there was no output', async () => {
    const { call } = await bench();
    expect((await call('bash', { command: 'true' })).output).toContain('\n(no output)');
  });

  it('keeps the beginning and more of the end of long output', async () => {
    const { call } = await bench();
    const { output } = await call('bash', { command: 'seq 1 20000' });
    expect(output.length).toBeLessThan(17_000);
    expect(output).toMatch(/\.\n1\n2\n/);
    expect(output).toMatch(/\n… \(\d+ bytes left out\) …\n\d+\n/);
    expect(output.endsWith('\n19999\n20000')).toBe(true);
  });

  it.each([20_000, 60_000, 400_000])(
    'says how much of its output is left out: %i',
    async (last) => {
      const { call } = await bench();
      const { output } = await call('bash', { command: `seq 1 ${last}` });
      const whole = Array.from({ length: last }, (_, index) => `${index + 1}\n`)
        .join('')
        .trimEnd();
      const [, head = '', left, tail = ''] =
        /^Exit.*\.\n([^]*\n)… \((\d+) bytes left out\) …(\n[^]*)$/.exec(output) ?? [];
      // The line ends around the remark are its own.
      expect(head.length - 1 + Number(left) + tail.length - 1).toBe(whole.length);
      expect(output.match(/left out/g)).toHaveLength(1);
    },
  );

  it('ends what takes too long, and says so', async () => {
    const { call, commands } = await bench();
    const run = commands.run.bind(commands);
    const timeouts = holdTimeouts();
    commands.run = (request) => run({ ...request, onOutput: timeouts.expire });
    const { output } = await call('bash', { command: 'echo begun; sleep 6000', timeout: '1' });
    expect(output).toMatch(
      /^Killed: time limit exceeded, after \d[.\d]* s\.\n.*up to 300\.\nbegun$/,
    );
  });

  it('takes the time that the call says, else that of the settings, else its own', async () => {
    const { call, commands } = await bench({ Makefile: 'test:\n\t@true\n' });
    const times: number[] = [];
    const run = commands.run.bind(commands);
    commands.run = (request) => {
      times.push(request.timeoutMs / 1000);
      return run(request);
    };
    const callBoth = async (more: object = {}) => {
      await call('run_shell_command', { command: 'true', ...more });
      await call('run_tests', more);
      return times.splice(0);
    };
    expect(await callBoth()).toEqual([60, 300]);
    commands.settings = { ...commands.settings, timeout: 90 };
    expect(await callBoth()).toEqual([90, 90]);
    expect(await callBoth({ timeout: 7 })).toEqual([7, 7]);
    expect(await callBoth({ timeout: 9999 })).toEqual([300, 300]);
  });

  it('clamps a timeout that is too long, and rejects one that is not a time', async () => {
    const { call } = await bench();
    expect((await call('bash', { command: 'true', timeout: 9999 })).output).toContain('code 0');
    const failure = await failureOf(call('bash', { command: 'true', timeout: 0 }));
    expect(failure).toBeInstanceOf(TellModel);
  });

  it.each([
    ['true', true],
    ['false', false],
    ['exit 3', false],
    ['echo here; no-such-program', false],
    ['grep -r nothing-like-it src', true],
    ['cat src/a.txt | grep nothing-like-it', true],
    ['diff src/a.txt src/b.txt', true],
    ['[ -e nowhere ]', true],
    ['grep x no-such-file', false],
    ['grep nothing-like-it src/a.txt && false', false],
    ['false; grep a src/a.txt', true],
  ])('says whether it failed, and takes "no" for an answer: %s', async (command, ok) => {
    const { call } = await bench({ 'src/a.txt': 'a\n', 'src/b.txt': 'b\n' });
    expect((await call('bash', { command })).ok).toBe(ok);
  });

  it('reports the hosts that are not allowed, and journals them', async () => {
    const { call, commands } = await bench();
    commands.disallowedHosts = ['registry.example.com:443'];
    const { output, effects } = await call('bash', { command: 'true' });
    expect(output).toContain('The command tried to reach registry.example.com:443');
    expect(effects?.at(-1)).toEqual({
      type: 'disallowed_hosts',
      hosts: ['registry.example.com:443'],
    });
  });

  it.each(['..', '/etc', 'nowhere', 'file.txt', 'link'])(
    'starts in no directory but one of the repository: %s',
    async (directory) => {
      const { call, root } = await bench({ 'file.txt': '' });
      symlinkSync('/etc', join(root, 'link'));
      const failure = await failureOf(call('bash', { command: 'true', directory }));
      expect(failure).toBeInstanceOf(TellModel);
    },
  );

  it('runs nothing that the repository does not allow', async () => {
    const { call, commands, text } = await bench({ 'a.txt': '1' });
    commands.settings = { ...commands.settings, allow: ['cat *'] };
    expect((await call('bash', { command: 'cat a.txt' })).output).toMatch(/\n1$/);
    const failure = await failureOf(call('bash', { command: 'cat a.txt > a.txt' }));
    expect((failure as Error).message).toMatch(/Not run: .* allow only `cat \*`/);
    expect(await text('a.txt')).toBe('1');
  });
});

describe('run_tests', () => {
  it('shows what failed once, and observes the facts', async () => {
    const { call, commands } = await bench({
      'out.txt': 'TAP version 13\nok 1 - fine\nnot ok 2 - broken\n  boom\n1..2\n',
    });
    commands.settings = { ...commands.settings, test: 'cat out.txt; exit 1' };
    const { output, effects } = await call('run_tests');
    expect(output).toMatch(
      /^"cat out\.txt; exit 1": Exit code 1, after [\d.]+ s\. 1 failed, 1 passed\.\n\nFailures:\n\nnot ok 2 - broken\n {2}boom$/,
    );
    expect(effects).toEqual([
      expect.objectContaining({
        type: 'tests',
        exitCode: 1,
        failed: 1,
        passed: 1,
        isPartial: false,
        onChanges: false,
      }),
    ]);
  });

  it('says that a name is that of no test, although node reports the files as passed', async () => {
    const { call, commands } = await bench({
      'package.json': '{"type": "module"}',
      'a.test.js': "import test from 'node:test'; test('adds (1)', () => {});\n",
    });
    commands.settings = { ...commands.settings, test: 'node --test --test-reporter=spec' };
    const found = await call('run_tests', { filter: 'adds (1)' });
    expect(found.output).toContain(' 0 failed, 1 passed.');
    const none = await call('run_tests', { filter: 'adds (2)' });
    expect(none.output).toContain(' 0 failed, 0 passed. No test ran: none has this name');
    expect(none.ok).toBe(false);
  });

  it('says in one line that all tests passed', async () => {
    const log = `TAP version 13\n${'# a warning\n'.repeat(200)}ok 1 - fine\nok 2 - fine\n1..2\n`;
    const { call, commands } = await bench({ 'out.txt': log });
    commands.settings = { ...commands.settings, test: 'cat out.txt' };
    const { output } = await call('run_tests');
    expect(output).toMatch(/^"cat out\.txt": Exit code 0, after [\d.]+ s\. 0 failed, 2 passed\.$/);
  });

  it.each([
    ['not all failures are known', 'ok 1 - fine\nnot ok 2 - broken\n# fail 2\nlast\n', 1],
    ['the command failed although no test did', 'ok 1 - fine\nlast\n', 3],
    ['the command succeeded although a test failed', 'not ok 1 - b\n# fail 2\nlast\n', 0],
  ])('shows the end of the output if %s', async (_, log, exitCode) => {
    const { call, commands } = await bench({ 'out.txt': `1..2\n${log}` });
    commands.settings = { ...commands.settings, test: `cat out.txt; exit ${exitCode}` };
    expect((await call('run_tests')).output).toMatch(/\nlast$/);
  });

  it('shows the last lines if it does not know the runner', async () => {
    const { call, commands } = await bench();
    commands.settings = { ...commands.settings, test: 'seq 1 3000; exit 2' };
    const { output, effects } = await call('run_tests');
    expect(output.length).toBeLessThan(5_000);
    expect(output).toMatch(/\n3000$/);
    expect(effects?.[0]).toMatchObject({ failed: null, passed: null, exitCode: 2 });
  });

  it('is bounded, however much fails', async () => {
    const block = (number: number): string =>
      `not ok ${number} - n${number}\n${'  x\n'.repeat(500)}`;
    const all = Array.from({ length: 100 }, (_, at) => block(at + 1)).join('');
    const { call, commands } = await bench({ 'out.txt': `TAP version 13\n${all}1..100\n` });
    commands.settings = { ...commands.settings, test: 'cat out.txt; exit 1' };
    const { output } = await call('run_tests');
    expect(output.length).toBeLessThan(16_000);
    expect(output).toMatch(/… and \d+ more/);
  });

  it('finds what failed in the middle of much output', async () => {
    const { call, commands } = await bench();
    const test = `echo 'TAP version 13'; seq 1 60000; echo 'not ok 1 - lost'; echo '  boom'; echo '# next'; seq 1 60000; echo '1..1'; exit 1`;
    commands.settings = { ...commands.settings, test };
    const { output } = await call('run_tests');
    expect(output).toContain('Failures:\n\nnot ok 1 - lost\n  boom');
  });

  it('finds what failed at the beginning and at the end of more output than it reads', async () => {
    const { call, commands } = await bench();
    const much = 'seq 1000000 1350000';
    const test = `echo 'TAP version 13'; echo 'not ok 1 - first'; echo '# next'; ${much}; echo 'not ok 2 - last'; echo '1..2'; exit 1`;
    commands.settings = { ...commands.settings, test };
    const { output } = await call('run_tests');
    expect(output).toMatch(/Failures:\n\nnot ok 1 - first\n[^]*not ok 2 - last$/);
    expect(output.length).toBeLessThan(16_000);
  });

  it('observes whether the workspace held changes when they ran', async () => {
    const { call, commands } = await bench({ 'a.txt': 'a' });
    commands.settings = { ...commands.settings, test: 'true' };
    const seen = async () => (await call('run_tests')).effects?.[0];
    expect(await seen()).toMatchObject({ onChanges: false });
    await call('write_file', { path: 'a.txt', content: 'b' });
    expect(await seen()).toMatchObject({ onChanges: true });
    await call('commit', { message: 'Change a' });
    expect(await seen()).toMatchObject({ onChanges: true });
  });
});
