import { it } from '@jest/globals';
import { expectHidden } from './expect-hidden.ts';
import { mix } from './mixes.ts';

const TEXTS = 200_000;

it(`${TEXTS} mixes of ways of hiding show the model nothing that people do not see`, () => {
  for (let seed = 1_000_000; seed < 1_000_000 + TEXTS; seed += 1) expectHidden(mix(seed).text);
}, 600_000);
