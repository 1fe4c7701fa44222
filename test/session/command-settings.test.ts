import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/session/settings/read.ts';

const read = (text: string) => readSettings(text) as { settings?: object; fault?: string };

describe('what a repository settles about commands', () => {
  it('is nothing if it is not set', () => {
    expect(read('').settings).toMatchObject({ setup: [], env: {} });
    expect(read('').settings).not.toHaveProperty('timeout');
  });

  it('is how to prepare a clone, how to test, and what may be run', () => {
    const text = 'setup: npm ci\ntest: npm test\ncommands: {allow: ["npm *"]}\n';
    expect(read(text).settings).toMatchObject({
      setup: ['npm ci'],
      test: 'npm test',
      commands: { allow: ['npm *'] },
    });
    expect(read('setup: [npm ci, npm run build]\ntest: make test\n').settings).toMatchObject({
      setup: ['npm ci', 'npm run build'],
      test: 'make test',
    });
  });

  it('is which variables they get, and how long they may take', () => {
    const text =
      'timeout: 90\nenv: { NODE_ENV: test, DB_PORT: 5432, APP_DEBUG: true, DB_URL: "pg://db" }\n';
    expect(read(text).settings).toMatchObject({
      timeout: 90,
      env: { NODE_ENV: 'test', DB_PORT: '5432', APP_DEBUG: 'true', DB_URL: 'pg://db' },
    });
  });

  it.each([
    ['3.10', '3.10'],
    ['007', '007'],
    ['0x10', '0x10'],
    ['1e3', '1e3'],
    ['True', 'True'],
    ['"3.10"', '3.10'],
    ['2026-01-02', '2026-01-02'],
  ])('gives them the value %s as it is written', (written, value) => {
    const text = `env:\n  APP_VERSION: ${written}\n`;
    expect(read(text).settings).toMatchObject({ env: { APP_VERSION: value } });
  });

  it.each([
    ['env: [A_ENV]', /`env`.*NAME: value/],
    ['env: { PATH: /tmp }', /`env\.PATH`.*could steer/],
    ['env: { NODE_OPTIONS: --import=x }', /`env\.NODE_OPTIONS`.*could steer/],
    ['env: { NPM_TOKEN: abc }', /`env\.NPM_TOKEN`.*secret by its name.*COMMAND_ENV/],
    ['env: { DB_URL: "pg://me:hidden@db" }', /`env\.DB_URL`.*looks like a secret/],
    [`env: { APP_ID: ghp_${'a1'.repeat(18)} }`, /`env\.APP_ID`.*looks like a secret/],
    ['env: { APP_MODE: [a] }', /`env\.APP_MODE`/],
    ['env: { APP_MODE: "a\\nb" }', /`env\.APP_MODE`.*one line/],
    ['timeout: 301', /`timeout`.*1 to 300/],
    ['timeout: 5m', /`timeout`.*1 to 300/],
    ['setup: 3', /`setup`.*one line/],
    ['setup: [""]', /`setup\[0\]`.*one line/],
    [
      `setup: [${Array.from({ length: 11 }, () => 'x').join(', ')}]`,
      /`setup`.*list of such commands/,
    ],
    ['test: [npm test]', /`test`.*one line/],
    ['test: "a\\nb"', /`test`.*one line/],
    [`test: ${'x'.repeat(1001)}`, /longer than 1000/],
    ['commands: [npm]', /`commands`.*`allow`/],
    ['commands: {deny: [npm]}', /`commands\.(?:allow|deny)`/],
    ['commands: {allow: npm}', /`commands\.allow`/],
  ])('has to be commands: %s', (text, words) => {
    expect(read(text).fault).toMatch(words);
  });
});

describe('what a repository lets be kept of what setup installs', () => {
  const warnings = (text: string): readonly string[] => {
    const given = readSettings(text);
    return 'settings' in given ? given.warnings : [given.fault];
  };

  it('is directories of the repository and of the home, found by files', () => {
    const text =
      'cache: {paths: [node_modules/, ~/.cache/pip], key: [package-lock.json, a/go.sum]}\n';
    expect(read(text).settings).toMatchObject({
      cache: { paths: ['node_modules', '~/.cache/pip'], key: ['package-lock.json', 'a/go.sum'] },
    });
    expect(warnings(text)).toEqual([]);
  });

  it.each([
    ['[../x]', /`cache\.paths\[0\]` must be a directory of the repository/],
    ['[a/../../x]', /must be a directory/],
    ['[/etc]', /must be a directory/],
    ['[./x]', /must be a directory/],
    ['[.]', /must be a directory/],
    ['["~"]', /must be a directory/],
    ['["~/"]', /must be a directory/],
    ['[~/../x]', /must be a directory/],
    ['["a*"]', /must be a directory/],
    ['["a\\u0000b"]', /must be a directory/],
    ['[7]', /must be a directory/],
    ['[.git]', /is git's own/],
    ['[a/.GIT/hooks]', /is git's own/],
    ['[~/.git]', /is git's own/],
    ['[a, a/b]', /`cache\.paths\[1\]` is inside another path/],
    ['[a, a/]', /is inside another path/],
    ['[]', /must be a list of directories/],
    ['node_modules', /must be a list of directories/],
    [`[${Array.from({ length: 11 }, (_, at) => `d${at}`).join(', ')}]`, /more than 10 entries/],
  ])('is no path such as %s: the run continues without it', (paths, words) => {
    const said = warnings(`cache:\n  paths: ${paths}\n  key: [package-lock.json]\n`);
    expect(said[0]).toMatch(words);
    expect(read(`cache: {paths: ${paths}, key: [a]}`).settings).not.toHaveProperty('cache');
  });

  it.each([
    ['[../x]', /`cache\.key\[0\]` must be the path of a file/],
    ['[~/x]', /must be the path of a file/],
    ['["*.lock"]', /must be the path of a file/],
    ['[.git/config]', /is git's own/],
    ['[]', /must be a list of files/],
  ])('is not found by %s', (key, words) => {
    expect(warnings(`cache: {paths: [a], key: ${key}}`)[0]).toMatch(words);
  });

  it('needs both', () => {
    expect(warnings('cache: node_modules')[0]).toMatch(/must contain `paths` and `key`/);
    expect(warnings('cache: {paths: [a]}')[0]).toMatch(/`cache\.key` must be a list of files/);
  });
});
