import { describe, expect, it } from '@jest/globals';
import { ASKED_ROWS, type AskedRow, faultsOf, todosOf } from '../support/documents/asked-table.ts';

/** What is still being built. A row that is done leaves this list. */
const OPEN: readonly string[] = [];

const SAMPLE: readonly AskedRow[] = [
  {
    asked: 'Loop',
    where: '`agent/loop.ts` `runLoop`',
    proof: ['`test/agent/loop.test.ts`: carries out one reply and ends'],
  },
  {
    asked: 'Delete',
    where: '`tools/files/delete-file.ts`',
    proof: ['`test/tools/delete-file.test.ts`: deletes a file'],
  },
  {
    asked: 'Names',
    where: '`agent/protocols/index.ts`',
    proof: ['`test/agent/protocols/json-reading.test.ts`: a call without a name'],
  },
  {
    asked: 'Mode',
    where: '`config/agent.ts` `AGENT_MODE`',
    proof: ['`test/config/agent.test.ts`: is with %j the mode %s'],
  },
  {
    asked: 'Tools',
    where: '`tools/index.ts`',
    proof: ['[0003](0013-three-protocols.md#0003-json-protocol-results-are-json)'],
  },
  { asked: 'Other', where: '`main.ts`', proof: ['[why](#events-are-entries)', 'TODO: more'] },
];

describe('the table of what the documents ask for', () => {
  it('names code, tests and decisions that exist', () => {
    expect(ASKED_ROWS.length).toBeGreaterThan(200);
    expect(faultsOf(ASKED_ROWS)).toEqual([]);
  });

  it(`has ${OPEN.length} rows that are still being built`, () => {
    expect(todosOf(ASKED_ROWS).toSorted()).toEqual(OPEN.toSorted());
  });

  it.each([
    ['a file', '`main.ts`', '`mains.ts`', 'src/mains.ts does not exist'],
    ['a function', '`runLoop`', '`runLoops`', '"runLoops" is not in src/agent/loop.ts'],
    ['a setting', '`AGENT_MODE`', '`AGENT_MODES`', '"AGENT_MODES" is not in src/config/agent.ts'],
    ['any file', '`tools/index.ts`', 'the tools', 'Tools: names no file'],
    ['a file of tests', 'loop.test.ts', 'loops.test.ts', 'loops.test.ts does not exist'],
    ['a test', ': deletes a file', ': deletes files', 'has no test "deletes files"'],
    ['a case of a table', 'without a name', 'without any', 'has no test "a call without any"'],
    ['a form of a table', 'is with %j the', 'is with %j a', 'has no test "is with %j a mode %s"'],
    ['a decision', '(0013-three', '(0013-four', 'there is no docs/decisions/0013-four'],
    ['a decision in a file', '#0003-json', '#0003-xml', 'no such heading'],
    ['a heading', '(#events', '(#no-events', 'no such heading'],
    ['a test or a decision', '[why](#events-are-entries)', 'why', 'neither a test nor a decision'],
  ])('would be found to lack %s', (_what, good, bad, fault) => {
    expect(faultsOf(SAMPLE)).toEqual([]);
    const spoiled = SAMPLE.map(({ asked, where, proof }) => ({
      asked,
      where: where.replace(good, bad),
      proof: proof.map((one) => one.replace(good, bad)),
    }));
    expect(spoiled).not.toEqual(SAMPLE);
    expect(faultsOf(spoiled)).toEqual([expect.stringContaining(fault)]);
  });
});
