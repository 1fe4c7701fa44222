import { describe, expect, it } from '@jest/globals';
import { networkOf, RateLimit } from '../../../src/web/people/rate-limit.ts';

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

describe('who is counted together', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:DB8:1:2:ffff::1', '2001:db8:1:2'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2'],
    ['[2001:db8:1:2::5]:4711', '2001:db8:1:2'],
    ['[2001:db8:1:2::5]', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1.2.3.4', '0:0:0:0'],
    ['', ''],
    [undefined, ''],
    ['unknown', ''],
    ['_hidden', ''],
    ['192.0.2', ''],
    ['192.0.2.7.1', ''],
    ['2001:db8', ''],
    [`${'1'.repeat(10_000)}`, ''],
    ['for=192.0.2.7', ''],
    ['[]', ''],
    ['[x]:1', ''],
  ])('%s is of "%s"', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
