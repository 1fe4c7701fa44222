import { describe, expect, it } from '@jest/globals';
import type { FileDiff } from '../../src/contracts/git.ts';
import { newLinesSince, onlyNews } from '../../src/tools/git/diffs.ts';

const file = (hunks: string, path = 'a.js'): FileDiff => ({ path, status: 'modified', hunks });
const newIn = (before: string, now: string) => {
  const found = newLinesSince([file(before)], [file(now)]).get('a.js');
  return found && { old: [...found.old], new: [...found.new] };
};

describe('what is new in a change', () => {
  it('is a line that it did not add before, wherever the hunk is now', () => {
    const before = '@@ -1,2 +1,3 @@\n one\n+two\n three\n';
    const moved = '@@ -11,2 +11,4 @@\n one\n+two\n+two and a half\n three\n';
    expect(newIn(before, moved)).toEqual({ old: [], new: [13] });
    expect(newIn(before, before)).toBeUndefined();
  });

  it('is a line that it did not remove before, and one that it adds once more', () => {
    const before = '@@ -1,2 +1,2 @@\n one\n-two\n+2\n';
    const now = '@@ -1,3 +1,4 @@\n-one\n-two\n+2\n+2\n three\n four\n';
    expect(newIn(before, now)).toEqual({ old: [1], new: [2] });
  });

  it('is all of a file that was not changed before, and nothing of one that is not any more', () => {
    const hunks = '@@ -0,0 +1 @@\n+one\n';
    const found = newLinesSince([file(hunks)], [file(hunks, 'b.js')]);
    expect([...found.keys()]).toEqual(['b.js']);
  });

  it('follows a file to its new name', () => {
    const hunks = '@@ -1 +1,2 @@\n one\n+two\n';
    const renamed = { ...file(hunks, 'b.js'), from: 'a.js', status: 'renamed' } as const;
    expect(newLinesSince([file(hunks)], [renamed]).size).toBe(0);
  });

  it('is shown in its hunks alone', () => {
    const hunks = '@@ -1 +1,2 @@\n one\n+two\n@@ -9 +10,2 @@\n nine\n+ten\n';
    const before = '@@ -1 +1,2 @@\n one\n+two\n';
    const news = newLinesSince([file(before)], [file(hunks)]);
    expect(onlyNews([file(hunks), file(before, 'b.js')], news)).toEqual([
      file('@@ -9 +10,2 @@\n nine\n+ten\n'),
    ]);
  });
});
