import { describe, expect, it } from '@jest/globals';
import type { Publication } from '../../../src/app/publish/publication.ts';
import { publicationsOf } from '../../../src/app/publish/publications.ts';
import type { SubIssueStep } from '../../../src/contracts/sub-issue-work.ts';
import type { CommentRequest } from '../../../src/github/comments.ts';
import type { GitHubRepository } from '../../../src/github/repository.ts';
import { plainBody } from '../../../src/session/texts/markdown.ts';
import { inParts } from '../../support/in-parts.ts';
import { Journal, STRANGER } from '../../support/journal.ts';
import * as stories from '../../support/stories.ts';

const OPTIONS = { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z' };
const of = ({ session, entries }: Journal): Publication[] =>
  publicationsOf({ session, entries, options: OPTIONS });
const keysOf = (journal: Journal): string[] => of(journal).map(({ key }) => key);

/** The comment that is published under this key. */
async function bodyOf(journal: Journal, key: string): Promise<string | undefined> {
  const written = new Map<string, string>();
  const github = {
    comment: async (request: CommentRequest) => {
      written.set(request.key, plainBody(request.body));
      return { id: 1, url: '' };
    },
  } as GitHubRepository;
  await of(journal)
    .find((publication) => publication.key === key)
    ?.publish(github, undefined);
  return written.get(key);
}

describe('a question', () => {
  it('stays addressed to the person it asked, whoever requests work later', async () => {
    const journal = stories.asked().comment('World.').admit().run();
    journal.effect(stories.finishAs('done', 'Done.'), 'finished').end({ kind: 'finished' });
    const key = keysOf(journal).find((one) => one.startsWith('question:')) ?? '';
    const before = await bodyOf(journal, key);
    expect(before).toMatch(/^@octo-maintainer /);
    journal.comment('@issuewright once more', { login: 'writer', id: 7 }).admitAsking('work');
    expect(journal.session.requests.requester?.login).toBe('writer');
    expect(await bodyOf(journal, key)).toBe(before);
  });
});

describe('a sub-issue that someone who cannot start work changed', () => {
  const looked = (journal: Journal, ...stands: SubIssueStep['stands'][]): Journal =>
    journal.add({
      type: 'sub_issues_read',
      steps: stands.map((one, at) => ({ number: 8 + at, title: 'Greet', stands: one })),
    });
  const told = (journal: Journal): string[] =>
    keysOf(journal).filter((key) => key.startsWith('changed:'));

  it('is told to the person who asked for work, once', async () => {
    const journal = looked(inParts(), 'changed', 'to_do');
    const [key = ''] = told(journal);
    const words = 'Since you asked for work, #8 was added, reopened or changed by someone who';
    expect(await bodyOf(journal, key)).toContain(`@octo-maintainer ${words} cannot start work`);
    looked(looked(journal, 'done', 'to_do'), 'changed', 'to_do');
    expect(told(journal)).toEqual([key]);
  });

  it('is told again if it holds up the rest after a retry', () => {
    const journal = looked(inParts(), 'changed', 'to_do').command('retry');
    expect(told(looked(journal, 'changed', 'to_do'))).toHaveLength(2);
  });

  it('is not told again because its author closes and reopens issues', () => {
    const journal = looked(inParts(), 'changed', 'to_do').receive(
      { kind: 'issue_closed', at: '2030-01-15T14:13:00Z' },
      STRANGER,
    );
    journal.admit();
    expect(told(looked(looked(journal, 'done'), 'changed'))).toHaveLength(1);
  });

  it('is told each for itself', () => {
    const journal = looked(inParts(), 'changed', 'to_do');
    expect(told(looked(journal, 'done', 'changed'))).toHaveLength(2);
  });

  it('is told three times for one request, however many there are', () => {
    const journal = inParts();
    for (let one = 0; one < 5; one += 1)
      journal.add({
        type: 'sub_issues_read',
        steps: [{ number: 20 + one, title: 'Greet', stands: 'changed' }],
      });
    expect(told(journal)).toHaveLength(3);
  });
});

describe('a plan', () => {
  it('says that it is replaced once a newer one is below', async () => {
    const journal = stories.proposed().comment('Without the test.').admit().run();
    const [first = ''] = keysOf(journal).filter((one) => one.startsWith('plan:'));
    expect(await bodyOf(journal, first)).toContain('Here is my plan');
    const items = [{ id: '1', title: 'Use the name', done: false }];
    journal.effect({ type: 'plan', items, needsApproval: true }, 'asked').end({ kind: 'asked' });
    const [, second = ''] = keysOf(journal).filter((one) => one.startsWith('plan:'));
    const former =
      '<details><summary>The former plan</summary>\n\n1. Read how the greeting is made';
    expect(await bodyOf(journal, first)).toMatch(/^Replaced by the plan below\.\n/);
    expect(await bodyOf(journal, first)).toContain(former);
    expect(await bodyOf(journal, second)).toContain('1. Use the name');
  });

  it('says who approved it, and asks nobody any more', async () => {
    const journal = stories.proposed();
    const [key = ''] = keysOf(journal).filter((one) => one.startsWith('plan:'));
    expect(await bodyOf(journal, key)).toContain('Reply **approve**');
    journal.comment('approve').add({
      type: 'admitted',
      received: journal.entries.length,
      lineComments: [],
      approves: true,
    });
    journal.run();
    expect(await bodyOf(journal, key)).toMatch(/^Approved by octo-maintainer\.\n\n1\. Read how/);
    expect(await bodyOf(journal, key)).not.toContain('Reply **approve**');
  });

  const replaced = (journal: Journal): string => {
    const items = [{ id: '1', title: 'Use the name', done: false }];
    journal.run().effect({ type: 'plan', items, needsApproval: true }, 'asked');
    return keysOf(journal).findLast((one) => one.startsWith('plan:')) ?? '';
  };

  it('is addressed to whoever asked for the change of the one before', async () => {
    const writer = { login: 'writer', id: 7 };
    const journal = stories.proposed().comment('Without the test.', writer).admit();
    expect(await bodyOf(journal, replaced(journal))).toMatch(/^@writer Here is my plan/);
  });

  it('says what it took from a yes with more to it, and that this was no approval', async () => {
    const yes = 'ok approved 🚀 (but cover it in test/greet.ts)';
    const journal = stories.proposed().comment(yes).admit().run();
    const items = [
      { id: '1', title: 'Read how the greeting is made', done: false },
      { id: '3', title: 'Cover it in test/greet.ts', done: false },
      { id: '4', title: 'Say so', done: false },
    ];
    journal.effect({ type: 'plan', items, needsApproval: true }, 'asked').end({ kind: 'asked' });
    const key = keysOf(journal).findLast((one) => one.startsWith('plan:')) ?? '';
    expect(await bodyOf(journal, key)).toBe(
      [
        "@octo-maintainer Here is my plan with what you said. I won't change anything until you approve it with a plain yes:",
        '1. Read how the greeting is made\n2. Cover it in test/greet.ts (was: Cover it with a test)\n3. Say so (new)',
        '- ~~Use the name in `greet`~~',
        'Reply **approve**, or react with 👍. To change the plan, say what should be different.',
      ].join('\n\n'),
    );
  });

  it('says so if words changed nothing in it, and calls a step that follows a yes only new', async () => {
    const shown = async (journal: Journal, more: boolean) => {
      const before = journal.session.work.plan;
      const items = more ? [...before, { id: '9', title: 'Say so', done: false }] : before;
      journal.effect({ type: 'plan', items, needsApproval: true }, 'asked').end({ kind: 'asked' });
      const key = keysOf(journal).findLast((one) => one.startsWith('plan:')) ?? '';
      return (await bodyOf(journal, key)) ?? '';
    };
    const same = stories.proposed().comment('Is that all?').admit().run();
    expect(await shown(same, false)).toContain('Here is my plan, as before. I');
    const approved = stories.proposed().comment('go');
    const received = approved.entries.length;
    approved.add({ type: 'admitted', received, lineComments: [], approves: true }).run();
    const text = await shown(approved, true);
    expect(text).toContain("Here is my plan. I won't change anything until you approve it:");
    expect(text).toContain('4. Say so (new)');
  });

  it('is addressed to the requester if only someone who may not agree asked for the change', async () => {
    const journal = stories.proposed().comment('Without the test.', STRANGER);
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], answersOnly: true });
    expect(await bodyOf(journal, replaced(journal))).toMatch(/^@octo-maintainer Here is my plan/);
  });
});

describe('a word that is nearly a command', () => {
  const typo = (journal: Journal, meant: 'stop' | 'retry'): Journal => {
    const received = journal.comment('/issuewright …', { login: 'asker', id: 31 }).entries.length;
    const ask = { for: 'unclear', alone: true, meant } as const;
    return journal.add({ type: 'admitted', received, lineComments: [], ask });
  };

  it('is answered with the command, by name, once for each', async () => {
    const journal = typo(typo(typo(stories.working(), 'stop'), 'stop'), 'retry').command('help');
    expect(keysOf(journal).filter((key) => key.startsWith('help'))).toEqual([
      'help:stop',
      'help:retry',
      'help',
    ]);
    expect(await bodyOf(journal, 'help:stop')).toMatch(
      /^@asker Did you mean `\/issuewright stop`\?\n/,
    );
    expect(await bodyOf(journal, 'help')).toMatch(/^@octo-maintainer Write a command/);
  });
});

describe('a word that is nearly a command, on the pull request', () => {
  it('is answered there, also if the issue has that answer already', async () => {
    const journal = stories.submitted();
    const { issue, pullRequest } = journal.session.thread;
    const ask = { for: 'unclear', alone: true, meant: 'stop' } as const;
    for (const on of ['issue', 'pull_request'] as const) {
      journal.receive({ kind: 'comment', on, commentId: 900, body: '/issuewright stpo' });
      const received = journal.entries.length;
      journal.add({ type: 'admitted', received, lineComments: [], ask });
    }
    const places: number[] = [];
    const github = {
      comment: async (request: CommentRequest) => {
        places.push(request.issue);
        return { id: 1, url: '' };
      },
    } as GitHubRepository;
    for (const one of of(journal).filter(({ key }) => key.startsWith('help')))
      await one.publish(github, undefined);
    expect(places).toEqual([issue, pullRequest?.number]);
  });
});

describe('whoever asks for the status', () => {
  const url = 'https://github.com/example/greeter/issues/7#issuecomment-9';
  const asked = (on: 'issue' | 'pull_request', body = '/issuewright status'): Journal => {
    const journal = stories.submitted();
    const asker = { login: 'asker', id: 31 };
    return journal.receive({ kind: 'comment', on, commentId: 900, body }, asker);
  };
  const shown = { type: 'published', key: 'status', id: 9, url } as const;
  const placeOf = async (journal: Journal): Promise<number | undefined> => {
    let place: number | undefined;
    const github = {
      comment: async ({ issue }: CommentRequest) => {
        place = issue;
        return { id: 1, url: '' };
      },
    } as GitHubRepository;
    const link = of(journal).find(({ key }) => key.startsWith('status-link:'));
    await link?.publish(github, undefined);
    return place;
  };

  it('gets a link to it where they asked, once it is there', async () => {
    for (const [on, place] of [
      ['issue', 7],
      ['pull_request', 12],
    ] as const) {
      const journal = asked(on);
      const received = journal.entries.length;
      journal.admitAsking('status', true);
      expect(await placeOf(journal)).toBeUndefined();
      expect(await placeOf(journal.add(shown))).toBe(place);
      expect(await bodyOf(journal, `status-link:${received}`)).toBe(
        `@asker Here is [the status](${url}).`,
      );
    }
  });

  it('gets no link a day later, when nobody waits for it', () => {
    const { session, entries } = asked('issue').admitAsking('status', true).add(shown);
    const keys = (now: string) =>
      publicationsOf({ session, entries, options: { ...OPTIONS, now } }).map(({ key }) => key);
    expect(keys(OPTIONS.now)).toContainEqual(expect.stringMatching(/^status-link:/));
    const later = new Date(Date.parse(session.at) + 25 * 3_600_000).toISOString();
    expect(keys(later)).not.toContainEqual(expect.stringMatching(/^status-link:/));
  });

  it('gets no link for another command', () => {
    const journal = asked('issue', '/issuewright help').admitAsking('help', true).add(shown);
    expect(keysOf(journal).filter((key) => key.startsWith('status-link'))).toEqual([]);
  });
});

describe('a request of a stranger', () => {
  const requested = (journal: Journal): Journal => {
    const received = journal.comment('@issuewright please', STRANGER).entries.length;
    const denied = { type: 'rejected', received, reason: 'not_permitted', notify: true } as const;
    return journal.add({ ...denied, attempt: 'request' });
  };
  const told = (journal: Journal) => bodyOf(journal, `rejection:${STRANGER.login}`);

  it('is not answered as if nothing had begun while work goes on, whatever comes later', async () => {
    const before = requested(new Journal());
    expect(await told(before)).toContain('has to start me');
    expect(await told(before.start().run())).toContain('has to start me');
    const during = requested(stories.working());
    expect(await told(during)).toContain('has to ask for that');
    expect(await told(during.command('stop'))).toContain('has to ask for that');
  });
});

describe('👀', () => {
  it('is on an answer also while the work is paused', () => {
    const journal = stories.asked().command('pause').comment('World.').admit();
    expect(keysOf(journal)).toContain(`reaction:comment:${100 + journal.entries.length - 2}`);
  });

  it('is not added to a comment that starts no run', () => {
    const journal = stories.submitted().comment('Nice.').admit();
    expect(keysOf(journal).filter((key) => key.startsWith('reaction:comment'))).toEqual([]);
  });

  const talk = (journal: Journal, what: { needsMention?: true } = {}): string => {
    const received = journal.comment('On holiday until Monday.').entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], shown: { body: 'x' }, ...what });
    return `reaction:comment:${100 + received - 1}`;
  };

  it('is not added to talk by a later request, when the model reads it', () => {
    const journal = stories.submitted();
    const key = talk(journal);
    journal.comment('@issuewright go on').admitAsking('work');
    expect(keysOf(journal)).not.toContain(key);
    expect(keysOf(journal.run())).not.toContain(key);
  });

  it('is not added to what needs a mention, even while a run works', () => {
    const journal = stories.submitted().comment('@issuewright go on').admitAsking('work').run();
    const key = talk(journal, { needsMention: true });
    expect(keysOf(journal)).not.toContain(key);
  });

  it('is added to what the model reads while it works', () => {
    const journal = stories.working();
    const key = talk(journal);
    expect(keysOf(journal)).toContain(key);
  });
});

describe('what GitHub shows of a conversation without tools', () => {
  it('is one comment for each answer', () => {
    const journal = stories.answered().comment('And without a name?').admit().run();
    expect(keysOf(journal.answered('Then it says “world”.'))).toEqual([
      'reaction:issue',
      'reaction:comment:108',
      'end:issue',
      'answer:1',
      'answer:2',
      'status',
    ]);
  });

  it('holds each answer in its own comment', async () => {
    const journal = stories.answered().comment('And without a name?').admit().run();
    journal.answered('Then it says “world”.');
    expect(await bodyOf(journal, 'answer:1')).toContain(stories.ANSWER);
    expect(await bodyOf(journal, 'answer:2')).toMatch(/Then it says “world”\.$/);
  });

  it('has the first answer in it, though the next run has begun and failed', () => {
    const journal = stories.answered().comment('And without a name?').admit().run();
    expect(keysOf(journal)).toContain('answer:1');
    expect(keysOf(journal.end({ kind: 'failed', reason: 'No.' }))).toEqual(
      expect.arrayContaining(['answer:1', 'outcome:2']),
    );
  });
});
