import { expect, it } from '@jest/globals';
import { ProgressPrinter } from '../../src/commands/progress.ts';
import { NO_USAGE } from '../../src/lib/no-usage.ts';
import { Journal } from '../support/journal.ts';

const REPLY = {
  type: 'reply',
  protocol: 'json',
  text: '',
  thought: '',
  answer: null,
  fault: null,
  stop: 'end',
  native: null,
  usage: NO_USAGE,
  cost: 0,
  durationMs: 1,
} as const;
const FINISHED = {
  type: 'call_finished',
  index: 0,
  ok: false,
  effects: [],
  halt: null,
} as const;

function progressOn(isTTY: boolean) {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) > 0, isTTY, columns: 80 };
  return { progress: new ProgressPrinter(output, (_style, text) => text), written };
}

it('writes a line above the one that says what is done now', () => {
  const { progress, written } = progressOn(true);
  progress.begin();
  progress.say('Waiting for GitHub.');
  progress.rest();
  const shown = written.join('').split('\n');
  expect(shown).toEqual([
    expect.stringContaining('Waiting for GitHub.'),
    expect.stringContaining('… Preparing'),
  ]);
});

it('says until when a run waits, and for what', () => {
  const { progress, written } = progressOn(false);
  const until = '2030-01-15T14:03:00Z';
  const reason = "GitHub's rate limit still applies.";
  progress.hear([{ type: 'run_deferred', run: 1, reason, until, seq: 7, at: until }]);
  expect(written).toEqual([`Waiting until ${new Date(until).toLocaleTimeString()}: ${reason}\n`]);
});

const linesOf = (journal: Journal): readonly string[] => {
  const { progress, written } = progressOn(false);
  progress.hear(journal.entries);
  return written.join('').split('\n');
};
const setup = (exitCode: number, output: string) =>
  ({
    type: 'setup',
    command: 'npm ci',
    exitCode,
    ended: 'exited',
    durationMs: 4_200,
    output,
  }) as const;

it('names the tool and the reason of a call that failed', () => {
  const journal = new Journal().start().run();
  const calls = [{ tool: 'apply_patch', arguments: {} }];
  journal.add({ ...REPLY, calls });
  journal.add({ ...FINISHED, reply: journal.entries.length, output: 'there is no tool\nmore' });
  expect(linesOf(journal)).toContain('✗ apply_patch: there is no tool');
  journal.add({ ...REPLY, calls });
  journal.add({ ...FINISHED, reply: journal.entries.length, title: 'Read a', output: 'not there' });
  expect(linesOf(journal)).toContain('✗ Read a: not there');
  journal.add({ ...REPLY, calls: [{ tool: 'edit_file', arguments: { path: 'src/a.ts' } }] });
  const reply = journal.entries.length;
  journal.add({ ...FINISHED, reply, output: 'the text occurs twice' });
  expect(linesOf(journal)).toContain('✗ edit_file src/a.ts: the text occurs twice');
});

it('shows that a call takes its time, what the preparation of the workspace said, and how it ended', () => {
  const journal = new Journal().start().run();
  const call = { reply: journal.entries.length, index: 0 };
  journal.add({ type: 'call_started', ...call, title: 'Run: make' });
  journal.add({ type: 'call_output', ...call, text: '$ npm ci\nadded 1\n' });
  journal.add({ type: 'call_output', ...call, text: 'added 2\n' });
  expect(linesOf(journal)).toContain('… Run: make: $ npm ci');
  expect(linesOf(journal).filter((line) => line.startsWith('…'))).toHaveLength(1);
  expect(linesOf(new Journal().start().run().effect(setup(0, 'added 2')))).toContain(
    '  setup: npm ci: exit code 0, after 4.2 s',
  );
  expect(linesOf(new Journal().start().run().effect(setup(1, 'no such\npackage')))).toEqual(
    expect.arrayContaining([
      '  setup: npm ci: exit code 1, after 4.2 s',
      '    no such',
      '    package',
    ]),
  );
});

it('says what it waits for once the work has ended', () => {
  const finish = { type: 'finish', outcome: 'done', summary: 'Done.' } as const;
  const lines = linesOf(new Journal().start().run().effect(finish, 'finished'));
  expect(lines).toContain('… Removing the copy that the agent worked in');
});

it('says that the price of a self-review is unknown', () => {
  const { progress, written } = progressOn(true);
  progress.begin();
  const journal = new Journal().start().run();
  const review = { change: 'x', findings: [], usage: NO_USAGE, durationMs: 1 };
  journal.effect({ type: 'self_reviewed', ...review, cost: null });
  progress.hear(journal.entries);
  progress.say('Reviewed.');
  progress.rest();
  expect(written.join('')).toContain('at least $0.01 (some prices are unknown)');
});
