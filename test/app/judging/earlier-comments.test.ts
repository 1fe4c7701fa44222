import { describe, expect, it } from '@jest/globals';
import {
  commentsInJournal,
  earlierComments,
  wasTakenUp,
} from '../../../src/app/judging/earlier-comments.ts';
import { inputText } from '../../../src/session/input.ts';
import type { EarlierComment } from '../../../src/session/entries/entry.ts';
import { Journal } from '../../support/journal.ts';

const COMMENT = { kind: 'comment', on: 'issue', commentId: 77, body: 'Before.' } as const;
const START = { kind: 'start', label: 'agent', title: 'A title', body: '' } as const;
const EARLIER = [{ id: 77, author: 'maintainer', body: 'Before.' }];

describe('a comment from before the request, where two judge at once', () => {
  it('was not taken up by a verdict that came second', () => {
    const journal = new Journal()
      .receive(START)
      .receive(COMMENT)
      .add({ type: 'admitted', received: 2, lineComments: [] })
      .add({ type: 'admitted', received: 2, lineComments: [], earlier: EARLIER });
    expect(wasTakenUp(77, journal.entries)).toBe(false);
    const other = new Journal()
      .receive(START)
      .receive(COMMENT)
      .add({ type: 'admitted', received: 2, lineComments: [], earlier: EARLIER })
      .add({ type: 'admitted', received: 2, lineComments: [] });
    expect(wasTakenUp(77, other.entries)).toBe(true);
  });

  it('comes by itself unless the verdict that counts said that it is nobody’s', () => {
    const nobodys = { type: 'rejected', received: 2, reason: 'no_session' } as const;
    const admitted = { type: 'admitted', received: 2, lineComments: [] } as const;
    const received = () => new Journal().receive(COMMENT);
    expect([...commentsInJournal(received().add(admitted).add(nobodys).entries)]).toEqual([77]);
    expect([...commentsInJournal(received().add(nobodys).add(admitted).entries)]).toEqual([]);
  });
});

describe('what was said before the request', () => {
  const earlier = (...bodies: readonly string[]) => {
    const all = bodies.map((body, at) => ({ id: at + 1, author: 'maintainer', body }));
    const moment = { issue: 7, at: '2026-01-01T00:00:00Z', except: new Set<number>() };
    return earlierComments({ commentsAsOf: () => Promise.resolve(all) }, moment, () => true);
  };
  const readOf = (comments: readonly EarlierComment[]): string => {
    const journal = new Journal().receive(START);
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], earlier: comments });
    return inputText(journal.session);
  };
  const LONG = 'word '.repeat(3000);

  it.each([
    ['a comment', `Fine <!-- SECRET ${LONG} --> so far`],
    ['a title', `Fine [x](a.md "SECRET ${LONG}") so far`],
    ['an attribute', `Fine <b title="SECRET ${LONG}">x</b> so far`],
  ])('is read without what %s hides, however long that is', async (_what, body) => {
    const comments = await earlier(body);
    expect(comments).toMatchObject([{ body }]);
    const text = readOf(comments);
    expect(text).not.toContain('SECRET');
    expect(text).toMatch(/from before\n\n> Fine .*so far$/);
  });

  it('is read up to a length, each comment and all, the newest first', async () => {
    const comments = await earlier('oldest', ...Array.from({ length: 6 }, () => LONG), 'newest');
    expect(comments.map(({ id }) => id)).toEqual([3, 4, 5, 6, 7, 8]);
    expect(readOf(comments).length).toBeLessThan(61_000);
    expect(readOf(comments)).toContain('cut here');
  });

  it('is kept up to a size, whatever is hidden in it', async () => {
    const hidden = `a <!-- ${'x'.repeat(60_000)} -->`;
    expect(await earlier(...Array.from({ length: 20 }, () => hidden))).toHaveLength(8);
  });
});
