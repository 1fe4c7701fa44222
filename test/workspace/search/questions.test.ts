import { describe, expect, it } from '@jest/globals';
import { installedSets, scoreSet } from '../../../bench/tools/questions.ts';

describe.each(installedSets())('questions about $name', (set) => {
  it('find the right file among the first five and name the right function, in 1,500 tokens', async () => {
    const score = await scoreSet(set);
    expect(score.questions).toBe(20);
    expect(score.found).toBeGreaterThanOrEqual(18);
    expect(score.named).toBeGreaterThanOrEqual(16);
    expect(score.mostTokens).toBeLessThanOrEqual(1500);
  });
});
