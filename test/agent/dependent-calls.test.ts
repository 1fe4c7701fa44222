import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { FAULTS } from '../../src/agent/prompts/replies.ts';
import { protocolNamed } from '../../src/agent/protocols/index.ts';
import type { Effect } from '../../src/contracts/effect.ts';
import type { Tool, ToolResult } from '../../src/contracts/tool.ts';
import { TellModel } from '../../src/lib/errors.ts';
import { zodArguments } from '../../src/tools/define-tool.ts';
import {
  json as say,
  native,
  results,
  run,
  testToolbox,
  testTools,
  type Entry,
  type Setup,
} from './support.ts';

const NO_EDIT = expect.stringMatching(/^not run: .*edit.* did not apply/);
const RED = expect.stringMatching(/^not run: .*tests.* did not pass/);

const [note, , , deny, ask, end] = testTools() as [Tool, Tool, Tool, Tool, Tool, Tool];
const named = (name: string, more: Partial<Tool>): Tool => ({
  ...note,
  name,
  aliases: [],
  ...more,
});
const RAN = { command: 'test', exitCode: 1, ended: 'exited', durationMs: 1 } as const;
const COUNTS = { failed: null, passed: null, isPartial: false, onChanges: true };
const EFFECTS: Readonly<Record<string, Effect>> = {
  red: { type: 'tests', ...RAN, ...COUNTS },
  green: { type: 'tests', ...RAN, ...COUNTS, exitCode: 0 },
  'red by its words': { type: 'tests', ...RAN, ...COUNTS, exitCode: 0, failed: 2 },
  'killed in time': { type: 'tests', ...RAN, ...COUNTS, ended: 'timeout', exitCode: null },
  'red by a command': { type: 'command', ...RAN, failed: 1, passed: 3 },
  'red in a pipe': { type: 'command', ...RAN, exitCode: 0, failed: 1, passed: 3 },
  'green by a command': { type: 'command', ...RAN, failed: 0, passed: 3 },
  'without a runner': { type: 'command', ...RAN, exitCode: 127, failed: null, passed: null },
  'of no tests': { type: 'command', ...RAN },
};
const tested = (text: string): ToolResult => {
  const effect = EFFECTS[text];
  const effects = effect === undefined ? [] : [effect];
  return { output: `tests: ${text}`, ok: text.startsWith('green'), effects };
};
const TOOLS = testToolbox([
  named('edit', {
    edits: ({ text }) => [String(text).replace(/^bad /, '')],
    run: ({ text }) =>
      String(text).startsWith('bad ')
        ? Promise.reject(new TellModel('does not fit'))
        : Promise.resolve({
            output: `edited ${String(text)}`,
            effects: [{ type: 'branch', suffix: String(text) }],
          }),
  }),
  named('command', { run: () => Promise.resolve({ output: 'Exit code 3', ok: false }) }),
  named('rejected', { run: () => Promise.reject(new TellModel('not here')) }),
  named('test', { run: ({ text }) => Promise.resolve(tested(String(text))) }),
  named('plan', {}),
  named('reply', {
    isForPeople: true,
    run: ({ text }) =>
      text === 'nobody'
        ? Promise.reject(new TellModel('nobody waits'))
        : Promise.resolve({ output: `said ${String(text)}` }),
  }),
  named('commit', { waitsFor: 'edits' }),
  ask,
  deny,
  { ...end, waitsFor: 'edits and tests', endsWork: true },
]);

const after = async (...calls: [string, string][]) => {
  const lines = [say(...calls.map(([name, text]): [string, object] => [name, { text }])), 'x'];
  const { journal } = await run({ lines, tools: TOOLS, limits: { turns: 1 } });
  return results(journal).map(([, output]) => output);
};

describe('calls of one reply', () => {
  it('run after a command that failed, or that was not allowed', async () => {
    expect(
      await after(['command', ''], ['rejected', ''], ['edit', 'a'], ['commit', ''], ['end', '']),
    ).toEqual(['Exit code 3', 'not here', 'edited a', 'noted ', 'over']);
  });

  it('do not run if they edit a file, publish or end, and an edit before them did not apply', async () => {
    expect(
      await after(
        ['edit', 'bad ./a.ts'],
        ['edit', 'a.ts'],
        ['edit', 'b.ts'],
        ['plan', 'p'],
        ['test', 'green'],
        ['commit', ''],
        ['end', ''],
      ),
    ).toEqual([
      'does not fit',
      NO_EDIT,
      'edited b.ts',
      'noted p',
      'tests: green',
      NO_EDIT,
      NO_EDIT,
    ]);
  });

  it('do not publish or end after a call that no tool could take', async () => {
    const unknown = expect.stringContaining('no tool "apply_patch"');
    expect(await after(['apply_patch', ''], ['edit', 'a'], ['commit', ''])).toEqual([
      unknown,
      'edited a',
      NO_EDIT,
    ]);
  });

  it('commit after tests that failed, which the result says, and do not end', async () => {
    const told = expect.stringMatching(/^noted w\n\(The tests .* did not pass\.\)$/);
    expect(await after(['test', 'red'], ['commit', 'w'], ['plan', ''], ['end', ''])).toEqual([
      'tests: red',
      told,
      'noted ',
      RED,
    ]);
  });

  it.each([
    ['red by its words', RED],
    ['killed in time', RED],
    ['red by a command', RED],
    ['red in a pipe', RED],
    ['green by a command', 'over'],
    ['without a runner', RED],
    ['of no tests', 'over'],
  ])('end after tests only by what came of them: %s', async (text, said) => {
    expect((await after(['test', text], ['end', ''])).at(-1)).toEqual(said);
  });

  it('do not end after red tests, whatever other commands did since', async () => {
    const outputs = await after(['test', 'red'], ['test', 'of no tests'], ['end', '']);
    expect(outputs.at(-1)).toEqual(RED);
  });

  it('count the last of several test runs', async () => {
    expect(await after(['test', 'red'], ['edit', 'a'], ['test', 'green'], ['end', ''])).toEqual([
      'tests: red',
      'edited a',
      'tests: green',
      'over',
    ]);
  });

  it('reach people after the end of the work and after a question too, and nothing else does', async () => {
    const not = 'not run: an earlier call ended this run';
    expect(await after(['end', ''], ['reply', 'bob'], ['plan', ''])).toEqual([
      'over',
      'said bob',
      not,
    ]);
    expect(await after(['ask', ''], ['reply', 'bob'], ['plan', ''])).toEqual([
      'asked',
      'said bob',
      not,
    ]);
    expect(await after(['break', ''], ['reply', 'bob'])).toEqual(['The push was denied.', not]);
  });

  it('do not end the work if words for someone did not get through, but at the second attempt', async () => {
    const lines = [
      say(['reply', { text: 'nobody' }], ['end', {}]),
      say(['reply', { text: 'nobody' }], ['end', { text: 'anyway' }]),
    ];
    const { journal, end: ended } = await run({ lines, tools: TOOLS });
    expect(results(journal).map(([, output]) => output)).toEqual([
      'nobody waits',
      expect.stringMatching(
        /^not run, because people wait: a reply to someone before it did not go through/,
      ),
      expect.stringMatching(/^nobody waits/),
      'over',
    ]);
    expect(ended).toEqual({ kind: 'finished' });
  });

  it('are counted as repeated if they were run', async () => {
    const turn = (text: string) => say(['test', { text: 'red' }], ['edit', { text }]);
    const { end: ended } = await run({
      lines: [turn('a'), turn('b'), turn('c'), say(['end', {}])],
      tools: TOOLS,
    });
    expect(ended).toEqual({ kind: 'finished' });
    const stuck = say(['edit', { text: 'bad a' }], ['commit', {}]);
    const { end: gaveUp } = await run({ lines: [stuck, stuck, stuck], tools: TOOLS });
    expect(gaveUp).toMatchObject({ cause: { because: 'repeated_call' } });
  });
});

it.each(['native', 'json'] as const)(
  '%s says once which calls wait for others, by the tools of the run',
  (name) => {
    const tools = TOOLS.list.map((tool) =>
      tool.name === 'test' ? { ...tool, name: 'run_tests' } : tool,
    );
    const text = protocolNamed(name).instructions(tools);
    expect(text.match(/calls of a reply run in order/g)).toHaveLength(1);
    expect(text).toContain('searches and reads; a change, its tests, their run and end.');
    expect(text).toMatch(/that file, commit and end are not run/);
    expect(text).toMatch(/If tests before it failed or could not run, end is not run/);
    const untested = protocolNamed(name).instructions(TOOLS.list);
    expect(untested).toContain('a change, its tests and end.');
    expect(untested).not.toContain('If the last tests');
    const few = protocolNamed(name).instructions(TOOLS.list.slice(0, 4));
    expect(few).not.toMatch(/commit/);
  },
);

describe('a call that keeps what was given before', () => {
  const made: unknown[] = [];
  const tools = testToolbox([
    named('test', { run: ({ text }) => Promise.resolve(tested(String(text))) }),
    {
      ...end,
      arguments: zodArguments(
        z.object({ text: z.string().default(''), outcome: z.enum(['done', 'part']).optional() }),
      ),
      waitsFor: 'edits and tests',
      keepsArguments: true,
      run: (args) => {
        made.push(args);
        return Promise.resolve(
          made.length === 1
            ? { output: 'Not submitted yet.', ok: false }
            : { output: 'over', halt: 'finished' },
        );
      },
    },
  ]);

  it('leaves out what stays the same, however often it was held back, and is told so', async () => {
    made.length = 0;
    const lines = [
      say(['test', { text: 'red' }], ['end', { question_text: 'Add a', outcome: 'done' }]),
      say(['end', { outcome: 'part' }]),
      say(['end', { text: '' }]),
    ];
    const { journal, end: ended } = await run({ lines, tools });
    expect(made).toEqual([
      { text: 'Add a', outcome: 'part' },
      { text: 'Add a', outcome: 'part' },
    ]);
    expect(results(journal)[1]?.[1]).toMatch(/^not run: .*; without a summary, it keeps this one$/);
    expect(ended).toEqual({ kind: 'finished' });
  });

  it('has nothing of one that was carried out', async () => {
    const kept = testToolbox(
      tools.list.map((tool) => ({
        ...tool,
        run: (args) => Promise.resolve({ output: JSON.stringify(args) }),
      })),
    );
    const lines = [say(['end', { text: 'Add a' }]), say(['end', {}]), 'x'];
    const { journal } = await run({ lines, tools: kept, limits: { turns: 2 } });
    expect(results(journal).map(([, output]) => output)).toEqual([
      '{"text":"Add a"}',
      '{"text":""}',
    ]);
  });
});

it('an answer in words after an end that was held back does not end the work; one more does', async () => {
  let held = 1;
  const tools = testToolbox([
    note,
    {
      ...end,
      waitsFor: 'edits and tests',
      run: ({ text }) =>
        Promise.resolve(
          held-- > 0
            ? { output: 'Not submitted yet.', ok: false }
            : { output: String(text), halt: 'finished' },
        ),
    },
  ]);
  const lines = [native(['end', { text: 'Done' }]), 'I leave it.', 'I leave it all.'];
  const { journal, end: ended } = await run({ lines, tools, protocol: 'native' });
  const replies = journal.filter(({ type }) => type === 'reply');
  expect(replies.map((reply) => reply.type === 'reply' && reply.fault)).toEqual([
    null,
    FAULTS.heldBack,
    null,
  ]);
  expect(ended).toEqual({ kind: 'finished' });
  expect(results(journal).at(-1)).toEqual([true, 'I leave it all.']);
});

describe('the end of the work', () => {
  const HELD = 'not run, because people wait: they wrote something new';
  const lines = [say(['end', {}]), say(['end', {}]), say(['end', {}])];
  /** Two people write, each while the model says that it is done. */
  const twoWrite = (journal: Entry[]) => {
    const read = () => journal.filter(({ type }) => type === 'input_read').length;
    const replies = () => journal.filter(({ type }) => type === 'reply').length;
    const isNews = () => read() < Math.min(3, replies() + 1);
    return {
      whyNotYet: () => Promise.resolve(isNews() ? HELD : undefined),
      hear: () =>
        Promise.resolve({
          input: isNews() ? { upTo: read() + 1, text: `${read()}` } : undefined,
          notices: [],
        }),
    };
  };

  it('waits for what people wrote meanwhile, once for each time, and resumes so after a crash anywhere', async () => {
    const whole: Entry[] = [];
    const { end: ended } = await run({ lines, tools: TOOLS, journal: whole, ...twoWrite(whole) });
    expect(ended).toEqual({ kind: 'finished' });
    expect(whole.map(({ type }) => type).join(' ')).toBe(
      'input_read reply call_finished input_read reply call_finished input_read reply call_started call_finished',
    );
    const untimed = (entries: Entry[]) => entries.map((entry) => ({ ...entry, durationMs: 0 }));
    for (let crashAfter = 1; crashAfter < whole.length; crashAfter++) {
      const journal: Entry[] = [];
      const io = twoWrite(journal);
      await run({ lines, tools: TOOLS, journal, crashAfter, ...io });
      await run({ lines, tools: TOOLS, journal, ...io });
      expect(untimed(journal)).toEqual(untimed(whole));
    }
  });

  it('comes all the same near a limit, in one step, and if a crash interrupted it', async () => {
    const whyNotYet = () => Promise.resolve(HELD);
    const ended = async (setup: Partial<Setup>) =>
      (await run({ lines: [say(['end', {}])], tools: TOOLS, whyNotYet, ...setup })).end;
    expect(await ended({ limits: { turns: 1 } })).toEqual({ kind: 'finished' });
    expect(await ended({ mode: 'single' })).toEqual({ kind: 'finished' });
    const journal: Entry[] = [];
    await run({ lines: [say(['end', {}])], tools: TOOLS, journal, crashAfter: 3 });
    expect(journal.at(-1)?.type).toBe('call_started');
    expect(await ended({ journal })).toEqual({ kind: 'finished' });
  });
});
