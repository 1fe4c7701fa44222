import { describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { rangesOf, shownLines } from '../../src/tools/git/diffs.ts';
import { bench } from './support.ts';

const HUNKS =
  '@@ -3,3 +3,4 @@ where\n three\n-four\n+4\n+four and a half\n five\n@@ -20 +21 @@\n-x\n+y\n';

describe('the lines of a diff', () => {
  it('are those that its hunks show, on each side', () => {
    const { old, new: now } = shownLines({ hunks: HUNKS });
    expect([...old]).toEqual([3, 4, 5, 20]);
    expect([...now]).toEqual([3, 4, 5, 6, 21]);
    expect(rangesOf(now)).toBe('3-6, 21');
  });

  it('are none of a file without hunks', () => {
    expect(shownLines({}).new.size).toBe(0);
  });
});

describe('submit_review', () => {
  async function changed() {
    const world = await bench({ 'a.txt': 'one\ntwo\nthree\n' });
    await world.call('write_file', { path: 'b.txt', content: 'one\ntwo\n' });
    await world.call('commit', { message: 'Add b' });
    return world;
  }

  it('ends the work with a summary and comments on lines', async () => {
    const { call, hub } = await changed();
    const remark = { path: 'b.txt', line: 2, start_line: 1, body: 'Both?' };
    const result = await call('submit_review', { summary: 'One question.', comments: [remark] });
    expect(result).toMatchObject({ halt: 'finished' });
    expect(result.effects?.map(({ type }) => type)).toEqual(['review', 'finish']);
    expect(hub.reviews).toMatchObject([
      {
        number: 7,
        summary: 'One question.',
        remarks: [{ path: 'b.txt', line: 2, startLine: 1, side: 'new', body: 'Both?' }],
      },
    ]);
  });

  it('shows the severity of a fault, a fix as a suggestion, and what was not checked', async () => {
    const { call, hub } = await changed();
    const fault = {
      path: 'b.txt',
      line: 2,
      severity: 'high',
      body: 'Wrong.',
      suggestion: '```\n2',
    };
    const gone = { path: 'b.txt', line: 1, body: 'Not needed.', suggestion: '' };
    await call('submit_review', {
      summary: 'One fault.',
      comments: [fault, gone],
      not_checked: 'Nothing was run.',
    });
    expect(hub.reviews).toMatchObject([
      {
        summary: 'One fault.\n\n**Not checked:** Nothing was run.',
        remarks: [
          { body: '🔴 **High:** Wrong.\n\n````suggestion\n```\n2\n````' },
          { body: 'Not needed.\n\n```suggestion\n```' },
        ],
      },
    ]);
  });

  it('submits no suggestion of what is there already, nor for lines that are gone', async () => {
    const { call, hub } = await changed();
    const same = { path: 'b.txt', line: 2, start_line: 1, body: 'Hm.', suggestion: 'one\ntwo\n' };
    await expect(call('submit_review', { summary: 'No.', comments: [same] })).rejects.toThrow(
      'b.txt: the suggestion for line 1 to 2 is what is there already.',
    );
    await call('write_file', { path: 'a.txt', content: 'one\nthree\n' });
    await call('commit', { message: 'Remove two' });
    const gone = { path: 'a.txt', line: 2, side: 'old', body: 'Why?', suggestion: '2' };
    await expect(call('submit_review', { summary: 'No.', comments: [gone] })).rejects.toThrow(
      'suggestions are for new lines',
    );
    expect(hub.reviews).toEqual([]);
  });

  it('comments, unless its verdict is another one', async () => {
    const { call, hub } = await changed();
    await call('submit_review', { summary: 'Fine.' });
    await call('submit_review', { summary: 'Fine.', verdict: 'approve' });
    const fault = { path: 'b.txt', line: 2, severity: 'high', body: 'Wrong.' };
    await call('submit_review', {
      summary: 'One.',
      verdict: 'request_changes',
      comments: [fault],
    });
    expect(hub.reviews.map(({ verdict }) => verdict)).toEqual([
      'comment',
      'approve',
      'request_changes',
    ]);
  });

  it.each([
    [{ verdict: 'approve', not_checked: 'Nothing was run.' }, /leaves nothing unchecked/],
    [
      { verdict: 'approve', comments: [{ path: 'b.txt', line: 2, body: 'Why?' }] },
      /an approval has no comments/,
    ],
    [{ verdict: 'request_changes' }, /only for a fault of high severity/],
    [
      {
        verdict: 'request_changes',
        comments: [{ path: 'b.txt', line: 2, severity: 'low', body: 'Why?' }],
      },
      /only for a fault of high severity/,
    ],
  ])('submits no verdict that its words do not bear: %j', async (given, words) => {
    const { call, hub } = await changed();
    await expect(call('submit_review', { summary: 'No.', ...given })).rejects.toThrow(words);
    expect(hub.reviews).toEqual([]);
  });

  describe('that looks again', () => {
    const THREAD = {
      number: 1,
      root: 11,
      path: 'b.txt',
      line: 1,
      body: '🔴 **High:** Both?',
      isResolved: false,
      replies: [],
    };
    async function again(threads = [THREAD], path = 'b.txt') {
      const world = await changed();
      const news = new Map([[path, { old: new Set<number>(), new: new Set([2]) }]]);
      world.hub.lookingAgain = { news, threads };
      return world;
    }

    it('comments on new lines only, and says nothing twice', async () => {
      const { call, hub } = await again();
      const old = { path: 'b.txt', line: 1, body: 'Why?' };
      await expect(call('submit_review', { summary: 'No.', comments: [old] })).rejects.toThrow(
        'b.txt: nothing there is new since your last review: comment only on what is new.',
      );
      const said = { path: 'b.txt', line: 2, severity: 'high', body: 'both' };
      const fresh = { path: 'b.txt', line: 2, start_line: 1, body: 'Neither.' };
      await call('submit_review', { summary: 'One.', comments: [said, fresh] });
      expect(hub.reviews).toMatchObject([{ remarks: [{ body: 'Neither.' }] }]);
    });

    it('posts nothing if there is nothing to say, and takes settled threads along', async () => {
      const { call, hub } = await again();
      const result = await call('submit_review', { summary: 'Fine.', settled: [1] });
      expect(result.output).toBe('There was nothing to say, so nothing was posted.');
      expect(result.effects).toMatchObject([{ type: 'review', comments: 0 }, { type: 'finish' }]);
      expect(hub.reviews).toMatchObject([{ remarks: [], settled: [1] }]);
    });

    it('settles no thread of others, nor one that nothing happened to', async () => {
      const { call } = await again([THREAD], 'other.txt');
      await expect(call('submit_review', { summary: 'Fine.', settled: [2] })).rejects.toThrow(
        'You have no thread 2.',
      );
      await expect(call('submit_review', { summary: 'Fine.', settled: [1] })).rejects.toThrow(
        'Thread 1 is not settled: its file is as it was, and nobody replied.',
      );
    });

    it('takes a thread that is resolved for settled: a call that is repeated after a crash is the same', async () => {
      const { call, hub } = await again([{ ...THREAD, isResolved: true }], 'other.txt');
      await call('submit_review', { summary: 'Fine.', settled: [1] });
      expect(hub.reviews).toHaveLength(1);
    });
  });

  it('submits nothing if files were changed, which no review publishes', async () => {
    const { call, hub } = await changed();
    await call('write_file', { path: 'a.txt', content: 'one\n' });
    await expect(call('submit_review', { summary: 'I fixed a.' })).rejects.toThrow(
      'Nothing was submitted: you changed a.txt, and a review publishes no changes. Call finish and put the review into its summary, or undo them.',
    );
    expect(hub.reviews).toEqual([]);
  });

  it.each([
    [
      { path: 'b.txt', line: 3 },
      /b\.txt: line 3 of the new side is not in the diff, which has 1-2/,
    ],
    [{ path: 'b.txt', line: 1, start_line: 2 }, /lines 2 to 1/],
    [{ path: 'b.txt', line: 1, side: 'old' }, /shows no lines of the old side/],
    [{ path: 'a.txt', line: 1 }, /does not change this file/],
  ])('submits nothing with a comment at %j', async (place, words) => {
    const { call, hub } = await changed();
    const comments = [{ ...place, body: 'Why?' }];
    const failure = call('submit_review', { summary: 'No.', comments });
    await expect(failure).rejects.toThrow(TellModel);
    await expect(failure).rejects.toThrow(words);
    expect(hub.reviews).toEqual([]);
  });
});
