import { describe, expect, it } from '@jest/globals';
import { Limits } from '../src/github/limits.ts';
import { GitHubError } from '../src/github/github-error.ts';

const INSTALLATION = 1;

/** Begins and ends so many requests at once; returns the first error. */
function make(limits: Limits, count: number, weight: 'read' | 'write' | 'content', status = 200) {
  for (let made = 0; made < count; made += 1)
    try {
      limits.begin(INSTALLATION, weight);
      limits.end(INSTALLATION, status);
    } catch (error) {
      if (error instanceof GitHubError) return { made, error };
      throw error;
    }
  return { made: count, error: undefined };
}

describe('the limits of the local GitHub', () => {
  it('refuse new content after 80 requests in a minute, in the words of GitHub', () => {
    const limits = new Limits({});
    const { made, error } = make(limits, 100, 'content');
    expect(made).toBe(80);
    expect(error).toMatchObject({ status: 403, headers: { 'retry-after': '60' } });
    expect(error?.body()).toMatchObject({
      message: expect.stringContaining('exceeded a secondary rate limit'),
      documentation_url: expect.stringContaining('#about-secondary-rate-limits'),
    });
    expect(limits.refusals).toMatchObject([{ limit: 'content' }]);
    expect(make(limits, 1, 'read').error).toBeUndefined();
  });

  it('refuse what is more than 900 points in a minute, of which a write takes five', () => {
    const limits = new Limits({});
    expect(make(limits, 100, 'write').made).toBe(100);
    expect(make(limits, 1_000, 'read')).toMatchObject({ made: 400, error: { status: 429 } });
  });

  it('count requests by the hour, and say in headers how many are left', () => {
    const limits = new Limits({ requests: 100 });
    make(limits, 40, 'read');
    // What is unchanged is free.
    make(limits, 40, 'read', 304);
    const headers = limits.headers(INSTALLATION);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '60' });
    expect(Number(headers['x-ratelimit-reset']) * 1000 - Date.now()).toBeGreaterThan(3_590_000);
    expect(make(limits, 100, 'read')).toMatchObject({ made: 60, error: { status: 403 } });
    expect(limits.headers(INSTALLATION)).toMatchObject({ 'x-ratelimit-remaining': '0' });
  });

  it('allow no more than a hundred requests at the same time', () => {
    const limits = new Limits({});
    for (let open = 0; open < 100; open += 1) limits.begin(INSTALLATION, 'read');
    expect(() => limits.begin(INSTALLATION, 'read')).toThrow(GitHubError);
    limits.end(INSTALLATION, 200);
    expect(() => limits.begin(INSTALLATION, 'read')).not.toThrow();
  });

  it('have shorter hours for a bench', () => {
    const limits = new Limits({ timesFaster: 60 });
    const { error } = make(limits, 100, 'content');
    expect(error).toMatchObject({ headers: { 'retry-after': '1' } });
    const reset = Number(limits.headers(INSTALLATION)['x-ratelimit-reset']) * 1000 - Date.now();
    expect(reset).toBeLessThanOrEqual(61_000);
  });
});
