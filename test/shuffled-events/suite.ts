import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Scene } from '../e2e/scene.ts';
import { ModelEndpoint } from './model-endpoint.ts';
import { CONTRIBUTOR, FRIEND, NO_SCRIPTS } from './place.ts';
import { randomnessOf } from './randomness.ts';
import { ReorderingProxy } from './reordering-proxy.ts';
import { Scenario, type Kind, type Parts, type Played } from './scenario.ts';
import { SessionWatch } from './session-watch.ts';

const AT_ONCE = 6;
/** Six scenarios at once on a busy machine: a step may be slow, but none may hang. */
const PATIENCE_MS = 120_000;

const WORK: Readonly<Record<Kind, string>> = {
  issue: 'an issue',
  stack: 'two issues, one on top of the other',
  branch: 'the pull request of someone else',
  fork: 'a pull request from a fork',
};

/** Plays one scenario for each seed, several at once, on one service. */
export function describeShuffledEvents(
  kind: Kind,
  seeds: readonly number[],
  timeoutMs: number,
): void {
  describe(`events of the work on ${WORK[kind]}, delivered late, in any order, some of them twice (seeds ${seeds[0]} to ${seeds.at(-1)})`, () => {
    let parts: Parts;
    beforeAll(async () => {
      parts = await open();
    });
    afterAll(async () => {
      const { scene, proxy, model, watch } = parts;
      await watch.close();
      await scene.close();
      await Promise.all([proxy.close(), model.close()]);
    });

    it(
      'lose nothing, and cause nothing twice',
      async () => {
        const left = [...seeds];
        const played: (Played & { readonly seed: number })[] = [];
        const work = async (): Promise<void> => {
          for (let seed = left.shift(); seed !== undefined; seed = left.shift())
            played.push({ seed, ...(await playedWith(parts, kind, seed)) });
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
        tell(parts, played);
        expect(played.filter(({ faults }) => faults.length > 0)).toEqual([]);
        expect([...parts.proxy.statuses.keys()]).toEqual([202]);
      },
      timeoutMs,
    );
  });
}

async function open(): Promise<Parts> {
  const model = await ModelEndpoint.start();
  const scene = await Scene.open({
    scripts: NO_SCRIPTS,
    people: [FRIEND, CONTRIBUTOR],
    patienceMs: PATIENCE_MS,
    granted: { checks: 'read', statuses: 'read', actions: 'read' },
    environment: { OPENAI_BASE_URL: model.url },
  });
  const proxy = await ReorderingProxy.start(`${scene.stage.serviceUrl}/api/github/webhooks`);
  scene.github.appOwner.webhookUrl = proxy.url;
  const watch = await SessionWatch.open(scene.databaseUrl, PATIENCE_MS);
  return { scene, proxy, model, watch };
}

async function playedWith(parts: Parts, kind: Kind, seed: number): Promise<Played> {
  try {
    return await Scenario.play(parts, kind, `Seed ${seed}`, randomnessOf(seed));
  } catch (error) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { faults: [words], rounds: 0, pushes: 0 };
  }
}

function tell({ proxy, scene }: Parts, played: readonly Played[]): void {
  const sum = (of: (one: Played) => number): number =>
    played.reduce((total, one) => total + of(one), 0);
  const events = scene.github.deliveries.length;
  const deliveries = [...proxy.statuses.values()].reduce((total, one) => total + one, 0);
  process.stderr.write(
    `${played.length} seeds: ${events} events in ${deliveries} deliveries, ` +
      `${sum(({ rounds }) => rounds)} rounds, ${sum(({ pushes }) => pushes)} pushes\n`,
  );
}
