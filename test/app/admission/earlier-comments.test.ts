import { describe, expect, it } from '@jest/globals';
import {
  commentsInJournal,
  earlierComments,
  wasIncluded,
} from '../../../src/app/admission/issue-context.ts';
import { readHtml } from '../../../src/github/text/index.ts';
import { inputMessage } from '../../../src/agent/prompts/input.ts';
import type { EarlierComment } from '../../../src/contracts/shown-text.ts';
import { Journal } from '../../support/journal.ts';

const COMMENT = { kind: 'comment', on: 'issue', commentId: 77, body: 'Before.' } as const;
const START = { kind: 'start', label: 'agent', title: 'A title', body: '' } as const;
const EARLIER = [{ id: 77, author: 'maintainer', body: 'Before.' }];

describe('a comment from before the request, if two processes judge at once', () => {
  it('is not included by a verdict that came second', () => {
    const journal = new Journal()
      .receive(START)
      .receive(COMMENT)
      .add({ type: 'admitted', received: 2, lineComments: [] })
      .add({ type: 'admitted', received: 2, lineComments: [], earlier: EARLIER });
    expect(wasIncluded(77, journal.entries)).toBe(false);
    const other = new Journal()
      .receive(START)
      .receive(COMMENT)
      .add({ type: 'admitted', received: 2, lineComments: [], earlier: EARLIER })
      .add({ type: 'admitted', received: 2, lineComments: [] });
    expect(wasIncluded(77, other.entries)).toBe(true);
  });

  it('comes by itself unless the verdict that counts rejected it for lack of a session', () => {
    const nobodys = { type: 'rejected', received: 2, reason: 'no_session' } as const;
    const admitted = { type: 'admitted', received: 2, lineComments: [] } as const;
    const received = () => new Journal().receive(COMMENT);
    expect([...commentsInJournal(received().add(admitted).add(nobodys).entries)]).toEqual([77]);
    expect([...commentsInJournal(received().add(nobodys).add(admitted).entries)]).toEqual([]);
  });
});

describe('a comment that was included, and comes by itself later because it asks for something', () => {
  const begun = () =>
    new Journal()
      .receive(START)
      .add({ type: 'admitted', received: 2, lineComments: [], earlier: EARLIER });
  const inputOf = (journal: Journal): string =>
    inputMessage(journal.receive(COMMENT).admitAsking('work').session).text;

  it('is read once if the model has not read it', () => {
    const input = inputOf(begun());
    expect(input).toMatch(/# Comment by @octo-maintainer on the issue\n\n> Before\.$/);
    expect(input.split('Before.')).toHaveLength(2);
    expect(input).not.toContain('Earlier comment');
  });

  it('is said to be the one that the model has read', () => {
    expect(inputOf(begun().beginRun().prepare({}).takeInput())).toMatch(
      /^# Comment by @octo-maintainer on the issue, which you have read among the earlier ones\n\n> Before\.$/,
    );
  });
});

describe('what was said before the request', () => {
  const earlier = async (...bodies: readonly string[]) => {
    const all = bodies.map((body, at) => ({
      id: at + 1,
      author: 'maintainer',
      authorId: 9,
      writtenAt: '2025-12-31T00:00:00Z',
      shown: () => Promise.resolve(readHtml(`<p>${body}</p>`, body)),
    }));
    const moment = { issue: 7, at: '2026-01-01T00:00:00Z', except: new Set<number>() };
    const forge = { commentsAsOf: () => Promise.resolve(all) };
    const found = await earlierComments(forge, moment, () => true);
    return found.map(({ said: _said, images: _images, ...text }) => text);
  };
  const readOf = (comments: readonly EarlierComment[]): string => {
    const journal = new Journal().receive(START);
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], earlier: comments });
    return inputMessage(journal.session).text;
  };
  const LONG = 'word '.repeat(3000);

  it('is kept and read as people see it, with a word on what is hidden', async () => {
    const comments = await earlier('Fine <!-- SECRET --> so far');
    const body = 'Fine so far';
    expect(comments).toEqual([{ id: 1, author: 'maintainer', body, hidden: 'SECRET' }]);
    expect(readOf(comments)).toMatch(/on the issue\n\n> Fine so far$/);
  });

  it('is read up to a length, each comment and all, the newest first', async () => {
    const comments = await earlier('oldest', ...Array.from({ length: 6 }, () => LONG), 'newest');
    expect(comments.map(({ id }) => id)).toEqual([3, 4, 5, 6, 7, 8]);
    expect(readOf(comments).length).toBeLessThan(61_000);
    expect(readOf(comments)).toContain('cut here');
  });

  it('is kept up to a size, however little of it is read', async () => {
    const long = 'x'.repeat(64_000);
    const kept = await earlier(...Array.from({ length: 20 }, () => long));
    expect(kept.length).toBeLessThanOrEqual(8);
  });
});
