import { describe, expect, it } from '@jest/globals';
import { hearLimits, newPace, takeTurn } from '../../src/github/requests/request-pace.ts';

const SECOND = 1_000;
const PATIENCE = 65 * SECOND;
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
    expect([0, 1, 2].map(() => takeTurn(pace, PATIENCE, NOW))).toEqual([0, 0, 0]);
  });

  it('is spread over its rest once few are left, one after the other', () => {
    const pace = newPace();
    hearLimits(pace, headers(600));
    // Half an hour for 600: one in three seconds.
    expect([0, 1, 2].map(() => takeTurn(pace, PATIENCE, NOW))).toEqual([0, 3 * SECOND, 6 * SECOND]);
    hearLimits(pace, headers(1));
    expect(takeTurn(pace, PATIENCE, NOW)).toBe(9 * SECOND);
    // The next hour.
    expect(takeTurn(pace, PATIENCE, NOW + 1_800 * SECOND)).toBe(0);
  });

  it('gives no turn to who would have to wait for too long, and says when there is one', () => {
    const pace = newPace();
    hearLimits(pace, headers(1));
    expect([0, 1, 2, 3].map(() => takeTurn(pace, PATIENCE, NOW))).toEqual(
      [0, 60, 120, 120].map((seconds) => seconds * SECOND),
    );
    expect(takeTurn(pace, PATIENCE, NOW + 55 * SECOND)).toBe(65 * SECOND);
    const late = newPace();
    hearLimits(late, headers(1));
    // Not after the hour is over.
    expect(
      [1_700, 1_701, 1_702].map((at) => takeTurn(late, 200 * SECOND, NOW + at * SECOND)),
    ).toEqual([0, 59, 98].map((seconds) => seconds * SECOND));
  });

  it('is not that of searches or GraphQL', () => {
    const pace = newPace();
    hearLimits(pace, headers(0, 'graphql'));
    hearLimits(pace, {});
    expect(pace.left).toBeUndefined();
  });
});
