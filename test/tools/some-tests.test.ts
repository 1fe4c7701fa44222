import { expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { findTests, runnerWithScript } from '../../src/tools/shell/find-tests.ts';
import { commandFor } from '../../src/tools/shell/test-runners.ts';
import { bench } from './support.ts';

const PROGRAMS = 'export PATH="$PWD/node_modules/.bin:$PATH"';
const packageOf = (scripts: object, more: object = {}): Record<string, string> => ({
  'package.json': JSON.stringify({ scripts, ...more }),
});

const some = async (
  seed: Record<string, string>,
  filter: string,
  { test, tools = [] }: { test?: string; tools?: string[] } = {},
) => {
  const { files } = await bench(seed);
  const [found] = test === undefined ? await findTests(files) : [];
  return commandFor(found ?? (await runnerWithScript(files, test ?? '')), filter, new Set(tools));
};

it.each<[string, Record<string, string>, string, string]>([
  [
    'a chain, whose runner is run itself',
    packageOf({ test: 'jest && npm run types', types: 'tsc' }),
    'tests/a.test.js',
    `${PROGRAMS} && jest 'tests/a.test.js'`,
  ],
  [
    'a chain, with what comes before the runner',
    packageOf({ test: 'npm run build && npm run unit', build: 'tsc -p .', unit: 'mocha dist' }),
    'dist/a.js',
    `${PROGRAMS} && tsc -p . && mocha 'dist/a.js'`,
  ],
  [
    'a name for mocha in a chain',
    packageOf({ test: 'mocha test/*.js && eslint .' }),
    'adds one',
    `${PROGRAMS} && mocha test/*.js -f 'adds one'`,
  ],
  [
    'a script that calls another one, with its pre script',
    packageOf({ test: 'npm run unit', unit: 'ava', preunit: 'tsc' }),
    'test/a.js',
    `${PROGRAMS} && tsc && ava 'test/a.js'`,
  ],
  [
    'globs of its own',
    packageOf({ test: "mocha --exit -r esm 'test/**/*.js' --timeout 5000" }),
    'test/a.js',
    `${PROGRAMS} && mocha --exit -r esm --timeout 5000 'test/a.js'`,
  ],
  [
    'globs of its own, by a name',
    packageOf({ test: 'mocha test/*.js' }),
    'adds one',
    "npm test -- -f 'adds one'",
  ],
  [
    'files of its own behind a wrapper',
    packageOf({ test: 'cross-env CI=1 nyc mocha test' }),
    'test/a.js',
    `${PROGRAMS} && cross-env CI=1 nyc mocha 'test/a.js'`,
  ],
  [
    'no files of its own behind a wrapper',
    packageOf({ test: 'NODE_ENV=test c8 ava --verbose' }),
    'test/a.js',
    "npm test -- 'test/a.js'",
  ],
  ['a name for ava', packageOf({ test: 'ava' }), 'adds one', "npm test -- --match '*adds one*'"],
  [
    'the files of node --test',
    packageOf({ test: 'node --import tsx --test test/*.ts' }),
    'test/a.ts',
    "node --import tsx --test 'test/a.ts'",
  ],
  [
    'jest by its path',
    packageOf({ test: 'node --experimental-vm-modules node_modules/jest/bin/jest.js' }),
    'test/a.js',
    "npm test -- 'test/a.js'",
  ],
])('some tests are run by %s', async (_what, seed, filter, command) => {
  expect(await some(seed, filter)).toBe(command);
});

it.each([
  ['pytest tests -q', 'tests/test_a.py', "pytest -q 'tests/test_a.py'"],
  ['python3 -m pytest -n 4 tests', 'tests/test_a.py', "python3 -m pytest -n 4 'tests/test_a.py'"],
  ['pytest tests', 'adds', "pytest tests -k 'adds'"],
  ['python3 -m unittest -v tests', 'tests/test_a.py', "python3 -m unittest -v 'tests/test_a.py'"],
  ['mocha --reporter dot test', 'test/a.js', "mocha --reporter dot 'test/a.js'"],
])('some tests are run by the command %s of the settings', async (test, filter, command) => {
  expect(await some({}, filter, { test })).toBe(command);
});

it.each<[string, Record<string, string>, string]>([
  ['two runners', packageOf({ test: 'vitest run && vitest run -c e2e.ts' }), 'a.test.ts'],
  ['a runner that nobody knows', packageOf({ test: 'node test/a.js && node test/b.js' }), 'a b'],
  ['a runner that nobody knows, and its files', packageOf({ test: 'bin/bats test' }), 'a.bats'],
  ['more than a chain', packageOf({ test: 'mocha; true' }), 'test/a.js'],
  ['a script that calls itself', packageOf({ test: 'npm test && mocha' }), 'test/a.js'],
  ['an option that nobody knows', packageOf({ test: 'mocha --odd test' }), 'test/a.js'],
  ['files in package.json', packageOf({ test: 'mocha' }, { mocha: { spec: 'test' } }), 'test/a.js'],
  ['files in .mocharc', { ...packageOf({ test: 'mocha' }), '.mocharc.yml': 'spec: test' }, 'a.js'],
  ['no node_modules', { ...packageOf({ test: 'mocha test' }), '.pnp.cjs': '' }, 'test/a.js'],
])(
  'a test script with %s can only run all tests, and says what it runs',
  async (_what, seed, filter) => {
    const { scripts } = JSON.parse(seed['package.json'] ?? '') as { scripts: { test: string } };
    const failure = await some(seed, filter).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TellModel);
    expect((failure as Error).message).toBe(
      `The test command is "npm test" (${JSON.stringify(scripts.test)}), which can only run all tests: omit the filter.`,
    );
  },
);

it.each<[string, Record<string, string>, string, string]>([
  [
    'the first runner of a script with two',
    packageOf({ test: 'vitest run && vitest run -c e2e.ts' }),
    'a.test.ts',
    `, for example "npx --no-install vitest run 'a.test.ts'"`,
  ],
  [
    'mocha with an option that nobody knows',
    packageOf({ test: 'mocha --odd test' }),
    'test/a.js',
    `, for example "npx --no-install mocha 'test/a.js'"`,
  ],
  ['no example of a rule of make', { Makefile: 'test:\n' }, 'a.js', ''],
])('a refused filter names the tool that can run it, with %s', async (_what, seed, filter, way) => {
  await expect(some(seed, filter, { tools: ['run_shell_command'] })).rejects.toThrow(
    `which can only run all tests: omit the filter, or run some with run_shell_command${way}.`,
  );
});
