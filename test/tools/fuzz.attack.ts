import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { prepare, type Toolbox } from '../../src/agent/dispatch.ts';
import { TellModel, TellPerson, TryLater } from '../../src/lib/errors.ts';
import { cutMiddle } from '../../src/lib/text/text.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { fakeCommands } from '../support/fakes/fake-commands.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { anyCall, spoiltExamples } from './any-call.ts';
import { bench } from './support.ts';
import { cases } from '../support/cases.ts';

const RUNS = cases(30, 100);
const MAX_OUTPUT = 100_000;
const SECRET = 'nobody should read this';

/** A workspace with all kinds of files in it, links that lead out of it, and what must not change. */
async function world() {
  const outside = temporaryDirectory();
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  const { root, hub, tools, commands } = await bench({
    'a.txt': 'one\ntwo\n',
    'src/main.ts': 'export const a = 1;\r\n',
    'src/deep/er/b.json': '{"a": 1}',
    'image.png': Uint8Array.from([0x89, 0x50, 0, 0xff]),
    'latin.txt': Uint8Array.from([0xe9, 0x0a]),
    'wide.txt': 'x'.repeat(50_000),
    '.gitignore': 'ignored/\n',
    'ignored/c.txt': 'two',
  });
  // Nobody should find out here what any text does as a command.
  const shell = fakeCommands(root);
  commands.run = (request) => shell.run({ ...request, command: 'cat wide.txt; exit 1' });
  symlinkSync(outside, join(root, 'link'));
  symlinkSync(join(outside, 'secret.txt'), join(root, 'secret-link'));
  symlinkSync(join(outside, 'new.txt'), join(root, 'dangling'));
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git/config'), SECRET);
  hub.openIssue('An <issue>', 'example-visitor', 'Text.');
  return { root, outside, tools, journal: hub.journal };
}

/** What came of a call; throws what no call may throw. */
async function endOf(tools: Toolbox, tool: string, args: unknown) {
  const prepared = prepare(tools, { tool, arguments: args });
  if ('fault' in prepared) return { output: prepared.fault };
  expect(prepared.title).toMatch(/^\S.{0,199}$/u);
  try {
    const { signal } = new AbortController();
    return await prepared.run({ startedAt: new Date(0), signal });
  } catch (error) {
    if (error instanceof TellModel || error instanceof TellPerson || error instanceof TryLater)
      return { output: error.message };
    throw error;
  }
}

describe('any JSON as the arguments of', () => {
  it.each(TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s ends in an answer, and leaves alone what is outside',
    async (name, tool) => {
      const { root, outside, tools, journal } = await world();
      const before = untouchable(root, outside);
      const paths = pathsOut(root, outside);
      const call = fc.asyncProperty(anyCall(tool, paths), async (args) => {
        const { output, effects = [] } = await endOf(tools, name, args);
        expect(output).not.toContain(SECRET);
        expect(output.length).toBeLessThan(MAX_OUTPUT);
        expect(output).not.toBe('');
        expect(untouchable(root, outside)).toEqual(before);
        // Later calls find it in the journal.
        journal.workKept(...(JSON.parse(JSON.stringify(effects)) as typeof effects));
      });
      const examples = spoiltExamples(tool, paths).map((args): [unknown] => [args]);
      // No counterexample is made smaller out of megabytes.
      const asTheyAre = { examples, numRuns: examples.length, endOnFailure: true };
      await fc.assert(call, { ...asTheyAre, reporter: failBriefly });
      await fc.assert(call, { numRuns: RUNS, reporter: failBriefly });
    },
  );
});

const pathsOut = (root: string, outside: string): readonly string[] => [
  '../escaped.txt',
  'src/../../escaped.txt',
  'link/escaped.txt',
  'link/secret.txt',
  'secret-link',
  'dangling',
  '.git/config',
  '.git/hooks/post-commit',
  '.GIT/config',
  join(outside, 'secret.txt'),
  join(outside, 'escaped.txt'),
  relative(root, join(outside, 'secret.txt')),
  `${root}-escaped`,
];

const untouchable = (root: string, outside: string) => ({
  outside: contentsOf(outside),
  git: contentsOf(join(root, '.git')),
  escaped: [join(root, '../escaped.txt'), `${root}-escaped`].filter((path) => existsSync(path)),
});

const contentsOf = (directory: string) =>
  readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]);

/** Arguments may be megabytes long. */
function failBriefly<Ts>(details: fc.RunDetails<Ts>): void {
  if (!details.failed) return;
  throw new Error(cutMiddle(fc.defaultReportMessage(details) ?? '', 6000));
}
