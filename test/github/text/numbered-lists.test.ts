import { expect, it } from '@jest/globals';
import { readHtml } from '../../../src/github/text/index.ts';

it.each([
  ['<ol start="2">\n<li>Large</li>\n<li>Green</li>\n</ol>', '2. Large\n3. Green'],
  ['<ol>\n<li>Large</li>\n</ol>', '1. Large'],
  ['<ol start="x">\n<li>Large</li>\n</ol>', '1. Large'],
])('a numbered list keeps the number that it begins with: %s', (html, expected) => {
  const { body, said } = readHtml(html);
  expect(body.replaceAll(/\n+/g, '\n')).toBe(expected);
  expect(said.lines).toEqual(expected.split('\n'));
});
