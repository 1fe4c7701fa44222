import { describe, expect, it } from '@jest/globals';
import { sanitise } from '../../src/lib/sanitise.ts';
import { hostPolicy } from '../../src/lib/sanitise/links.ts';
import { visible } from '../../src/lib/visible.ts';
import { expectHidden } from './expect-hidden.ts';
import { deep, MARKER, mix, WAYS } from './mixes.ts';

const PUBLIC = { mentions: ['me'], closes: 7, links: hostPolicy(['github.com']) };
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

  it('are published the same however often they are cleaned', () => {
    for (const seed of SEEDS.slice(0, 1000)) {
      const once = sanitise(mix(seed).text, PUBLIC);
      expect(sanitise(once, PUBLIC)).toBe(once);
    }
  });
});
