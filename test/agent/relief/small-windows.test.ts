import { describe, expect, it } from '@jest/globals';
import { FACTS, playReading } from '../../support/reading-task.ts';

const WINDOWS = [8_192, 16_384, 32_768];

describe('a task that reads 141 kB', () => {
  it.each(WINDOWS)('ends in a window of %i tokens', async (window) => {
    const { largest, ...figures } = await playReading({ window });
    expect(figures).toMatchObject({ end: { kind: 'finished' }, facts: FACTS, rejected: 0 });
    expect(largest).toBeLessThanOrEqual(window);
  });

  it.each(WINDOWS)('ends in a window of %i tokens that only its server knows', async (window) => {
    const figures = await playReading({ window, isUnknown: true });
    expect(figures).toMatchObject({ end: { kind: 'finished' }, facts: FACTS, rejected: 1 });
  });
});
