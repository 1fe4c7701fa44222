import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Scene } from '../e2e/scene.ts';
import { ReorderingProxy, type Randomness } from './reordering-proxy.ts';
import { scriptOf, Scenario, type End } from './scenario.ts';

const AT_ONCE = 6;
/** Six scenarios at once on a busy machine: a step may be slow, but none may hang. */
const PATIENCE_MS = 120_000;

/** Plays one scenario for each seed, several at once, and compares each with the one delivered in order. */
export function describeShuffledEvents(seeds: readonly number[], timeoutMs: number): void {
  describe('webhooks delivered together, in any order, some of them twice', () => {
    let scene: Scene;
    let proxy: ReorderingProxy;
    beforeAll(async () => {
      scene = await Scene.open({
        scripts: ['Nobody', ...seeds.map(nameOf)].map(scriptOf),
        patienceMs: PATIENCE_MS,
      });
      proxy = await ReorderingProxy.start(`${scene.stage.serviceUrl}/api/github/webhooks`);
      scene.github.setWebhookUrl(proxy.url);
    }, 60_000);
    afterAll(async () => {
      await scene.close();
      await proxy.close();
    });

    it(
      'lead to the same end',
      async () => {
        const play = (name: string, random?: Randomness): Promise<End> =>
          new Scenario(scene, proxy, name, random).play();
        const expected = await play('Nobody');
        expect(expected).toEqual(END);
        const left = [...seeds];
        const work = async (): Promise<void> => {
          for (let seed = left.shift(); seed !== undefined; seed = left.shift())
            expect({ seed, ...(await play(nameOf(seed), randomnessOf(seed))) }).toEqual({
              seed,
              ...expected,
            });
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
        expect(new Set(proxy.statuses)).toEqual(new Set([202]));
      },
      timeoutMs,
    );
  });
}

const nameOf = (seed: number): string => `Seed ${seed}`;

const END: End = {
  issue: 'closed',
  pull: 'merged',
  comments: ['question', 'status'],
  commits: ['Add two', 'Add one'],
  pushes: 1,
  inThreads: [['Seen.'], ['Seen.']],
  told: ['says after', 'says answer', 'says before', 'says line', 'says other line', 'says review'],
  replies: 3,
};

/** Mulberry32: small, and the same everywhere. */
function randomnessOf(seed: number): Randomness {
  let state = seed;
  return {
    below: (below) => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    },
  };
}
