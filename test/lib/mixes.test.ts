import { describe, expect, it } from '@jest/globals';
import { visible } from '../../src/lib/visible.ts';
import { expectHidden } from './expect-hidden.ts';
import { deep, MARKER, mix, WAYS } from './mixes.ts';

const SEEDS = Array.from({ length: 3000 }, (_none, index) => index + 1);

describe('ways of hiding, one in another', () => {
  it.each(WAYS)('$name in each of the others, and by itself', ({ breaks, hide }) => {
    for (const inner of [MARKER, ...WAYS.map((other) => other.hide(MARKER, 1))])
      if (!breaks.test(inner)) expectHidden(`Kingfisher\n\n${hide(inner, 2)}`);
  });

  it('hide nothing from people that the model is shown', () => {
    for (const seed of SEEDS) expectHidden(mix(seed).text);
  });

  it('may be sixteen deep', () => {
    for (const seed of SEEDS.slice(0, 200)) {
      const text = deep(seed, 16);
      expect(visible(text)).not.toContain(MARKER);
      expect(visible(visible(text))).toBe(visible(text));
    }
  });
});
