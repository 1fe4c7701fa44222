// Tests of Python packages that are not installed: with Python itself, and with pytest where it is.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { bench } from './support.ts';

const has = (module: string): boolean =>
  spawnSync('python3', ['-c', `import ${module}`]).status === 0;
const withPytest = has('pytest') ? it : it.skip;
const withPython = has('unittest') ? it : it.skip;

const PROJECT = '[project]\nname = "pocket-words"\nversion = "1.0"\n';
const PACKAGE = { 'src/pocket/__init__.py': 'def one():\n    return 1\n' };
const OF_PYTEST = { 'pyproject.toml': `${PROJECT}\n[tool.pytest.ini_options]\n` };
const PYTEST = 'python3 -m pytest';
const WITH_SOURCE = 'PYTHONPATH="$PWD/src" ';

const testing = (expected: number): string =>
  `from pocket import one\n\n\ndef test_one():\n    assert one() == ${expected}\n`;

describe('the tests of a package in src/ that is not installed', () => {
  withPytest('run with src/ in sight, and pass', async () => {
    const { call } = await bench({ ...PACKAGE, ...OF_PYTEST, 'tests/test_one.py': testing(1) });
    const { output, ok, effects } = await call('run_tests', {});
    expect(output).toContain('0 failed, 1 passed');
    expect(output).toContain(`Not "${PYTEST}": pocket is in src/, where Python finds it only if`);
    expect(ok).toBe(true);
    expect(effects).toMatchObject([
      { type: 'command', command: PYTEST },
      { type: 'tests', command: WITH_SOURCE + PYTEST, failed: 0, passed: 1 },
    ]);
    // The reviewer of the change hears of what ran, and not of what was passed over.
    expect(effects?.[0]).not.toHaveProperty('failed');
  });

  withPytest('fail where they fail, by name', async () => {
    const { call } = await bench({ ...PACKAGE, ...OF_PYTEST, 'tests/test_one.py': testing(2) });
    const { output, ok } = await call('run_tests', { filter: 'tests/test_one.py' });
    expect(output).toMatch(/1 failed, 0 passed[^]*assert 1 == 2/);
    expect(ok).toBe(false);
  });

  withPytest('run if what they share imports it', async () => {
    const seed = { ...PACKAGE, ...OF_PYTEST, 'tests/conftest.py': 'import pocket\n' };
    const { call } = await bench({ ...seed, 'tests/test_one.py': testing(1) });
    expect((await call('run_tests', {})).output).toContain('0 failed, 1 passed');
  });

  withPytest('run by the command of the settings', async () => {
    const { call, commands } = await bench({ ...PACKAGE, 'tests/test_one.py': testing(1) });
    commands.settings = { ...commands.settings, test: `${PYTEST} -q`, allow: [] };
    expect((await call('run_tests', {})).output).toContain('0 failed, 1 passed');
  });

  withPython('run with unittest', async () => {
    const test =
      'import unittest\nfrom pocket import one\n\n\nclass One(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(one(), 1)\n';
    const { call } = await bench({
      ...PACKAGE,
      'pyproject.toml': PROJECT,
      'tests/test_one.py': test,
    });
    const { output } = await call('run_tests', {});
    expect(output).toContain('0 failed, 1 passed');
    expect(output).toContain('Not "python3 -m unittest discover -s tests": pocket is in src/');
  });

  withPytest('are not tried once more if they are found', async () => {
    const { call } = await bench({
      'pocket.py': 'def one():\n    return 1\n',
      ...OF_PYTEST,
      'test_one.py': testing(2),
    });
    const { effects } = await call('run_tests', {});
    expect(effects).toMatchObject([{ type: 'tests', command: PYTEST, failed: 1 }]);
  });
});

describe('tests that need a package which is not installed', () => {
  const NEEDS = 'import no_such_package_here\n';

  withPytest.each([
    ['a test', { 'tests/test_one.py': NEEDS + testing(1) }],
    ['what tests share', { 'tests/conftest.py': NEEDS, 'tests/test_one.py': testing(1) }],
    ['the package itself', { 'src/pocket/__init__.py': NEEDS, 'tests/test_one.py': testing(1) }],
  ])('did not run, and did not fail: %s', async (_what, files) => {
    const { call } = await bench({ ...PACKAGE, ...OF_PYTEST, ...files });
    const { output, ok, effects } = await call('run_tests', {});
    expect(output).toContain('No tests ran: no_such_package_here is not installed here.');
    expect(ok).toBe(false);
    expect(effects?.at(-1)).toMatchObject({
      type: 'command',
      failed: null,
      notRun: 'No module named no_such_package_here',
    });
  });

  withPytest('failed if only some of them need it', async () => {
    const { call } = await bench({
      ...OF_PYTEST,
      'test_one.py': `def test_one():\n    import no_such_package_here\n\n\ndef test_two():\n    pass\n`,
    });
    const { effects } = await call('run_tests', {});
    expect(effects).toMatchObject([{ type: 'tests', failed: 1, passed: 1 }]);
  });

  withPytest('failed if it is what the repository is to have', async () => {
    const { call } = await bench({
      ...PACKAGE,
      ...OF_PYTEST,
      'tests/test_one.py': 'import pocket.more\n',
    });
    const { effects } = await call('run_tests', {});
    expect(effects?.at(-1)).toMatchObject({ type: 'tests', failed: 1, passed: 0 });
  });
});
