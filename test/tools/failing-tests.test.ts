import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { failingTests } from '../../src/tools/shell/run-tests.ts';
import { plainOutput } from '../../src/tools/shell/plain-output.ts';
import { readTestOutput } from '../../src/tools/shell/test-results.ts';

const RUNNERS =
  'node-spec node-tap jest vitest mocha pytest pytest-q unittest cargo go go-build surefire gradle'.split(
    ' ',
  );

const FAILED = { ended: 'exited', exitCode: 1 } as const;
const of = (text: string) => failingTests(FAILED, text, readTestOutput(text)) ?? [];
const fixture = (name: string): string =>
  plainOutput(readFileSync(`test/fixtures/test-output/${name}.txt`, 'utf8'));

const spec = (...names: string[]): string =>
  [
    ...names.map((name) => `✖ ${name} (0.${name.length}1ms)`),
    'ℹ pass 3',
    `ℹ fail ${names.length}`,
    '✖ failing tests:',
    ...names.flatMap((name) => ['test at a.js:1:1', `✖ ${name} (0.31ms)`, `  Error: no ${name}`]),
  ].join('\n');

describe('the tests that failed', () => {
  it.each(RUNNERS)('are the same in another run of %s', (runner) => {
    const output = fixture(runner);
    // Other times, and lines that moved.
    const again = output
      .replaceAll(/(\d+)(\.\d+)?( ?m?s\b)/g, '17$3')
      .replaceAll(/(?<=\.\w+):(\d+)/g, ':99');
    expect(again).not.toBe(output);
    expect(of(output)).not.toEqual([]);
    expect(of(again)).toEqual(of(output));
  });

  it('are told apart by their names, also if only a number differs', () => {
    expect(of(spec('case 1'))).not.toEqual(of(spec('case 2')));
    const both = of(spec('case 1', 'case 2'));
    expect(both).toEqual([...of(spec('case 1')), ...of(spec('case 2'))]);
  });

  it('are the same in another work tree', () => {
    const failsToLoad = (root: string): string =>
      [
        'TAP version 13',
        `# Subtest: ${root}/test/a.test.js`,
        `not ok 1 - ${root}/test/a.test.js`,
        '  ---',
        `  location: '${root}/test/a.test.js:1:1'`,
        "  error: 'test failed'",
        '  ...',
        '1..1',
        '# tests 1',
        '# pass 0',
        '# fail 1',
      ].join('\n');
    expect(of(failsToLoad('/tmp/one/tree'))).toEqual(of(failsToLoad('/srv/other')));
  });

  it('are as many as failed, if several have one name', () => {
    expect(new Set(of(spec('twice', 'twice'))).size).toBe(2);
  });

  it('are the faulty lines of a runner that nobody knows', () => {
    const one = of('checked 12 files\nerror: a.c is wrong\n');
    expect(of('checked 14 files\nerror: a.c is wrong\n')).toEqual(one);
    const two = of('checked 14 files\nerror: a.c is wrong\nerror: b.c is wrong\n');
    expect(two).toEqual(expect.arrayContaining([...one]));
    expect(two.length).toBe(one.length + 1);
    expect(of('wrong')).not.toEqual(of('bad'));
  });

  it('are one if they are very many', () => {
    const names = Array.from({ length: 300 }, (_, at) => `case ${at}`);
    expect(of(spec(...names))).toHaveLength(1);
    expect(of(spec(...names))).not.toEqual(of(spec(...names, 'more')));
  });

  it('are none if all passed, and unknown if they were killed', () => {
    expect(failingTests({ ended: 'exited', exitCode: 0 }, '', undefined)).toBeUndefined();
    expect(failingTests({ ended: 'timeout', exitCode: null }, 'Error', undefined)).toBeUndefined();
  });
});
