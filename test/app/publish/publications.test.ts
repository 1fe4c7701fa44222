import { describe, expect, it } from '@jest/globals';
import type { Publication } from '../../../src/app/publish/publication.ts';
import { publicationsOf } from '../../../src/app/publish/publications.ts';
import type { CommentRequest } from '../../../src/github/comments.ts';
import type { GitHubRepository } from '../../../src/github/repository.ts';
import { plainBody } from '../../../src/session/texts/body.ts';
import type { Journal } from '../../support/journal.ts';
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

describe('a plan', () => {
  it('says that it is replaced once a newer one is below', async () => {
    const journal = stories.proposed().comment('Without the test.').admit().run();
    const [first = ''] = keysOf(journal).filter((one) => one.startsWith('plan:'));
    expect(await bodyOf(journal, first)).toContain('Here is my plan');
    const items = [{ id: '1', title: 'Use the name', done: false }];
    journal.effect({ type: 'plan', items, needsApproval: true }, 'asked').end({ kind: 'asked' });
    const [, second = ''] = keysOf(journal).filter((one) => one.startsWith('plan:'));
    expect(await bodyOf(journal, first)).toBe('Replaced by the plan below.');
    expect(await bodyOf(journal, second)).toContain('1. Use the name');
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

describe('👀', () => {
  it('is on an answer also while the work is paused', () => {
    const journal = stories.asked().command('pause').comment('World.').admit();
    expect(keysOf(journal)).toContain(`reaction:comment:${100 + journal.entries.length - 2}`);
  });

  it('is not added to a comment that starts no run', () => {
    const journal = stories.submitted().comment('Nice.').admit();
    expect(keysOf(journal).filter((key) => key.startsWith('reaction:comment'))).toEqual([]);
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
