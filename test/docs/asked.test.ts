import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ASKED_TABLE, faultsOf, rowsOf, todosOf } from '../support/documents/asked-table.ts';

const TABLE = readFileSync(ASKED_TABLE, 'utf8');

/** What is still being built. A row that is done leaves this list. */
const OPEN: readonly string[] = [];

const SAMPLE = `# A reason

| asked | where | test or decision |
|---|---|---|
| Loop | \`agent/loop.ts\` \`runLoop\` | \`test/agent/loop.test.ts\`: carries out one reply and ends |
| Delete | \`tools/files/delete-file.ts\` | \`test/tools/delete-file.test.ts\`: deletes a file |
| Names | \`agent/protocols/json.ts\` | \`test/agent/protocols/json-reading.test.ts\`: a call without a name |
| Mode | \`config/agent.ts\` \`AGENT_MODE\` | \`test/config/agent.test.ts\`: is with %j the mode %s |
| Tools | \`tools/index.ts\` | [0003](0003-json-protocol.md) |
| Other | \`main.ts\` | [why](#a-reason)<br>TODO: more |
`;

describe('the table of what the documents ask for', () => {
  it('names code, tests and decisions that exist', () => {
    expect(rowsOf(TABLE).length).toBeGreaterThan(200);
    expect(faultsOf(TABLE)).toEqual([]);
  });

  it(`has ${OPEN.length} rows that are still being built`, () => {
    expect(todosOf(TABLE).toSorted()).toEqual(OPEN.toSorted());
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
    ['a decision', '(0003-json-protocol.md)', '(0003-json.md)', 'no decision 0003-json.md'],
    ['a heading', '(#a-reason)', '(#no-reason)', 'there is no decision #no-reason'],
    [
      'all proof',
      '[0003](0003-json-protocol.md) |',
      '|',
      'Tools: has neither a test nor a decision',
    ],
    ['a cell', '| `tools/index.ts` |', '|', 'Tools: has neither a test nor a decision'],
  ])('would be found to lack %s', (_what, good, bad, fault) => {
    expect(faultsOf(SAMPLE)).toEqual([]);
    const spoiled = SAMPLE.replace(good, bad);
    expect(spoiled).not.toBe(SAMPLE);
    expect(faultsOf(spoiled)).toEqual([expect.stringContaining(fault)]);
  });
});
