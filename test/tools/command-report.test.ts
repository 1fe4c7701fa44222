import { describe, expect, it } from '@jest/globals';
import type { CommandDone } from '../../src/contracts/shell.ts';
import { bench } from './support.ts';
import { UNCHANGED } from '../../src/workspace/command-changes.ts';

const done = (more: Partial<CommandDone> = {}): CommandDone => ({
  ended: 'exited',
  exitCode: 0,
  output: { head: 'out\n', tail: '', left: 0 },
  durationMs: 1200,
  disallowedHosts: [],
  ...more,
});

describe('the report of a command', () => {
  it('says why an allowed host was not reached', async () => {
    const { call, commands } = await bench();
    const notPublicHosts = ['npm.example.com:443'];
    commands.run = () =>
      Promise.resolve({ done: done({ notPublicHosts }), changes: UNCHANGED, setup: [] });
    expect((await call('bash', { command: 'npm ci' })).output).toContain(
      'tried to reach npm.example.com:443, which the operator allows, but not at an address that is not public',
    );
  });

  it('names what the command made and did not name apart from what it changed', async () => {
    const { call, commands } = await bench();
    const changes = { ...UNCHANGED, changed: ['a.ts', 'deps/b.js'], made: ['deps/b.js'] };
    commands.run = () => Promise.resolve({ done: done(), changes, setup: [] });
    expect((await call('bash', { command: 'npm ci' })).output).toContain(
      'It changed the file "a.ts".\nIt made "deps/b.js". Commits leave it out, unless `files` of commit names it, or its directory.',
    );
  });

  it('has the setup that failed before it, once, with the hosts that are not allowed', async () => {
    const { call, commands } = await bench();
    const setup = [
      { command: 'first', done: done(), changes: UNCHANGED },
      {
        command: 'npm ci',
        done: done({ exitCode: 1, disallowedHosts: ['registry.npmjs.org:443'] }),
        changes: UNCHANGED,
      },
    ];
    const leftOut = {
      ...UNCHANGED.leftOut,
      protectedBySetup: ['.env'],
      submodules: ['vendor/x'],
      gitNames: ['.GIT', 'a/.Git'],
      uncovered: ['dist/a', 'dist/b'],
    };
    const uncommitted = 'No commit includes "b": .gitignore ignores it.';
    const changes = { ...UNCHANGED, changed: ['a'], leftOut, uncommitted };
    commands.run = async () => ({ done: done(), changes, setup });
    const { output, effects } = await call('bash', { command: 'make' });
    expect(output).toBe(
      [
        'Exit code 0, after 1.2 s.',
        'The repository\'s setup command "npm ci" ran first and failed (exit code 1). It is not retried until a lock file changes. The end of its output:',
        'out',
        'It changed the file "a".',
        'It changed the file ".env", which may not be written. No commit includes that.',
        'No commit includes the file "vendor/x": a submodule is another repository, and its files cannot be changed here.',
        'No commit includes 2 files: ".GIT", "a/.Git": the name is git\'s own.',
        'It uncovered 2 files: "dist/a", "dist/b", which commits could not include until now. They still do not: to commit it, write or rename it, or run the command that makes it again.',
        uncommitted,
        'The command tried to reach registry.npmjs.org:443, which the operator does not allow. Work without it, or say in your summary that you need it.',
        'out',
      ].join('\n'),
    );
    expect(effects?.map(({ type }) => type)).toEqual([
      'setup',
      'setup',
      'disallowed_hosts',
      'command',
    ]);
  });
});
