import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Scene } from '../e2e/scene.ts';
import { Postman, type Lot } from './postman.ts';
import { scriptOf, Tale, type End } from './tale.ts';

const AT_ONCE = 6;
/** Six at once on a busy machine: each step of a tale may take its time, none may hang. */
const PATIENCE_MS = 120_000;

/** Plays a tale for each seed, some at once, and compares with one in which all came in its order. */
export function describeDisorder(seeds: readonly number[], timeoutMs: number): void {
  describe('deliveries in flight together, in any order, some of them twice', () => {
    let scene: Scene;
    let postman: Postman;
    beforeAll(async () => {
      scene = await Scene.open({
        scripts: ['Nobody', ...seeds.map(nameOf)].map(scriptOf),
        patienceMs: PATIENCE_MS,
      });
      postman = await Postman.start(`${scene.stage.serviceUrl}/api/github/webhooks`);
      scene.github.setWebhookUrl(postman.url);
    }, 60_000);
    afterAll(async () => {
      await scene.close();
      await postman.close();
    });

    it(
      'lead to the same end',
      async () => {
        const play = (name: string, lot?: Lot): Promise<End> =>
          new Tale(scene, postman, name, lot).play();
        const expected = await play('Nobody');
        expect(expected).toEqual(END);
        const left = [...seeds];
        const work = async (): Promise<void> => {
          for (let seed = left.shift(); seed !== undefined; seed = left.shift())
            expect({ seed, ...(await play(nameOf(seed), lotOf(seed))) }).toEqual({
              seed,
              ...expected,
            });
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
        expect(new Set(postman.statuses)).toEqual(new Set([202]));
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
  told: ['says after', 'says answer', 'says before', 'says review'],
  replies: 3,
};

/** Mulberry32: small, and the same everywhere. */
function lotOf(seed: number): Lot {
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
