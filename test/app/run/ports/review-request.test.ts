import { expect, it } from '@jest/globals';
import { reviewRequest, withoutNotes } from '../../../../src/app/run/ports/review-request.ts';
import { withFileList } from '../../../../src/agent/prompts/notices.ts';
import { Journal } from '../../../support/journal.ts';
import { submitted } from '../../../support/stories.ts';

it('the reviewer reads the request, what was said since as it was said, and the plan with its ticks', () => {
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
    /# Comment by @octo-maintainer on the issue\n\n> Use the\n> first name\.\n> \n> \(Not the last one\.\)\n/,
  );
  expect(text).toMatch(/# The author's plan\n> - \[x\] Greet\n> - \[ \] Test it$/);
  expect(text).not.toContain('Wrap up');
});

it('the reviewer reads a question above its answer, and no note to the agent', () => {
  const items = [{ text: 'Which unit?', proposedAnswer: 'Days.' }, { text: 'Since when?' }];
  const journal = new Journal().start().run();
  journal.effect({ type: 'question', text: '1. Which unit?', items }, 'asked');
  journal.end({ kind: 'asked' }).comment('As proposed.').admit().run();
  const text = reviewRequest(journal.session, journal.entries);
  expect(text).toContain(
    '# The author asked\n\n> 1. Which unit?\n> Proposed: Days.\n> 2. Since when?\n\n# Comment by @octo-maintainer on the issue\n\n> As proposed.',
  );
  expect(text).not.toContain('You asked');
});

it('the reviewer reads what the author replied to people, after what they said', () => {
  const journal = new Journal().start().run();
  journal.comment('Does it greet by the last name?').admit().takeInput();
  journal.effect({ type: 'reply', to: 'octo-maintainer', text: 'No, by the\nfirst.' });
  const text = reviewRequest(journal.session, journal.entries);
  expect(text).toMatch(
    /by the last name\?\n\n# The author's reply to @octo-maintainer\n\n> No, by the\n> first\.$/,
  );
});

it('the reviewer reads what is said on lines without the diff there, which is below', () => {
  const thread = {
    comment: 31,
    root: 31,
    side: 'new',
    hunk: '@@ -1 +1 @@\n+const name = 1;',
    isResolved: false,
    isOutdated: false,
    earlier: [],
    leftOut: 0,
  } as const;
  const line = { path: 'a.ts', line: 1, body: 'Why?\n\n    as code', thread };
  const journal = submitted().review('').admit([line]).run();
  const text = reviewRequest(journal.session, journal.entries);
  expect(text).toContain('- Thread 1: a.ts, line 1\n> Why?\n> \n>     as code');
  expect(text).not.toContain('const name');
});

it('the reviewer reads the request whole, and of what was said later the beginning and the end', () => {
  const journal = new Journal().start('Greet', 'x'.repeat(9_000)).run();
  journal.comment('y'.repeat(9_000)).admit().takeInput();
  const text = reviewRequest(journal.session, journal.entries);
  expect(text).toContain('x'.repeat(9_000));
  expect(text).toMatch(/y{1500}\n… \(\d+ characters left out\)\ny{1500}/);
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
