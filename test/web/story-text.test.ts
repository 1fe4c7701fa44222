import { expect, it } from '@jest/globals';
import { TOOLS } from '../../src/tools/index.ts';
import { renderingsOf } from '../../src/tools/define-tool.ts';
import { storyText } from '../../src/web/pages/story-text.ts';
import { Journal } from '../support/journal.ts';

const look = { paint: (style: string, text: string) => `<${style}>${text}</>`, isFull: false };

const shown = (journal: Journal, { after = 0, isFull = false } = {}) =>
  storyText(journal, after, renderingsOf(TOOLS), { ...look, isFull })
    .join('\n')
    .replaceAll(/<(?!\/|red|green)\w+>([^<]*)<\/>/g, '$1');

const story = () =>
  new Journal()
    .start('Greet', '# Wanted\n\n- [ ] one\n- two')
    .run()
    .turn({
      thought: 'I look first.',
      calls: [
        { tool: 'read_file', arguments: { path: 'a.md' }, result: { output: '1\tone\n2\ttwo' } },
        {
          tool: 'edit_file',
          arguments: { path: 'a.md', old_text: 'one', new_text: 'un' },
          result: { ok: false, output: 'It is not there.' },
        },
      ],
    });

it('shows each entry on lines of its own, behind its time', () => {
  expect(shown(story())).toMatchInlineSnapshot(`
"14:03:00  Session opened for issue #7
14:03:00  @octo-maintainer added the label issuewright to “Greet”
          Wanted
          - ☐ one
          - two
14:03:01  Run 1 started
14:03:02  Run prepared on issuewright/issue-7 with openai:example-model; code and comments go to OpenAI (api.openai.com).
14:03:03  New comments shown to the model
14:03:05  Reply 1 2.3 s · 5.2k in (4.1k cached), 310 out · $0.01
          I look first.
14:03:05  read_file 0.2 s ok
14:03:05  edit_file 0.2 s <red>failed</>
            path
            a.md
            old_text
            - <red>one</>
            new_text
            + <green>un</>
            Result
              It is not there."
`);
});

it('keeps the numbers of lists, and says which questions have no proposed answer', () => {
  const thought = '3. Read\n\n   all of it\n4. Change\n   - days\n   - hours';
  const items = [{ text: 'Which unit?' }, { text: 'Since when?', proposedAnswer: 'A day.' }];
  const journal = new Journal()
    .start('Greet', '')
    .run()
    .turn({ thought, calls: [] })
    .effect({ type: 'question', text: '', items })
    .effect({ type: 'question', text: 'Only one?' });
  const text = shown(journal);
  expect(text).toContain(`
          3. Read
             all of it
          4. Change
             - days
             - hours`);
  expect(text).toMatch(
    / Question\n {10}1\. Which unit\?\n {13}No default answer\n {10}2\. Since when\?\n {13}Proposed: A day\./,
  );
  expect(text).toMatch(/ Question\n {10}Only one\?\n {10}No default answer$/);
});

it('shows what is new after an entry', () => {
  const journal = story();
  const { seq } = journal.session;
  expect(shown(journal, { after: seq })).toBe('');
  journal.comment('More.').admit();
  expect(shown(journal, { after: seq })).toMatch(/commented on the issue\n {10}More\.$/);
});

it('shows arguments and results if all is asked for, and an edit as a diff', () => {
  expect(shown(story(), { isFull: true })).toMatchInlineSnapshot(`
"14:03:00  Session opened for issue #7
14:03:00  @octo-maintainer added the label issuewright to “Greet”
          Wanted
          - ☐ one
          - two
14:03:01  Run 1 started
14:03:02  Run prepared on issuewright/issue-7 with openai:example-model; code and comments go to OpenAI (api.openai.com).
14:03:03  New comments shown to the model
14:03:05  Reply 1 2.3 s · 5.2k in (4.1k cached), 310 out · $0.01
          I look first.
14:03:05  read_file 0.2 s ok
            path
            a.md
            Result
            1 one
            2 two
14:03:05  edit_file 0.2 s <red>failed</>
            path
            a.md
            old_text
            - <red>one</>
            new_text
            + <green>un</>
            Result
              It is not there."
`);
});

it.each(['\u001B[31m', '\u009B31m', '\u0007', '\u202E', '\u2066', '&#x202e;', '\r', '\u0000'])(
  'shows %j by its number wherever someone wrote it',
  (sign) => {
    const hostile = `a${sign}b`;
    const journal = new Journal()
      .start(hostile, `\`\`\`\n${hostile}\n\`\`\`\n${hostile}`)
      .run({ model: hostile, destination: hostile })
      .turn({
        thought: hostile,
        fault: hostile,
        calls: [
          {
            tool: hostile,
            arguments: { [hostile]: hostile },
            title: hostile,
            result: { output: hostile },
          },
        ],
      });
    const text = storyText(journal, 0, new Map(), { ...look, isFull: true }).join('\n');
    // oxlint-disable-next-line no-control-regex -- these are what must not come through
    expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
  },
);
