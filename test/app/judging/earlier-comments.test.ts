import { describe, expect, it } from '@jest/globals';
import { commentsInJournal, wasTakenUp } from '../../../src/app/judging/earlier-comments.ts';
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
    const nobodys = { type: 'refused', received: 2, reason: 'no_session' } as const;
    const admitted = { type: 'admitted', received: 2, lineComments: [] } as const;
    const received = () => new Journal().receive(COMMENT);
    expect([...commentsInJournal(received().add(admitted).add(nobodys).entries)]).toEqual([77]);
    expect([...commentsInJournal(received().add(nobodys).add(admitted).entries)]).toEqual([]);
  });
});
