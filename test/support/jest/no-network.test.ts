import { describe, expect, it } from '@jest/globals';

describe('a test', () => {
  it('reaches nothing but loopback', async () => {
    await expect(fetch('http://192.0.2.1/')).rejects.toThrow();
    const cause = await fetch('http://192.0.2.1/').catch((error: unknown) => error);
    expect(String((cause as { cause?: unknown }).cause)).toContain('only loopback is allowed');
  });
});
