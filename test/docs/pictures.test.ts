import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { movingPicture, secondsOfFrames } from '../pictures/moving-picture.ts';

const PAGES = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
const shown = PAGES.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/\]\((?:docs\/)?images\/([\w-]+\.png)\)/g)].map(
    ([, name = '']) => name,
  ),
);

describe('the pictures of the guide', () => {
  it('are all there, and each is shown', () => {
    expect([...new Set(shown)].toSorted()).toEqual(readdirSync('docs/images').toSorted());
  });

  it('describe what they show', () => {
    for (const page of PAGES)
      for (const [, words = ''] of readFileSync(page, 'utf8').matchAll(/!\[([^\]]*)\]/g))
        expect({ page, words }).toEqual({ page, words: expect.stringMatching(/\w+ \w+ \w+/) });
  });
});

describe('the moving picture of the README', () => {
  const seconds = secondsOfFrames(readFileSync('docs/images/story.png'));

  it('tells its story in ten seconds', () => {
    expect(seconds).toHaveLength(9);
    expect(Math.min(...seconds)).toBeGreaterThan(0);
    expect(seconds.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(10);
  });

  it('is read as it is made', () => {
    const png = readFileSync('docs/images/setup.png');
    const frames = [1.8, 0.5].map((each) => ({ png, seconds: each }));
    expect(secondsOfFrames(movingPicture(frames))).toEqual([1.8, 0.5]);
  });
});
