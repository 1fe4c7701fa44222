import { execFile } from 'node:child_process';
import { cpSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const CONFIGURATION = [
  'app.yml',
  'package.json',
  'tsconfig.json',
  'jest.config.js',
  '.oxfmtrc.json',
];

const TESTS = [
  'test/tools/registry',
  'test/tools/count-words',
  'test/docs/generated',
  '-t',
  'count_words|registry|tools.md',
];

/** The code of each step: a whole file, or what is put into one that is there. */
function stepsOf(markdown: string): ReadonlyMap<string, string> {
  const [, recipe = ''] = markdown.split('## A tool, step by step');
  const steps = recipe.matchAll(/`([\w/.-]+\.ts)`[^`]*:\n\n```ts\n(.*?)```/gs);
  return new Map([...steps].map(([, path = '', code = '']) => [path, code]));
}

describe('the recipe of CONTRIBUTING.md', () => {
  const steps = stepsOf(readFileSync('CONTRIBUTING.md', 'utf8'));
  let copy: string;

  const write = (path: string, change: (text: string) => string): void =>
    writeFileSync(join(copy, path), change(readFileSync(join(copy, path), 'utf8')));
  const node = async (...args: string[]): Promise<string> => {
    // The tests of the recipe are ordinary ones, whichever kind runs here.
    const { TEST_KINDS: _kinds, ...env } = process.env;
    const run = promisify(execFile)(process.execPath, args, { cwd: copy, env });
    const { stdout, stderr } = await run.catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    return stdout + stderr;
  };

  beforeAll(() => {
    copy = realpathSync(temporaryDirectory());
    for (const name of [
      'src',
      'packages',
      'test',
      'docs',
      'app.yml',
      'ARCHITECTURE.md',
      ...CONFIGURATION,
    ])
      cpSync(name, join(copy, name), { recursive: true });
    symlinkSync(realpathSync('node_modules'), join(copy, 'node_modules'));
    for (const [path, code] of steps) {
      if (path.endsWith('/index.ts')) write(path, (list) => withLine(list, code));
      else if (path.endsWith('/failures.ts')) write(path, (table) => within(table, code));
      else writeFileSync(join(copy, path), code);
    }
  });

  it('is a file and a line, a test, and a call that fails', () => {
    expect([...steps.keys()]).toEqual([
      'src/tools/files/count-words.ts',
      'src/tools/index.ts',
      'test/tools/count-words.test.ts',
      'test/tools/failures.ts',
    ]);
  });

  it('makes a tool that the compiler and the registry accept, and that can be called', async () => {
    expect(await node('test/support/documents/write-docs.ts')).toBe('');
    expect(readFileSync(join(copy, 'docs/tools.md'), 'utf8')).toContain('### count_words');
    const project = {
      extends: './tsconfig.json',
      include: ['src/tools', 'test/tools', 'src/**/*.d.ts'],
    };
    writeFileSync(join(copy, 'tools.json'), JSON.stringify(project));
    const [types, tests] = await Promise.all([
      node('node_modules/typescript/bin/tsc', '-p', 'tools.json'),
      node('--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...TESTS),
    ]);
    expect(types).toBe('');
    expect(tests).toMatch(/Test Suites: (1 skipped, )?3 passed, 3 (of \d+ )?total/);
  });

  it('is formatted as the rest is', async () => {
    expect(await node('node_modules/oxfmt/bin/oxfmt', '--check', ...steps.keys())).toMatch(
      /correct/,
    );
  });
});

function withLine(list: string, code: string): string {
  const [first = '', ...rest] = code.split('\n');
  return `${first}\n${within(list, rest.join('\n'))}`;
}

/** At the end of the list or the table that a file holds. */
const within = (text: string, code: string): string =>
  text.replace(/\n(\];|\};)\n/, (_end, closing: string) => `\n${code}${closing}\n`);
