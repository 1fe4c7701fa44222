import { expect, it } from '@jest/globals';
import { testMerge } from '../../../src/app/run/merge/merge-base.ts';
import type { Effect } from '../../../src/contracts/effect.ts';
import type { Tool, ToolResult } from '../../../src/contracts/tool.ts';

const RAN = { command: 'python3 -m pytest', exitCode: 2, ended: 'exited', durationMs: 1 } as const;

const resultOf = (...effects: readonly Effect[]): ReturnType<typeof testMerge> => {
  const result: ToolResult = { output: '', ok: false, effects };
  const tool = { name: 'run_tests', run: () => Promise.resolve(result) } as unknown as Tool;
  return testMerge([tool], new AbortController().signal);
};

it('tests that could not run say nothing of a merge, and tests that failed do', async () => {
  const notRun = 'No module named freezegun';
  expect(await resultOf({ type: 'command', ...RAN, failed: null, passed: null, notRun })).toEqual({
    reason: 'The tests could not run: No module named freezegun.',
  });
  const failed = {
    type: 'tests',
    ...RAN,
    failed: 1,
    passed: 0,
    isPartial: false,
    onChanges: false,
  } as const;
  expect(await resultOf(failed)).toMatchObject({ run: failed });
});
