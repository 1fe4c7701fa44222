import { describe, expect, it } from '@jest/globals';
import { hearLimits, newPace, takeTurn } from '../../src/github/requests/request-pace.ts';

const SECOND = 1_000;
const NOW = Date.UTC(2030, 0, 15);

const headers = (remaining: number, resource = 'core') => ({
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(NOW / SECOND + 1_800),
  'x-ratelimit-resource': resource,
});

describe('the hour of requests', () => {
  it('delays nothing while most of it is left', () => {
    const pace = newPace();
    hearLimits(pace, headers(1_001));
    expect([0, 1, 2].map(() => takeTurn(pace, NOW))).toEqual([0, 0, 0]);
  });

  it('is spread over its rest once few are left, one after the other', () => {
    const pace = newPace();
    hearLimits(pace, headers(600));
    // Half an hour for 600: one in three seconds.
    expect([0, 1, 2].map(() => takeTurn(pace, NOW))).toEqual([0, 3 * SECOND, 6 * SECOND]);
    hearLimits(pace, headers(1));
    expect(takeTurn(pace, NOW)).toBe(9 * SECOND);
    expect(takeTurn(pace, NOW)).toBe(60 * SECOND);
    // The next hour.
    expect(takeTurn(pace, NOW + 1_800 * SECOND)).toBe(0);
  });

  it('is not that of searches or GraphQL', () => {
    const pace = newPace();
    hearLimits(pace, headers(0, 'graphql'));
    hearLimits(pace, {});
    expect(pace.left).toBeUndefined();
  });
});
