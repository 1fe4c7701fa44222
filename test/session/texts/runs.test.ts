import { describe, expect, it } from '@jest/globals';
import type { Effect } from '../../../src/contracts/effect.ts';
import { plainBody } from '../../../src/session/texts/markdown.ts';
import { pullRequestBody } from '../../../src/session/texts/pull-request-body.ts';
import { testsObserved } from '../../../src/session/texts/runs.ts';
import { statusComment } from '../../../src/session/texts/status-comment.ts';
import { Journal } from '../../support/journal.ts';
import * as stories from '../../support/stories.ts';

type TestsEffect = Extract<Effect, { type: 'tests' }>;

const tests = (more: Partial<TestsEffect> = {}): TestsEffect => ({
  type: 'tests',
  command: 'npm test',
  exitCode: 0,
  ended: 'exited',
  durationMs: 2300,
  failed: null,
  passed: null,
  isPartial: false,
  onChanges: true,
  ...more,
});

const RAN = { type: 'command', exitCode: 1, ended: 'exited', durationMs: 5 } as const;
const BEFORE = tests({ exitCode: 1, failed: 2, passed: 12, onChanges: false });

const observedIn = (journal: Journal): string =>
  plainBody(pullRequestBody(journal.session, {})).split('## Checked by Issuewright')[1] ?? '';

/** A call that changed a file of the workspace. */
const changing = (
  journal: Journal,
  leftOutFiles?: number,
  of: { documents?: number } = {},
): Journal => {
  journal.add({ type: 'call_started', reply: 1, index: 9, title: 'Edit' });
  return journal.add({
    type: 'call_finished',
    reply: 1,
    index: 9,
    ok: true,
    output: '',
    effects: [],
    halt: null,
    changedFiles: 1,
    ...(leftOutFiles === undefined ? {} : { leftOutFiles }),
    ...of,
  });
};

const work = (...effects: readonly Effect[]): Journal =>
  effects.reduce((journal: Journal, effect) => journal.effect(effect), stories.working());

describe('the tests that a reviewer of the change is told of', () => {
  const told = (...effects: readonly Effect[]): string => testsObserved(work(...effects).session);

  it('are those that ran, by a tool for them or by any command', () => {
    expect(told()).toBe('No test runner was seen to run. Other checks are not listed.');
    const command = { ...RAN, command: 'npx jest; false', failed: 0, passed: 7 } as const;
    const silent = { ...RAN, command: 'make check', failed: null, passed: null } as const;
    const other = { ...RAN, command: 'ls' } as const;
    expect(told(BEFORE, tests({ failed: 0, passed: 14 }), other, command, silent)).toBe(
      [
        '- `npm test`: exit code 1, 2 failed, 12 passed; before the changes',
        '- `npm test`: exit code 0, 0 failed, 14 passed; after the last edit',
        '- `npx jest; false`: 0 failed, 7 passed; after the last edit',
        '- `make check`: exit code 1; after the last edit',
      ].join('\n'),
    );
  });

  it('are all told of, with what ran before the last edit, the last of many', () => {
    const part = tests({ command: 'npm test a', exitCode: 1, failed: 1, isPartial: true });
    const journal = changing(work(BEFORE, part));
    const later = (): readonly string[] =>
      testsObserved(journal.effect(tests({ passed: 3 })).session).split('\n');
    expect(later()).toEqual([
      expect.stringMatching(/before the changes$/),
      '- `npm test a` (only some of the tests): exit code 1, 1 failed; before the last edit',
      expect.stringMatching(/after the last edit$/),
    ]);
    for (let count = 0; count < 7; count += 1) later();
    expect(later()).toHaveLength(9);
    expect(later()[0]).toBe('- … 4 earlier');
  });

  it('are not said to be of before an edit if only what commits leave out was changed', () => {
    const journal = changing(work(tests()), 1);
    expect(testsObserved(journal.session)).toMatch(/after the last edit$/);
    expect(testsObserved(changing(journal).session)).toMatch(/before the last edit$/);
  });

  it('could not run where there is no runner, which is said with what it said', () => {
    const missing = { ...RAN, command: 'npx --no-install jest', failed: null, passed: null };
    expect(told({ ...missing, notRun: 'npm error code E404' })).toBe(
      'No test runner was seen to run. Other checks are not listed.\n\n- Tried, could not run: `npx --no-install jest` said `npm error code E404`; after the last edit',
    );
    expect(told({ ...missing, notRun: '' })).toContain('jest` said nothing (exit code 1);');
    expect(told({ ...missing, notRun: 'No.' }, tests())).not.toContain('None ran');
  });
});

describe('the tests in the pull request’s body', () => {
  it('are said to be none if none were run, and those of any command otherwise', () => {
    expect(observedIn(stories.submitted())).toContain('**Tests**: none ran');
    const command = { ...RAN, exitCode: 0, command: 'npx jest', failed: 0, passed: 7 } as const;
    expect(observedIn(work(command))).toContain('**Tests**\n\n- `npx jest`: 0 failed, 7 passed;');
  });

  it('are shown once if they came to the same, and so is a command', () => {
    const passed = tests({ failed: 0, passed: 14 });
    const body = observedIn(work(passed, passed, { ...RAN, exitCode: 0, command: 'ls' }, passed));
    expect(body.match(/After the changes/g)).toHaveLength(1);
    expect(body).toContain('<summary>4 commands</summary>');
    expect(body).toContain(
      '\n\n- `ls`: exit code 0\n- `npm test`: exit code 0, 0 failed, 14 passed (3 times)\n',
    );
  });

  it('failed before and pass after, as observed', () => {
    expect(observedIn(work(BEFORE, tests({ failed: 0, passed: 14 })))).toContain(
      [
        '**Tests**',
        '',
        '- Before the changes: ❌ 2 failed, 12 passed, `npm test`',
        '- After the changes: ✅ 14 passed, `npm test`',
      ].join('\n'),
    );
  });

  it('are called outdated if files were changed after the last run, by any call', () => {
    const journal = work(BEFORE, tests());
    expect(observedIn(journal)).not.toContain('Files changed');
    expect(observedIn(changing(journal, 1))).not.toContain('Files changed');
    expect(observedIn(changing(journal, 0, { documents: 1 }))).not.toContain('Files changed');
    expect(observedIn(changing(journal))).toContain('⚠️ Files changed after the last run.');
    expect(observedIn(journal.effect(tests()))).not.toContain('Files changed');
  });

  it('are called outdated if people pushed in between', () => {
    const journal = work(tests());
    journal.effect(stories.COMMIT).end({ kind: 'finished' });
    journal.review('Again').admit().run();
    expect(observedIn(journal)).toContain('⚠️ Files changed after the last run.');
  });

  it('have not passed if they were killed, or if their output says that some failed', () => {
    const killed = observedIn(work(tests({ exitCode: null, ended: 'timeout' })));
    expect(killed).toContain('❌ killed: time limit exceeded, `npm test`');
    expect(observedIn(work(tests({ failed: 1 })))).toContain('❌ 1 failed, `npm test`');
    expect(observedIn(work(tests({ exitCode: 2 })))).toContain('❌ exit code 2, `npm test`');
  });

  it('are all shown if the last run was only of some', () => {
    const part = tests({ command: "npm test -- 'a'", isPartial: true });
    const observed = observedIn(work(BEFORE, tests({ passed: 14 }), part));
    expect(observed).toContain('- After the changes: ✅ 14 passed, `npm test`\n');
    expect(observed).toMatch(/- After the changes: ✅ passed, .*only some of the tests/);
  });

  it('are those of this work, not of one that was closed before it', () => {
    const journal = stories.submitted().effect(BEFORE);
    const { number } = journal.session.thread.pullRequest!;
    journal.receive({ kind: 'pull_request_closed', pullRequest: number, merged: false });
    journal.start().run();
    expect(journal.session.work.tests).toEqual([]);
    expect(journal.session.work.commands.count).toBe(0);
  });
});

describe('the commands in the pull request’s body', () => {
  it('are folded away with what became of them, the last ones of many', () => {
    const journal = stories.working();
    for (let at = 1; at <= 20; at += 1)
      journal.effect({
        type: 'command',
        command: `make ${at}`,
        exitCode: at,
        ended: 'exited',
        durationMs: 5,
      });
    journal.effect({
      type: 'command',
      command: '`x`\n## Y',
      exitCode: null,
      ended: 'memory',
      durationMs: 5,
    });
    const observed = observedIn(journal);
    expect(observed).toContain(
      '<details><summary>21 commands</summary>\n\n- … 6 earlier\n- `make 7`: exit code 7',
    );
    expect(observed).toContain('- `` `x` ## Y ``: killed: memory limit exceeded');
  });
});

describe('commands that are not contained', () => {
  const prepared = (shell?: 'contained' | 'unsafe') => {
    const journal = new Journal().start().beginRun();
    journal.prepare();
    const entry = journal.entries.pop();
    if (entry?.type !== 'run_prepared') throw new Error('no run was prepared');
    return journal.add({ ...entry, ...(shell === undefined ? {} : { shell }) });
  };
  const statusOf = (journal: Journal) =>
    plainBody(statusComment(journal.session, { now: '2030-01-15T14:04:00Z' }));

  it('are warned about in the status comment of every session', () => {
    expect(statusOf(prepared('unsafe'))).toContain(
      "⚠️ **This run's commands are not sandboxed.** The operator set",
    );
    expect(statusOf(prepared('contained'))).not.toContain('not sandboxed');
    expect(statusOf(prepared())).not.toContain('not sandboxed');
  });

  it('are warned about when the operator gives the sandbox up under a run', () => {
    const journal = prepared('contained').add({ type: 'run_resumed', run: 1, shell: 'unsafe' });
    expect(statusOf(journal)).toContain('not sandboxed');
    expect(statusOf(journal.add({ type: 'run_resumed', run: 1 }))).not.toContain('not sandboxed');
    const none = prepared().add({ type: 'run_resumed', run: 1, shell: 'unsafe' });
    expect(statusOf(none)).not.toContain('not sandboxed');
  });
});
