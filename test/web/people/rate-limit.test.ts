import { describe, expect, it } from '@jest/globals';
import { RateLimit } from '../../../src/web/people/rate-limit.ts';

describe('a limit of requests', () => {
  it('counts each person apart, and begins again after a minute', () => {
    let now = 5_000;
    const limit = new RateLimit(2, () => now);
    expect(['a', 'a', 'a', 'b'].map((who) => limit.take(who))).toEqual([
      undefined,
      undefined,
      60,
      undefined,
    ]);
    now += 45_500;
    expect(limit.take('a')).toBe(15);
    now += 14_500;
    expect(limit.take('a')).toBeUndefined();
  });

  it('remembers no more than ten thousand, and holds all others together to it', () => {
    const limit = new RateLimit(2, () => 0);
    for (let one = 0; one < 10_000; one += 1) expect(limit.take(`known ${one}`)).toBeUndefined();
    const others = [1, 2, 3].map((one) => limit.take(`other ${one}`));
    expect(others).toEqual([undefined, undefined, 60]);
    expect(limit.take('known 7')).toBeUndefined();
  });
});
