import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

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
