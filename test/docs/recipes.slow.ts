// CONTRIBUTING.md says step by step how a part is added. Here each step is done as it is written there.
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const COPIED = [
  'src',
  'packages',
  'test',
  'docs',
  'app.yml',
  'ARCHITECTURE.md',
  'package.json',
  'tsconfig.json',
  'jest.config.js',
  '.oxfmtrc.json',
  '.oxlintrc.json',
];

/** What runs with all recipes: their own tests, and those that are for every part of its kind. */
const TESTS = [
  'test/tools/registry',
  'test/tools/count-words',
  'test/docs/generated',
  'test/app/run/notice',
  'test/session/progress-command',
  'test/events/events',
  'test/models/registry',
  'test/models/acme',
];

interface Step {
  readonly path: string;
  readonly kind: string;
  readonly code: string;
}

/** The code of each step: a whole file, what is put into one that is there, or a change of it. */
function stepsOf(markdown: string, title: string): readonly Step[] {
  const [, recipe = ''] = markdown.split(`## ${title}, step by step`);
  const [own = ''] = recipe.split('\n## ');
  const steps = own.matchAll(
    /`([\w/.-]+\.ts)`[^`]*(?:`src\/app\/admission\/`)?:\n\n```(ts|diff)\n(.*?)```/gs,
  );
  return [...steps].map(([, path = '', kind = '', code = '']) => ({ path, kind, code }));
}

const DOCUMENT = readFileSync('CONTRIBUTING.md', 'utf8');
const RECIPES = {
  'A tool': [
    'src/tools/files/count-words.ts',
    'src/tools/index.ts',
    'test/tools/count-words.test.ts',
    'test/tools/failures.ts',
  ],
  'A repository setting': [
    'src/session/settings/index.ts',
    'src/app/run/plan/plan.ts',
    'test/app/run/notice.test.ts',
  ],
  'A thread command': [
    'src/contracts/intent.ts',
    'src/session/fold/command-outcome.ts',
    'src/session/texts/comments.ts',
    'src/app/publish/publications.ts',
    'test/session/progress-command.test.ts',
  ],
  'A GitHub event': ['src/events/issue-pinned.ts', 'src/events/index.ts'],
  'A model provider': [
    'src/models/providers/acme.ts',
    'src/models/index.ts',
    'test/models/acme.test.ts',
  ],
};
const STEPS = Object.keys(RECIPES).flatMap((title) => stepsOf(DOCUMENT, title));

describe('the recipe of CONTRIBUTING.md', () => {
  let copy: string;

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
    for (const name of COPIED) cpSync(name, join(copy, name), { recursive: true });
    symlinkSync(realpathSync('node_modules'), join(copy, 'node_modules'));
    for (const { path, kind, code } of STEPS) {
      const file = join(copy, path);
      const before = (): string => readFileSync(file, 'utf8');
      if (kind === 'diff') writeFileSync(file, changed(before(), code));
      else if (path.endsWith('/index.ts')) writeFileSync(file, withLine(before(), code));
      else if (path.endsWith('/failures.ts')) writeFileSync(file, within(before(), code));
      else writeFileSync(file, code);
    }
  });

  it.each(Object.entries(RECIPES))('%s has these steps', (title, paths) => {
    expect(stepsOf(DOCUMENT, title).map(({ path }) => path)).toEqual(paths);
  });

  it('shows in the documents what was added', async () => {
    expect(await node('test/support/documents/write-docs.ts')).toBe('');
    const shown = (path: string): string => readFileSync(join(copy, path), 'utf8');
    expect(shown('docs/tools.md')).toContain('### count_words');
    expect(shown('docs/configuration.md')).toContain('| `notice` |');
    expect(shown('docs/configuration.md')).toContain('| `ACME_API_KEY` | `acme` | required |');
    expect(shown('docs/issuewright.schema.json')).toContain('"notice"');
    expect(shown('docs/using.md')).toContain('| `progress` |');
  });

  it('makes parts that the compiler and the tests of their kind accept', async () => {
    const project = {
      extends: './tsconfig.json',
      include: ['src', 'test/tools', ...TESTS.map((path) => `${path}*.ts`)],
    };
    writeFileSync(join(copy, 'recipes.json'), JSON.stringify(project));
    expect(await node('node_modules/typescript/bin/tsc', '-p', 'recipes.json')).toBe('');
    const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...TESTS];
    const tests = await node(...jest, '--verbose');
    expect(tests).toMatch(/✓ issues\.pinned is read from GitHub’s own example/);
    expect(tests).toMatch(/the provider `acme`/);
    expect(tests).toMatch(/Test Suites: (\d+) passed, \1 total/);
  });

  it('breaks no rule of lint', async () => {
    const paths = new Set(STEPS.map(({ path }) => path));
    const lint = ['node_modules/oxlint/bin/oxlint', '--deny-warnings', ...paths];
    expect(await node(...lint)).toMatch(/^Found 0 warnings and 0 errors\.$/m);
  });

  it('is formatted as the rest is', async () => {
    const paths = STEPS.map(({ path }) => path);
    expect(await node('node_modules/oxfmt/bin/oxfmt', '--check', ...paths)).toMatch(/correct/);
  });
});

function withLine(list: string, code: string): string {
  const [first = '', ...rest] = code.split('\n');
  return `${first}\n${within(list, rest.join('\n'))}`;
}

/** At the end of the list or the table that a file holds. */
const within = (text: string, code: string): string =>
  text.replace(/\n(\];|\};)\n/, (_end, closing: string) => `\n${code}${closing}\n`);

/** With the changes of a diff, each of which has lines around it that are in the file once. */
function changed(text: string, diff: string): string {
  let now = text;
  for (const part of diff.split('@@\n')) {
    const lines = part.split('\n').slice(0, -1);
    const of = (sign: string): string =>
      lines
        .filter((line) => !line.startsWith(sign))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    expect(now.split(of('+'))).toHaveLength(2);
    now = now.replace(of('+'), () => of('-'));
  }
  return now;
}
