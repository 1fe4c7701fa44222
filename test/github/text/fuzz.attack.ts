import { expect, it } from '@jest/globals';
import { hasCmark } from '../../support/rendered-markdown.ts';
import { fuzz } from './fuzz.ts';

const test = hasCmark ? it : it.skip;

test('500 texts are read without what people do not see', () => {
  expect(fuzz(1, 500).leaks).toEqual([]);
});
