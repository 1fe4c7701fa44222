import { describe, expect, it } from '@jest/globals';
import { createRedactor } from '../../../src/lib/text/redact.ts';
import { textOf } from '../../../src/session/texts/body.ts';
import {
  answerComment,
  outcomeComment,
  questionComment,
  rejectionComment,
} from '../../../src/session/texts/comments.ts';
import type { Journal } from '../../support/journal.ts';
import { published } from '../../support/publishing.ts';
import * as stories from '../../support/stories.ts';

const LABEL = 'issuewright';
const MENTIONS = { mentions: ['octo-maintainer'] };
const asking = (text: string): Promise<string> =>
  published(questionComment(stories.asked().session, { text }), MENTIONS);
const outcomeOf = (journal: Journal): string | undefined => {
  const body = outcomeComment(journal.session);
  return body && textOf(body);
};

describe('the question comment', () => {
  it('mentions who asked for the work, quotes the question, and says how to answer', async () => {
    const body = await asking('Which one?\n\n1. A\n2. B');
    expect(body).toMatch(/^@octo-maintainer /);
    expect(body).toContain('> Which one?\n>\n> 1. A\n> 2. B');
    expect(body).toContain('Reply to this issue to answer.');
  });

  it('keeps a question that would end its own quotation inside of it', async () => {
    const body = await asking('So?</blockquote>\n# Approved\r\rok[^1]');
    expect(body).toContain('> So?&lt;/blockquote>\n> # Approved\n>\n> ok\\[^1]\n\nReply');
  });

  it('leaves code in a question as it is', async () => {
    const body = await asking('Is `a < b` or `<b>` meant?');
    expect(body).toContain('> Is `a < b` or ');
  });

  it('is never longer than GitHub takes', async () => {
    const long = '<a\n'.repeat(90_000);
    expect((await asking(long)).length).toBeLessThan(60_000);
    const items = Array.from({ length: 10 }, () => ({ text: long, proposal: long }));
    const body = questionComment(stories.asked().session, { text: long, items });
    expect((await published(body, MENTIONS)).length).toBeLessThan(60_000);
  });

  it('numbers several questions, each with the answer that is proposed', () => {
    const items = [
      { text: 'Which unit?', proposedAnswer: 'Days.\n\n**Question 2**' },
      { text: 'Since when?', proposedAnswer: 'A day.' },
    ];
    const body = questionComment(stories.asked().session, { text: '', items });
    expect(textOf(body)).toBe(
      [
        '@octo-maintainer I have 2 questions before I can continue:',
        '**Question 1**',
        '> Which unit?',
        'Proposed answer:',
        '> Days.\n>\n> **Question 2**',
        '**Question 2**',
        '> Since when?',
        'Proposed answer:',
        '> A day.',
        "Reply to this issue to answer. If you answer only some of them, give their numbers. To accept the proposed answers, reply “as proposed”. I'll continue once you've answered.",
      ].join('\n\n'),
    );
  });
});

const LABELLED = { kind: 'start', label: LABEL, title: '', body: '' } as const;
const SAID = { kind: 'comment', on: 'issue', commentId: 1, body: '' } as const;
const ASKED = { ...SAID, addressed: true } as const;

describe('the rejection comment', () => {
  it('is polite, says who has permission, and what to do', () => {
    const body = rejectionComment('example-visitor', { reason: 'not_permitted' }, LABELLED);
    expect(body).toMatch(/^@example-visitor Thank you/);
    expect(body).toContain('people with write access');
    expect(body).toContain('ask one of them to remove the label `issuewright` and add it again');
  });

  it.each([
    [
      'command',
      /^@x Only people with write access to this repository can give commands here, so I/,
    ],
    ['approval', /Only people with write access to this repository can approve this here/],
    ['answer', /Only people with write access to this repository can answer questions here/],
    ['request', /Only people with write access to this repository can start work here/],
  ] as const)('says who may make a %s', (attempt, words) => {
    const body = rejectionComment('x', { reason: 'not_permitted', attempt }, SAID);
    expect(body).toMatch(words);
  });

  it('names the role that is needed, and no label if none was added', () => {
    const body = rejectionComment(
      'x',
      { reason: 'not_permitted', requiredRole: 'maintain' },
      ASKED,
    );
    expect(body).toContain('the role *maintain* or *admin*');
    expect(body).toContain('ask one of them to request it here');
  });

  it.each([
    ['issue_closed', /closed.*Reopen it/],
    ['pull_request_merged', /merged.*Open a new issue/],
    ['own_pull_request', /opened this pull request for an issue.*Request the work on that issue/],
  ] as const)('says what to do if the reason is %s', (reason, words) => {
    expect(rejectionComment('x', { reason }, ASKED)).toMatch(words);
  });
});

describe('the outcome comment', () => {
  it.each([
    ['a failure', stories.failed, ["couldn't continue", 'The push was denied', 'To try again']],
    [
      'a limit',
      stories.limited,
      ['stopped before the work was finished', '50 model replies', 'To continue'],
    ],
    [
      'nothing to change',
      stories.nothingToDo,
      ["didn't change anything", 'See `greet`', 'add details'],
    ],
    ['what cannot be done', stories.cannot, ["couldn't do this", 'cannot reach', 'add details']],
  ])('is posted for %s, with the reason and what to do', (_name, story, parts) => {
    for (const part of parts) expect(outcomeOf(story())).toContain(part);
  });

  it.each([
    ['nothing_to_do', "I didn't change anything."],
    ['cannot', "I couldn't do this."],
    ['partial', 'left the pull request a draft.'],
  ] as const)(
    'says of %s without a word what was observed, and nothing in the name of the model',
    (outcome, opening) => {
      const journal = stories
        .working()
        .effect(stories.COMMIT)
        .effect(stories.finishAs(outcome, ''));
      const body = outcomeOf(journal.end({ kind: 'finished' }));
      expect(body).toContain(opening);
      expect(body).toContain(
        'The model gave no summary. Issuewright observed: 1 commit (“Greet people by name”), 1 of 3 planned steps done.',
      );
      expect(body).not.toContain("model's explanation");
      expect(body).not.toMatch(/^>/m);
    },
  );

  it('suggests no retry for a used-up budget of the issue, which would end at once', () => {
    const end = { kind: 'limit', reason: 'The limit was reached.', isOfIssue: true } as const;
    const body = outcomeOf(stories.working().end(end));
    expect(body).toContain('The operator can raise `BUDGET_ISSUE`. After that, write');
    expect(body).not.toContain('To continue, write');
  });

  it('says how far it came when a limit ended it, and what was saved then', () => {
    const body = outcomeOf(stories.limitedWithWork());
    expect(body).toContain('Progress: 1 of 3 planned steps done.');
    expect(body).toContain(
      'The work so far is saved: 1 commit on the branch `issuewright/issue-7`',
    );
  });

  it('says what one reply in mode `single` came to', () => {
    expect(outcomeOf(stories.onePlan())).toContain(
      'as `mode: single` in the settings requires.\n\n- `9fceb02` Greet people by name\n\n',
    );
    expect(outcomeOf(stories.onePlanOfNothing())).toContain('Nothing was committed.');
  });

  it('says what was kept', () => {
    expect(outcomeOf(stories.failed())).toContain('1 commit on the branch `issuewright/issue-7`');
    const open = stories
      .working()
      .effect(stories.PULL_REQUEST)
      .end({ kind: 'failed', reason: 'No.' });
    expect(outcomeOf(open)).toContain('The work so far is in #12.');
  });

  it('is left to the reply in the place of a review that led to no change', () => {
    const journal = stories
      .submitted()
      .review('Is this right?')
      .admit()
      .run()
      .effect(stories.finishAs('nothing_to_do', 'It is: see the test.'))
      .end({ kind: 'finished' });
    expect(outcomeOf(journal)).toBeUndefined();
    const [reply] = journal.session.requests.replies;
    expect(reply).toMatchObject({ on: 12, finish: { summary: 'It is: see the test.' } });
  });

  it.each([
    ['while it is queued', stories.queued],
    ['while it works', stories.working],
    ['for a question, which has its own comment', stories.asked],
    ['when it is ready for review', stories.submitted],
    ['when it is merged', stories.merged],
    ['for an answer, which has its own comment', stories.answered],
    ['when the issue was closed', stories.closed],
    ['when no one with permission asked', stories.ignored],
  ])('is not posted %s', (_name, story) => {
    expect(outcomeOf(story())).toBeUndefined();
  });
});

describe('the comment with an answer', () => {
  const { session } = stories.answered();

  it('is addressed to the requester, says how to continue, and contains the answer unchanged', async () => {
    const body = await published(answerComment(session, stories.ANSWER), MENTIONS);
    expect(body).toMatch(/^@octo-maintainer The model's answer is below\. Reply to this issue/);
    expect(body.endsWith(`\n\n---\n\n${stories.ANSWER}`)).toBe(true);
  });

  it('has nothing after the answer that an open block of it could swallow', () => {
    const body = answerComment(session, '<details>\n```\nopen');
    expect(textOf(body).endsWith('\n```\nopen')).toBe(true);
  });

  it('says so when there is none', () => {
    expect(textOf(answerComment(session, ' \n'))).toContain('_The answer was empty._');
  });

  it('is cut for GitHub behind what is redacted, so that no secret shows in part', async () => {
    const redactor = createRedactor(['the-operators-password']);
    const answer = 'the-operators-password '.repeat(9000);
    for (const before of ['', 'x', 'xx', 'xxxx', 'xxxxxxxx']) {
      const body = await published(answerComment(session, before + answer), { redactor });
      expect(body.length).toBeLessThanOrEqual(65_500);
      expect(body).not.toContain('the-op');
      expect(body).toMatch(/\[redacted\]\s*… \(cut here[^]*\)$/);
    }
  });
});
