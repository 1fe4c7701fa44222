import { expect, it } from '@jest/globals';
import { reviewRequest, withoutNotes } from '../../../../src/app/run/ports/review-request.ts';
import { withFileList } from '../../../../src/agent/prompts/notices.ts';
import { Journal } from '../../../support/journal.ts';

it('the reviewer reads the request, what was said since in a line each, and the plan with its ticks', () => {
  const journal = new Journal().start().run().takeInput();
  const items = [
    { id: '1', title: 'Greet', done: true },
    { id: '2', title: 'Test it', done: false },
  ];
  journal.effect({ type: 'plan', items });
  journal.notice('wrap-up:1', '(80 % of the limit is used. Wrap up now.)');
  journal.comment('Use the\nfirst name.\n\n(Not the last one.)').admit().takeInput();
  const { session, entries } = journal;
  const text = reviewRequest(session, entries);
  expect(text).toMatch(
    /^# Issue #7: @octo-maintainer requested work on it\n> Greet people by name/,
  );
  expect(text).toContain('> The greeting should use the name.');
  expect(text).toMatch(
    /# Comment by @octo-maintainer on the issue\n> Use the first name\. \(Not the last one\.\)\n/,
  );
  expect(text).toMatch(/# The author's plan\n> - \[x\] Greet\n> - \[ \] Test it$/);
  expect(text).not.toContain('Wrap up');
});

it('the reviewer reads no list of files', () => {
  const { session, entries } = new Journal().start().run().takeInput();
  const listed = entries.map((entry) =>
    entry.type === 'input_read'
      ? { ...entry, text: withFileList(entry.text, '  a.ts b.ts') }
      : entry,
  );
  expect(reviewRequest(session, listed)).toBe(reviewRequest(session, entries));
});

it.each([
  ['# A\n> Yes.\n\n(Answer each thread.)', '# A\n> Yes.'],
  ['(The workspace is now a fresh clone.)', ''],
  ['> (said by a person)', '> (said by a person)'],
])('notes to the agent are left out: %j', (text, expected) => {
  expect(withoutNotes(text)).toBe(expected);
});
