import { describe, expect, it } from '@jest/globals';
import { inputMessage } from '../../../src/agent/prompts/input.ts';
import type { ParentIssue, ShownIssue } from '../../../src/contracts/shown-text.ts';
import { Journal } from '../../support/journal.ts';

const PARENT: ParentIssue = {
  number: 3,
  title: 'Greet everyone',
  body: 'In three steps.',
  by: { login: 'octo-planner', mayRequest: true },
  others: [
    { number: 5, title: 'Greet the first', isOpen: false },
    { number: 9, title: 'Greet the last', isOpen: true },
  ],
  leftOut: 0,
};

const promptOf = (about: Partial<ShownIssue>): string => {
  const title = 'Greet the second';
  const body = 'By name.';
  const journal = new Journal().receive({ kind: 'start', label: 'issuewright', title, body }).add({
    type: 'admitted',
    received: 2,
    lineComments: [],
    issue: { title, body, digest: 'x', ...about },
  });
  return inputMessage(journal.session).text;
};

describe('what an issue is a part of', () => {
  it('follows its text as background: the parent, and the titles of its other sub-issues', () => {
    expect(promptOf({ parent: PARENT })).toBe(
      `# Issue #7: @octo-maintainer requested work on it
> Greet the second

> By name.

# Issue #3, of which #7 is a sub-issue, by @octo-planner, who can request work (background, not a request)
> Greet everyone

> In three steps.

## The other sub-issues of #3, in their order (background: work on none of them)
> #5 (closed): Greet the first
> #9 (open): Greet the last`,
    );
  });

  it('follows it for a request in a comment, too', () => {
    const issue = { title: 'Greet', body: 'By name.', digest: 'x', parent: PARENT };
    const journal = new Journal()
      .receive({ kind: 'comment', on: 'issue', commentId: 1, body: 'Go.' })
      .add({
        type: 'admitted',
        received: 2,
        lineComments: [],
        issue,
        ask: { for: 'work', alone: false },
        shown: { body: 'Go.' },
      });
    const text = inputMessage(journal.session).text;
    expect(text.indexOf('> By name.')).toBeLessThan(text.indexOf('> In three steps.'));
    expect(text.indexOf('> In three steps.')).toBeLessThan(text.indexOf('> Go.'));
  });

  it('says the type and the fields in one block, and costs nothing without them', () => {
    const fields = [{ name: 'Priority', value: 'High' }];
    expect(promptOf({ type: 'Bug', fields })).toContain(
      '## Its type and fields, as people set them\n> Type: Bug\n> Priority: High',
    );
    expect(promptOf({})).toBe(
      '# Issue #7: @octo-maintainer requested work on it\n> Greet the second\n\n> By name.',
    );
  });

  it('is bounded, whatever the parent and the fields say', () => {
    const others = Array.from({ length: 99 }, (_, at) => ({
      number: at + 10,
      title: 'w '.repeat(200),
      isOpen: true,
    }));
    const fields = Array.from({ length: 30 }, (_, at) => ({
      name: `Field ${at}`,
      value: 'w '.repeat(100),
    }));
    const parent = { ...PARENT, body: 'w '.repeat(9000), others, leftOut: 4 };
    const text = promptOf({ parent, fields, type: 'Bug' });
    expect(text).toContain('(Not named: 63.)');
    expect(text.length).toBeLessThan(13_500);
  });
});
