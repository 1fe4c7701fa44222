// When faults happen: at an entry of the journal, or with the n-th request.
import type {
  Distortion,
  DistortionOrder,
} from '../../../packages/local-github/src/distortions.ts';
import { DidNotHappen, type Length, type Strike } from '../fault.ts';
import { JournalGate } from '../journal-gate.ts';
import { TALES, type Tale } from '../tales.ts';
import type { World } from '../world.ts';

export type Arm = (world: World) => Promise<Strike>;

/** `count` numbers from 1 to `last`, evenly. */
export const spread = (count: number, last: number): number[] => [
  ...new Set(Array.from({ length: count }, (_none, at) => 1 + Math.floor((at * last) / count))),
];

/** `count` entries of each story, evenly. */
export const inEachTale = (
  lengthOf: (tale: Tale) => Length,
  count: number,
): { readonly tale: Tale; readonly seq: number }[] =>
  TALES.flatMap((tale) => spread(count, lengthOf(tale).entries).map((seq) => ({ tale, seq })));

/** Does `work` while a service waits in the statement that writes the entry. */
export const atEntry =
  (seq: number, work: (world: World, gate: JournalGate) => Promise<void>): Arm =>
  async (world) => {
    const gate = await JournalGate.close(world, `new.seq = ${seq}`);
    return async (over) => {
      try {
        await gate.reached(over);
        await work(world, gate);
      } finally {
        await gate.open();
      }
    };
  };

/** Resolves when `happened` says so. It is asked after every change of the local GitHub. */
export async function untilHappened(
  { stage }: World,
  over: AbortSignal,
  happened: () => boolean,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  over.addEventListener('abort', () => resolve());
  const stop = stage.github.onChange(() => (happened() ? resolve() : undefined));
  if (!happened() && !over.aborted) await promise;
  stop();
  if (!happened()) throw new DidNotHappen('there was no such request');
}

const distorted =
  (of: (world: World) => World['stage']['model']['distortions'], order: DistortionOrder): Arm =>
  async (world) => {
    const done = of(world).add(order);
    return (over) => untilHappened(world, over, () => done.count > 0);
  };

/** The n-th request to GitHub that is no `GET` takes effect, and its answer is distorted. */
export const onWrite = (nth: number, how: Distortion, times = 1): Arm =>
  distorted(({ stage }) => stage.github.faults.distortions, {
    how,
    matches: (method) => method !== 'GET',
    after: nth - 1,
    times,
  });

/** The n-th request to GitHub. */
export const onRequest = (nth: number, how: Distortion, times = 1): Arm =>
  distorted(({ stage }) => stage.github.faults.distortions, {
    how,
    matches: () => true,
    after: nth - 1,
    times,
  });

/** The n-th reply of the model. Its list of models is asked for by `GET`. */
export const onReply = (nth: number, how: Distortion, times = 1): Arm =>
  distorted(({ stage }) => stage.model.distortions, {
    how,
    matches: (method) => method === 'POST',
    after: nth - 1,
    times,
  });
