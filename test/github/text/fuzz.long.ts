import { expect, it } from '@jest/globals';
import { fuzz } from './fuzz.ts';

const TEXTS = 50_000;

it(`${TEXTS} texts are read without what people do not see`, () => {
  const { leaks, shown, lost } = fuzz(Date.now() % 1_000_000_000, TEXTS);
  process.stdout.write(`${lost} of ${shown} shown words were not read\n`);
  expect(leaks).toEqual([]);
}, 3_600_000);
