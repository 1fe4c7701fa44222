import { describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { rangesOf, shownLines } from '../../src/tools/git/diff-text.ts';
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
