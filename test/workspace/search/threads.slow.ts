import { describe, expect, it } from '@jest/globals';
import { SearchThreads } from '../../../src/workspace/search/lines/search-threads.ts';
import { never, searchIn, shortly } from './support.ts';
import { WorkspaceSearch } from '../../../src/workspace/search/search.ts';
import { makePlace } from '../../../src/workspace/search/place.ts';

const SEED = Object.fromEntries(
  Array.from({ length: 3000 }, (_, index) => [
    `d${index % 30}/f${index}.txt`,
    `first\nneedle ${index}\nlast\n`,
  ]),
);
const HANGING = { 'a.txt': `${'a'.repeat(5000)}\n` };
const HANG = '(a+)+b';

describe('a search on several threads', () => {
  it('answers the same as on one thread, even if it stops early', async () => {
    const { root, grep: onTwo } = searchIn(SEED, { threads: new SearchThreads({ size: 2 }) });
    const { grep: onOne } = shortly(
      new WorkspaceSearch(makePlace(root), new SearchThreads({ size: 1, maxSilenceMs: 30_000 })),
    );
    const whole = await onOne('needle \\d+', { maxMatches: 5000 });
    expect(whole.found).toHaveLength(3000);
    expect(await onTwo('needle \\d+', { maxMatches: 5000 })).toEqual(whole);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { found, ended } = await onTwo('needle', { maxMatches: 300 });
      expect(ended).toBe('too many');
      expect(found.slice(0, 300)).toEqual(whole.found.slice(0, 300));
    }
  });

  it('lets many searches at once take their turns', async () => {
    const { grep } = searchIn(SEED, { threads: new SearchThreads({ size: 2 }) });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => grep(`needle ${index}$`)),
    );
    expect(answers.map(({ found }) => found[0]?.lines[0]?.text)).toEqual(
      Array.from({ length: 20 }, (_, index) => `needle ${index}`),
    );
  });
});

describe('a search that goes astray', () => {
  it('is given up, and the threads serve those who wait', async () => {
    const threads = new SearchThreads({ size: 1 });
    const { grep: hang } = searchIn(HANGING, { threads });
    const { grep } = searchIn(SEED, { threads });
    const [astray, ...others] = await Promise.all([
      hang(HANG),
      grep('needle 7$'),
      hang(HANG),
      grep('needle 8$'),
    ]);
    expect(astray.ended).toBe('too slow');
    expect(others.map(({ ended }) => ended)).toEqual(['complete', 'too slow', 'complete']);
  });

  it('ends with its signal at once, with the reason of it', async () => {
    const threads = new SearchThreads({ size: 1, maxSilenceMs: 2 ** 31 - 1 });
    const { search } = searchIn(HANGING, { threads });
    const stop = new AbortController();
    const request = { pattern: HANG, ignoreCase: false, path: '.', context: 0, maxMatches: 9 };
    const running = search.grep(request, stop.signal);
    const waiting = search.grep(request, stop.signal);
    stop.abort(new Error('stopped by a person'));
    await expect(running).rejects.toThrow('stopped by a person');
    await expect(waiting).rejects.toThrow('stopped by a person');
  });
});

describe('the threads', () => {
  it('serve again after they were ended', async () => {
    const threads = new SearchThreads({ size: 2 });
    const { grep, search } = searchIn(SEED, { threads });
    await grep('needle');
    await threads.endIdle();
    expect((await grep('needle 5$')).found).toHaveLength(1);
    await threads.endIdle();
    await expect(
      search.find({ glob: '*', path: '.', order: 'path', limit: 1 }, never),
    ).resolves.toMatchObject({ total: 3000 });
  });
});
