import { describe, expect, it } from '@jest/globals';
import { createRedactor } from '../../../src/lib/text/redact.ts';
import { plainBody } from '../../../src/session/texts/markdown.ts';
import {
  answerComment,
  COMMAND_HELP,
  helpComment,
  outcomeComment,
  questionComment,
  rejectionComment,
} from '../../../src/session/texts/comments.ts';
import type { Intent } from '../../../src/contracts/intent.ts';
import type { Journal } from '../../support/journal.ts';
import { published } from '../../support/publishing.ts';
import * as stories from '../../support/stories.ts';

const LABEL = 'issuewright';
const MENTIONS = { mentions: ['octo-maintainer'] };
const asking = (text: string): Promise<string> =>
  published(questionComment(stories.asked().session, { text }), MENTIONS);
const outcomeOf = (journal: Journal): string | undefined => {
  const body = outcomeComment(journal.session);
  return body && plainBody(body);
};

describe('the question comment', () => {
  it('mentions who asked for the work, and says how to answer', async () => {
    const body = await asking('Which one?\n\n1. A\n2. B');
    expect(body).toMatch(/^@octo-maintainer /);
    expect(body).toContain('\n\nWhich one?\n\n1. A\n2. B\n\nReply here');
  });

  it('keeps a question apart from what follows it, whatever it opens', async () => {
    const body = await asking('So?</p><details>\nok[^1]\n\n```\ncode');
    expect(body).toContain('\n\nSo?&lt;/p>&lt;details>\nok\\[^1]\n\n```\ncode\n```\n\nReply');
  });

  it('leaves code in a question as it is', async () => {
    const body = await asking('Is `a < b` or `<b>` meant?');
    expect(body).toContain('\n\nIs `a < b` or ');
  });

  it('is never longer than GitHub takes', async () => {
    const long = '<a\n'.repeat(90_000);
    expect((await asking(long)).length).toBeLessThan(60_000);
    const items = Array.from({ length: 10 }, () => ({ text: long, proposal: long }));
    const body = questionComment(stories.asked().session, { text: long, items });
    expect((await published(body, MENTIONS)).length).toBeLessThan(60_000);
  });

  it('numbers several questions, each with the answer that is proposed, and leaves blocks whole', () => {
    const items = [
      { text: 'Which unit?', proposedAnswer: '- days\n- hours' },
      { text: 'Since when?', proposedAnswer: 'A day.' },
    ];
    const body = questionComment(stories.asked().session, { text: '', items });
    expect(plainBody(body)).toBe(
      [
        '@octo-maintainer I have 2 questions:',
        '**1.** Which unit?',
        '*Proposed:*',
        '- days\n- hours',
        '**2.** Since when?',
        '*Proposed:* A day.',
        'Reply here, or just “as proposed”. If you answer only some, give their numbers.',
      ].join('\n\n'),
    );
  });

  it('says which of several questions has no proposed answer, and nothing of it if none has', () => {
    const items = [{ text: 'Which unit?' }, { text: 'Since when?', proposedAnswer: 'A day.' }];
    const asked = (given: typeof items) =>
      plainBody(questionComment(stories.asked().session, { text: '', items: given }));
    expect(asked(items)).toContain('**1.** Which unit?\n\n*No default answer.*\n\n**2.** Since');
    expect(asked([{ text: 'a' }, { text: 'b' }])).not.toContain('roposed');
  });
});

const LABELLED = { kind: 'start', label: LABEL, title: '', body: '' } as const;
const SAID = { kind: 'comment', on: 'issue', commentId: 1, body: '' } as const;
const ASKED = { ...SAID, addressed: true } as const;

describe('the rejection comment', () => {
  it('thanks, and says what someone with write access has to do', () => {
    const said = (intent: Intent) => rejectionComment('x', { reason: 'not_permitted' }, intent);
    expect(said(ASKED)).toBe("@x Thanks! Someone with write access has to start me; I'll wait.");
    expect(said(LABELLED)).toContain('(remove the label `issuewright` and add it again)');
  });

  it('does not ask to be started where work has begun', () => {
    const words = rejectionComment('x', { reason: 'not_permitted' }, ASKED, true);
    expect(words).toBe("@x Thanks! Someone with write access has to ask for that; I'll wait.");
  });

  it.each([
    [
      'command',
      '@x Thanks, but only someone with write access can give me that command, so I ignored it.',
    ],
    ['approval', "@x Thanks! Someone with write access has to approve this; I'll wait."],
    ['answer', "@x Thanks! Someone with write access has to confirm that; then I'll read it."],
    ['request', "@x Thanks! Someone with write access has to start me; I'll wait."],
  ] as const)('says who may make a %s', (attempt, words) => {
    expect(rejectionComment('x', { reason: 'not_permitted', attempt }, SAID)).toBe(words);
  });

  it('names the role that is needed', () => {
    const rejected = { reason: 'not_permitted', requiredRole: 'maintain' } as const;
    expect(rejectionComment('x', rejected, ASKED)).toContain(
      'Someone with the role *maintain* or *admin* has to start me',
    );
  });

  it.each([
    ['issue_closed', /closed.*Reopen it/],
    ['pull_request_merged', /merged.*Open a new issue/],
    ['own_pull_request', /opened this pull request for an issue.*Ask on that issue/],
    ['reviews_off', /`review: off` here.*a comment that mentions me/],
  ] as const)('says what to do if the reason is %s', (reason, words) => {
    expect(rejectionComment('x', { reason }, ASKED)).toMatch(words);
  });
});

describe('the outcome comment', () => {
  it.each([
    ['a failure', stories.failed, ["couldn't continue", 'The push was denied', 'To continue']],
    ['a limit', stories.limited, ['I stopped: ', '50 model replies', 'To continue']],
    [
      'nothing to change',
      stories.nothingToDo,
      ["I didn't change anything", 'See `greet`', 'Add details'],
    ],
    ['what cannot be done', stories.cannot, ["couldn't do this", 'cannot reach', 'Add details']],
  ])('is posted for %s, with the reason and what to do', (_name, story, parts) => {
    for (const part of parts) expect(outcomeOf(story())).toContain(part);
  });

  it.each([
    ['nothing_to_do', "I didn't change anything: "],
    ['cannot', "I couldn't do this: "],
    ['partial', 'left the pull request a draft: '],
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
    expect(body).toContain('The operator can raise `BUDGET_ISSUE`. Then write');
    expect(body).not.toContain('To continue, write');
  });

  it('says how far it came when a limit ended it, and what was saved then', () => {
    const body = outcomeOf(stories.limitedWithWork());
    expect(body).toContain('1 of 3 steps done.');
    expect(body).toContain('The work so far is on the branch `issuewright/issue-7` (1 commit).');
  });

  it('says what one reply in mode `single` came to', () => {
    expect(outcomeOf(stories.onePlan())).toContain(
      '(`mode: single`).\n\n- `9fceb02` Greet people by name\n\n',
    );
    expect(outcomeOf(stories.onePlanOfNothing())).toContain('Nothing was committed.');
  });

  it('says what was kept', () => {
    expect(outcomeOf(stories.failed())).toContain('on the branch `issuewright/issue-7` (1 commit)');
    const open = stories
      .working()
      .effect(stories.PULL_REQUEST)
      .end({ kind: 'failed', reason: 'No.' });
    expect(outcomeOf(open)).toContain('The work so far is in #12.');
  });

  it('tells the requester of a pull request that GitHub let nobody be asked to review', () => {
    const reason = 'It needs `pull_requests: write`.';
    const steps = [{ step: 'review_request', reviewers: ['octo-maintainer'], reason }] as const;
    const left = { type: 'left_to_people', pullRequest: 12, steps } as const;
    const journal = stories
      .working()
      .effect(stories.COMMIT)
      .effect(stories.PULL_REQUEST)
      .effect(left);
    journal.effect(stories.finishAs('done', 'It greets.'), 'finished').end({ kind: 'finished' });
    expect(outcomeOf(journal)).toMatch(
      /^@octo-maintainer ⚠️ \*\*Please do this on #12\*\*.*\n- Request a review/,
    );
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

describe('the help', () => {
  it('is the list of commands for those who ask for it', () => {
    const body = plainBody(helpComment('asker'));
    expect(body).toMatch(/^@asker Write a command on a line of its own/);
    for (const command of Object.keys(COMMAND_HELP))
      expect(body).toContain(`- \`/issuewright ${command}\`: `);
  });

  it('after a typo is what was meant, with the list folded away', () => {
    expect(plainBody(helpComment('asker', 'stop'))).toMatch(
      /^@asker Did you mean `\/issuewright stop`\?\n\n<details><summary>All commands<\/summary>/,
    );
    expect(plainBody(helpComment(undefined, 'base'))).toMatch(
      /^Did you mean `\/issuewright base #12`\?/,
    );
  });
});

describe('the comment with an answer', () => {
  const { session } = stories.answered();

  it('is addressed to the requester, and contains the answer unchanged', async () => {
    const body = await published(answerComment(session, stories.ANSWER), MENTIONS);
    expect(body).toBe(`@octo-maintainer\n\n${stories.ANSWER}`);
  });

  it('has nothing after the answer that an open block of it could swallow', () => {
    const body = answerComment(session, '<details>\n```\nopen');
    expect(plainBody(body).endsWith('\n```\nopen')).toBe(true);
  });

  it('says so when there is none', () => {
    expect(plainBody(answerComment(session, ' \n'))).toContain('_The answer was empty._');
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
