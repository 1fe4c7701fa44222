import type { RequestLimiter } from '../../github/requests/write-room.ts';
import type { Writer } from '../../lib/write-budget.ts';
import type { Store } from '../../store/store.ts';

type Writes = Pick<
  Store,
  'reserveWrites' | 'takeWrite' | 'writeMade' | 'releaseWrites' | 'pauseRequests' | 'spendPoints'
>;

/** A pause that GitHub asks for, shared by all processes, where GitHub has no other limits (`CONTENT_LIMITS=none`). */
export const pauseIn =
  (store: Pick<Store, 'requestPause' | 'pauseRequests'>) =>
  (installation: number, writer: Writer): RequestLimiter => ({
    ...writer,
    reserve: () => store.requestPause(installation),
    // Whoever takes one has asked for the pause just before.
    take: () => Promise.resolve({ made: () => Promise.resolve() }),
    release: () => Promise.resolve(),
    spend: async () => ({ waitMs: 0, pausedMs: await store.requestPause(installation) }),
    pause: (ms) => store.pauseRequests(installation, ms),
  });

/** Room to write, shared by all processes: what each writer of an installation gets, in order. */
export const requestLimiterIn =
  (store: Writes) =>
  (installation: number, writer: Writer): RequestLimiter => ({
    ...writer,
    reserve: (writes) => store.reserveWrites(installation, writer, writes),
    take: async () => {
      const taken = await store.takeWrite(installation, writer);
      return 'waitMs' in taken ? taken : { made: () => store.writeMade(taken.write) };
    },
    release: () => store.releaseWrites(installation, writer.holder),
    spend: (points) => store.spendPoints(installation, points),
    pause: (ms) => store.pauseRequests(installation, ms),
  });
