import { describe, expect, it } from '@jest/globals';
import { abandonCalls } from '../../src/agent/act.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import {
  drive,
  historyOf,
  json as say,
  results,
  run,
  testToolbox,
  testTools,
  type Entry,
} from './support.ts';

/** `note` stays in the workspace; every call of it is reported to `done`. */
function tools(done: string[]) {
  const note = async (args: Record<string, unknown>) => {
    done.push(String(args['text']));
    return { output: 'noted' };
  };
  return testToolbox(
    testTools(note).map((tool) =>
      tool.name === 'note' ? { ...tool, reach: 'workspace' as const } : tool,
    ),
  );
}

const LINES = [say(['note', { text: 'SECRET' }], ['fail', {}]), say(['end', {}])];

/** All events of calls, in order. */
const told = (journal: readonly Entry[]) =>
  journal.flatMap((entry) => ('index' in entry ? [[entry.index, entry.type, entry.title]] : []));

describe('a call that reaches no further than the workspace', () => {
  it('is journaled once it has happened, and any other before it acts too', async () => {
    const { journal } = await run({ lines: LINES, tools: tools([]) });
    expect(told(journal)).toEqual([
      [0, 'call_finished', 'note [redacted]'],
      [1, 'call_started', 'fail '],
      [1, 'call_finished', undefined],
      [0, 'call_started', 'end '],
      [0, 'call_finished', undefined],
    ]);
  });

  it('is journaled with its title when it fails, too', async () => {
    const failing = tools([]).list.map((tool) => ({ ...tool, reach: 'workspace' as const }));
    const { journal } = await run({ lines: LINES, tools: testToolbox(failing) });
    expect(told(journal)[1]).toEqual([1, 'call_finished', 'fail ']);
  });

  it('that was interrupted is made again, as if it had never been', async () => {
    const done: string[] = [];
    const journal: Entry[] = [];
    await run({ lines: LINES, tools: tools(done), journal, crashAfter: 2 });
    expect([done.length, told(journal)]).toEqual([1, []]);
    const { end } = await run({ lines: LINES, tools: tools(done), journal });
    expect(end).toEqual({ kind: 'finished' });
    expect(done).toHaveLength(2);
    expect(told(journal).slice(0, 2)).toEqual([
      [0, 'call_finished', 'note [redacted]'],
      [1, 'call_started', 'fail '],
    ]);
  });

  it('has not happened if its run ended before it was journaled', async () => {
    const journal: Entry[] = [];
    await run({ lines: LINES, tools: tools([]), journal, crashAfter: 2 });
    await drive(abandonCalls(historyOf(journal, 'json')), journal);
    expect(results(journal)[0]).toEqual([false, 'not run: the run that made the call has ended']);
  });

  it('continues as an older kind of journal has begun it', async () => {
    const journal: Entry[] = [];
    await run({ lines: LINES, journal, crashAfter: 3 });
    await run({ lines: LINES, tools: tools([]), journal });
    expect(told(journal).slice(0, 2)).toEqual([
      [0, 'call_started', 'note [redacted]'],
      [0, 'call_finished', undefined],
    ]);
  });
});

describe('a call that reaches further', () => {
  it('knows whether it was interrupted and is made again', async () => {
    const repeats: unknown[] = [];
    const note: Tool['run'] = async (_args, { isRepeat }) => {
      repeats.push(isRepeat);
      return { output: 'noted' };
    };
    const journal: Entry[] = [];
    const noting = testToolbox(testTools(note));
    await run({ lines: LINES, tools: noting, journal, crashAfter: 3 });
    await run({ lines: LINES, tools: noting, journal });
    await run({ lines: LINES, tools: noting });
    expect(repeats.at(-1)).toBe(false);
    expect(repeats.at(-2)).toBe(true);
  });
});
