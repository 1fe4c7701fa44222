import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import nock from 'nock';
import { MissedWorld, type Deed, type Phase } from './missed-world.ts';

/** Each of them sends one webhook or more. */
const DEEDS = 200;
/** Some are impossible when their turn comes, as is closing what is closed. */
const CHOICES = 2 * DEEDS;

const kinds = fc.oneof(
  { weight: 2, arbitrary: fc.constant('open' as const) },
  { weight: 4, arbitrary: fc.constant('label' as const) },
  { weight: 6, arbitrary: fc.constant('say' as const) },
  fc.constantFrom(
    'unlabel' as const,
    'assign' as const,
    'unassign' as const,
    'close' as const,
    'reopen' as const,
  ),
  { weight: 2, arbitrary: fc.constantFrom('review' as const, 'review' as const, 'merge' as const) },
);
const deed: fc.Arbitrary<Deed> = fc.record({
  kind: kinds,
  nth: fc.nat({ max: 40 }),
  word: fc.nat({ max: 999 }),
});

/** The service is up, then it is not, and so on: each for one to ten deeds. */
const stretch = fc.record({
  length: fc.integer({ min: 1, max: 10 }),
  outage: fc.constantFrom<Phase>('down', 'down', 'suspended'),
});

function phasesOf(seed: number): readonly Phase[] {
  const stretches = fc.sample(stretch, { seed, numRuns: DEEDS });
  return stretches.flatMap(({ length, outage }, at) =>
    Array.from({ length }, () => (at % 2 === 0 ? 'up' : outage)),
  );
}

async function play(choices: readonly Deed[], phaseAt: (at: number) => Phase) {
  const world = await MissedWorld.open();
  try {
    let done = 0;
    for (const one of choices) if (done < DEEDS && (await world.do(one, phaseAt(done)))) done += 1;
    expect(done).toBe(DEEDS);
    await world.end();
    return await world.told();
  } finally {
    await world.close();
  }
}

/** Each: the same deeds in two worlds, one of which has outages. */
export function describeMissed(seeds: readonly number[]): void {
  describe('200 events, half of them while the service is down or suspended', () => {
    beforeAll(() => {
      nock.restore();
      // Only the clock is faked: people act with seconds between.
      jest.useFakeTimers({
        doNotFake: [
          'hrtime',
          'nextTick',
          'performance',
          'queueMicrotask',
          'setImmediate',
          'clearImmediate',
          'setInterval',
          'clearInterval',
          'setTimeout',
          'clearTimeout',
        ],
      });
    });
    afterAll(() => void jest.useRealTimers());

    it.each(seeds)(
      'lead to the end to which they lead if none is missed (seed %i)',
      async (seed) => {
        const choices = fc.sample(deed, { seed, numRuns: CHOICES });
        const phases = phasesOf(seed);
        const expected = await play(choices, () => 'up');
        expect(expected.length).toBeGreaterThan(5);
        expect(await play(choices, (at) => phases[at] ?? 'up')).toEqual(expected);
      },
      300_000,
    );
  });
}
