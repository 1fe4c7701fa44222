import { describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { UNCHANGED } from '../../src/workspace/command-changes.ts';
import { bench } from './support.ts';

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const PROGRAMS = 'export PATH="$PWD/node_modules/.bin:$PATH"';
const scripts = (test: string, more: object = {}): string =>
  JSON.stringify({ scripts: { test }, ...more });

/** The files of a repository, and how its tests are run, all and some. */
const KINDS: readonly [Record<string, string>, string, string, string][] = [
  [{ 'package.json': scripts('x') }, 'npm test', 'a.js', "npm test -- 'a.js'"],
  [{ 'package.json': scripts('x'), 'pnpm-lock.yaml': '' }, 'pnpm test', 'a', "pnpm test 'a'"],
  [{ 'package.json': scripts('x'), 'yarn.lock': '' }, 'yarn test', 'a', "yarn test 'a'"],
  [
    { 'package.json': scripts('x', { packageManager: 'pnpm@10.0.0' }), 'yarn.lock': '' },
    'pnpm test',
    "it's",
    String.raw`pnpm test 'it'\''s'`,
  ],
  [
    { 'package.json': scripts('node --test') },
    'npm test',
    "adds (1) and it's 3/4",
    String.raw`node --test --test-name-pattern='adds \(1\) and it'\''s 3/4'`,
  ],
  [
    { 'package.json': scripts('node --import tsx --test test/*.ts') },
    'npm test',
    'sums',
    "node --import tsx --test --test-name-pattern='sums' test/*.ts",
  ],
  [{ 'package.json': scripts('node --test') }, 'npm test', 'a.test.js', "npm test -- 'a.test.js'"],
  [
    { 'package.json': scripts('tsc && node --test') },
    'npm test',
    'a b',
    `${PROGRAMS} && tsc && node --test --test-name-pattern='a b'`,
  ],
  [{ 'package.json': scripts('jest') }, 'npm test', 'adds one', "npm test -- -t 'adds one'"],
  [{ 'package.json': scripts('jest') }, 'npm test', 'sums', "npm test -- 'sums'"],
  [
    { 'package.json': scripts('vitest run'), 'pnpm-lock.yaml': '' },
    'pnpm test',
    'adds one',
    "pnpm test -t 'adds one'",
  ],
  [{ 'package.json': scripts('mocha') }, 'npm test', 'sums', "npm test -- -f 'sums'"],
  [{ 'pytest.ini': '' }, 'python3 -m pytest', 'a or b', "python3 -m pytest -k 'a or b'"],
  [
    { 'pyproject.toml': '[tool.pytest.ini_options]' },
    'python3 -m pytest',
    'tests/a.py::b',
    "python3 -m pytest 'tests/a.py::b'",
  ],
  [{ 'setup.py': '', 'tests/a.py': '' }, 'python3 -m pytest', 'x', "python3 -m pytest -k 'x'"],
  [
    { 'test_a.py': 'import unittest\n' },
    'python3 -m unittest',
    'sum',
    "python3 -m unittest -k 'sum'",
  ],
  [
    { 'test_a.py': 'from unittest import TestCase\n' },
    'python3 -m unittest',
    'test_a.py',
    "python3 -m unittest 'test_a.py'",
  ],
  [
    { 'test_a.py': 'import pytest\nimport unittest' },
    'python3 -m pytest',
    'a',
    "python3 -m pytest -k 'a'",
  ],
  [{ 'test_a.py': 'def test_a(): pass' }, 'python3 -m pytest', 'a', "python3 -m pytest -k 'a'"],
  [
    { 'setup.py': '', 'tests/test_a.py': 'import unittest' },
    'python3 -m unittest discover -s tests',
    'tests/test_a.py',
    "python3 -m unittest 'tests/test_a.py'",
  ],
  [
    { 'package.json': '{"devDependencies": {"jest": "1"}}' },
    'npx --no-install jest',
    'a b',
    "npx --no-install jest -t 'a b'",
  ],
  [
    { 'package.json': '{"devDependencies": {"vitest": "1"}, "scripts": {"build": "x"}}' },
    'npx --no-install vitest run',
    'a.test.ts',
    "npx --no-install vitest run 'a.test.ts'",
  ],
  [
    { 'package.json': '{"devDependencies": {"mocha": "1"}}' },
    'npx --no-install mocha',
    'a',
    "npx --no-install mocha -f 'a'",
  ],
  [
    { 'package.json': '{"devDependencies": {"ava": "1"}}' },
    'npx --no-install ava',
    'a.js',
    "npx --no-install ava 'a.js'",
  ],
  [
    { 'package.json': '{}', 'test/a.test.js': '' },
    'node --test',
    'a b',
    "node --test --test-name-pattern='a b'",
  ],
  [{ 'go.mod': '' }, 'go test ./...', 'pkg/sum', "go test './pkg/sum'"],
  [{ 'go.mod': '' }, 'go test ./...', 'TestSum', "go test ./... -run 'TestSum'"],
  [{ 'Cargo.toml': '' }, 'cargo test', 'sum', "cargo test 'sum'"],
  [{ 'pom.xml': '' }, 'mvn -B test', 'SumTest', "mvn -B test -Dtest='SumTest'"],
  [{ 'pom.xml': '', mvnw: '' }, './mvnw -B test', 'A', "./mvnw -B test -Dtest='A'"],
  [{ 'build.gradle.kts': '' }, 'gradle test', 'A', "gradle test --tests 'A'"],
  [{ 'build.gradle': '', gradlew: '' }, './gradlew test', 'A', "./gradlew test --tests 'A'"],
];

describe('the tests that run_tests finds', () => {
  /** The command that is run for a call. */
  const commandIn = async (seed: Record<string, string>, args: object, test?: string) => {
    const { call, commands } = await bench(seed);
    commands.settings = { ...commands.settings, test };
    let asked = '';
    commands.run = async (request) => {
      asked = request.command;
      const output = { head: '', tail: '', left: 0 };
      const exited = { ended: 'exited', exitCode: 0, durationMs: 1, disallowedHosts: [] } as const;
      return {
        done: { ...exited, output },
        changes: UNCHANGED,
        setup: [],
      };
    };
    await call('run_tests', args);
    return asked;
  };

  it.each(KINDS)('finds out how tests are run: %j: %s, and %j', async (seed, all, filter, some) => {
    expect(await commandIn(seed, {})).toBe(all);
    expect(await commandIn(seed, { filter })).toBe(some);
  });

  it.each([
    [{ 'tox.ini': '[tox]\n' }, 'tox'],
    [{ 'pyproject.toml': '[tool.tox]\n' }, 'tox'],
    [{ Makefile: 'check: all\n' }, 'make check'],
    [{ Makefile: 'check: all\ntest:\n' }, 'make test'],
  ])('finds what can only run all tests: %j', async (seed, all) => {
    expect(await commandIn(seed, {})).toBe(all);
  });

  it.each([
    [
      { 'pytest.ini': '' },
      1,
      '/usr/bin/python3: No module named pytest',
      'pytest is not installed here. What would install it: "python3 -m pip install pytest".',
    ],
    [
      { 'package.json': '{"devDependencies": {"jest": "1"}}' },
      1,
      'npm error npx canceled due to missing packages and no YES option: ["jest@30.5.2"]',
      'jest is not installed here: there is no node_modules. What would install it: "npm install".',
    ],
    [
      { 'package.json': '{"devDependencies": {"ava": "1"}}' },
      1,
      'npm error code ECONNREFUSED\nnpm error syscall connect',
      'ava is not installed here: there is no node_modules. What would install it: "npm install".',
    ],
    [
      { 'package.json': scripts('mocha'), 'pnpm-lock.yaml': '' },
      127,
      'sh: 1: mocha: not found',
      'mocha is not installed here: there is no node_modules. What would install it: "pnpm install".',
    ],
    [
      { 'tox.ini': '' },
      127,
      '/bin/bash: line 1: tox: command not found',
      'tox is not installed here. What would install it: "python3 -m pip install tox".',
    ],
    [
      { 'go.mod': '' },
      127,
      'bash: line 1: go: command not found',
      'go is not installed here. It has to be on the machine that runs commands.',
    ],
  ])(
    'says what is not installed, and what installs it: %j',
    async (seed, exitCode, said, words) => {
      const [firstLine] = said.split('\n');
      const { call, commands } = await bench(seed);
      commands.run = (request) => {
        request.onOutput?.(`\n> npm test\n\n${said}\n`);
        const output = { head: said, tail: '', left: 0 };
        const done = {
          ended: 'exited',
          exitCode,
          durationMs: 1,
          disallowedHosts: [],
          output,
        } as const;
        return Promise.resolve({ done, changes: UNCHANGED, setup: [] });
      };
      const { output: told, effects } = await call('run_tests', {});
      expect(`${told}\n`).toContain(`\n${words}\n`);
      expect(effects).toMatchObject([{ type: 'command', failed: null, notRun: firstLine }]);
    },
  );

  /** Calls `run_tests` where only programs and modules of `installed` are there; with the commands that were run. */
  const callWith = async (
    seed: Record<string, string>,
    installed: readonly string[],
    { args = {}, hosts }: { args?: object; hosts?: readonly string[] } = {},
  ) => {
    const { call, commands } = await bench(seed);
    const asked: string[] = [];
    commands.hosts = hosts;
    commands.run = ({ command, onOutput }) => {
      asked.push(command);
      const [program = '', , module = ''] = command.split(' ');
      const isPython = program === 'python3';
      const isThere = installed.includes(isPython ? module : program);
      const missing = isPython
        ? `/usr/bin/python3: No module named ${module}`
        : `bash: line 1: ${program}: command not found`;
      const said = isThere ? 'Ran 2 tests in 0.001s\n\nOK' : missing;
      onOutput?.(`${said}\n`);
      const output = { head: said, tail: '', left: 0 };
      const exitCode = isThere ? 0 : isPython ? 1 : 127;
      const exited = { ended: 'exited', durationMs: 1, disallowedHosts: [] } as const;
      return Promise.resolve({
        done: { ...exited, exitCode, output },
        changes: UNCHANGED,
        setup: [],
      });
    };
    const result = await call('run_tests', args);
    return { asked, result };
  };

  const TOX = {
    'tox.ini':
      '[tox]\nenvlist = py\n[testenv]\ndeps = x\ncommands =\n    flake8 src\n    python -m unittest -v {posargs}\n[testenv:docs]\ncommands = sphinx\n',
  };

  it('passes over a runner that is not installed, for the next one that is', async () => {
    const { asked, result } = await callWith(TOX, ['unittest']);
    expect(asked).toEqual(['tox', 'python3 -m unittest -v']);
    expect(result.ok).toBe(true);
    expect(result.output).toMatch(/^"python3 -m unittest -v": Exit code 0.*2 passed/);
    expect(result.output).toContain('\nNot "tox": tox is not installed here.');
    expect(result.effects?.map(({ type }) => type)).toEqual(['command', 'tests']);
  });

  it('passes over a runner that is not installed for what the test files import', async () => {
    const seed = { 'requirements.txt': 'pytest\n', 'test_a.py': 'import unittest\n' };
    const { asked } = await callWith(seed, ['unittest']);
    expect(asked).toEqual(['python3 -m pytest', 'python3 -m unittest']);
  });

  it('runs a runner that is installed, and no other', async () => {
    expect((await callWith(TOX, ['tox', 'unittest'])).asked).toEqual(['tox']);
  });

  it('gives a filter to the next runner that takes one, and says why', async () => {
    const { asked, result } = await callWith(TOX, ['unittest'], { args: { filter: 'test_a' } });
    expect(asked).toEqual(["python3 -m unittest -v -k 'test_a'"]);
    expect(result.output).toContain('\nNot "tox": it can only run all tests.');
  });

  it('keeps the first runner if none is installed', async () => {
    const { asked, result } = await callWith(TOX, []);
    expect(asked).toEqual(['tox', 'python3 -m unittest -v']);
    expect(result.output).toMatch(/^"tox": Exit code 127.*\ntox is not installed here/);
    expect(result.output).not.toContain('unittest');
    expect(result.effects?.map(({ type }) => type)).toEqual(['command', 'command']);
  });

  it('names nothing that would install a runner where commands have no network', async () => {
    const { result } = await callWith({ 'tox.ini': '' }, [], { hosts: [] });
    expect(result.output).toContain(
      '\ntox is not installed here. Commands cannot install it: they have no network.',
    );
  });

  it.each([
    ['run_tests', {}],
    ['run_shell_command', { command: 'npm test' }],
  ])('says to %s that a script calls what is not installed', async (tool, args) => {
    const { call, commands } = await bench({
      'package.json': scripts('cross-env CI=1 mocha'),
      Makefile: 'test:\n',
    });
    commands.hosts = [];
    commands.run = ({ onOutput }) => {
      const said = 'sh: 1: cross-env: not found';
      onOutput?.(`${said}\n`);
      const output = { head: said, tail: '', left: 0 };
      const exited = { ended: 'exited', durationMs: 1, disallowedHosts: [] } as const;
      const done = { ...exited, exitCode: 127, output };
      return Promise.resolve({ done, changes: UNCHANGED, setup: [] });
    };
    expect((await call(tool, args)).output).toMatch(
      /\ncross-env is not installed here: there is no node_modules\. Commands cannot install it: they have no network\.\n/,
    );
  });

  it('takes the command of the repository before what it finds', async () => {
    const seed = { 'package.json': scripts('x') };
    expect(await commandIn(seed, {}, 'node --test test/')).toBe('node --test test/');
    expect(await commandIn(seed, { path: 'a.js' }, 'npx vitest run')).toBe("npx vitest run 'a.js'");
    expect(await commandIn(seed, { test_name: 'a b' }, 'node --test test/')).toBe(
      "node --test --test-name-pattern='a b' test/",
    );
  });

  it.each([
    [{ 'package.json': scripts('echo "Error: no test specified" && exit 1') }],
    [{ 'package.json': '{"scripts": {"constructor": "x"}}' }],
    [{ 'package.json': 'no json' }],
    [{ Makefile: 'build:\n\ttrue\n' }],
  ])('says that it found none: %j', async (seed) => {
    const { call } = await bench(seed);
    const failure = await failureOf(call('run_tests'));
    expect((failure as Error).message).toMatch(/No test command was found.*a command of your own/s);
  });

  it('runs some tests only if the runner can, and passes no options on', async () => {
    const { call } = await bench({ Makefile: 'test: all\n\ttrue\n' });
    const some = await failureOf(call('run_tests', { filter: 'a' }));
    expect((some as Error).message).toMatch(/"make test", which can only run all tests/);
    const npm = await bench({ 'package.json': scripts('x') });
    const option = await failureOf(npm.call('run_tests', { filter: '--globalSetup=evil.js' }));
    expect((option as Error).message).toMatch(/not an option/);
  });

  it('keeps what it finds to the commands that the repository allows, not its own command', async () => {
    const { call, commands } = await bench({ Makefile: 'test:\n\t@true\n' });
    commands.settings = { ...commands.settings, allow: ['npm *'] };
    expect(await failureOf(call('run_tests'))).toBeInstanceOf(TellModel);
    commands.settings = { ...commands.settings, test: 'sh -c "exit 4"' };
    expect((await call('run_tests')).output).toContain('Exit code 4');
  });
});
