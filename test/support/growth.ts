import { computingMs, stopwatch } from './computing.ts';

const TIMES = 8;
/** What is linear takes 8 times as long for 8 times the size, what is quadratic 64 times: near the middle. */
const MOST = TIMES * 3;
/** Less than this, a measurement says more of the machine than of the code. */
const LEAST_MS = 4;
const TRIES = 5;

/**
 * Fails if `work` takes more than its share for a larger `size`: its processor time at `size` is
 * compared with that at an eighth of it. Others on the machine and the garbage collector can make any
 * one measurement longer, so a bad one is taken again; what is quadratic is so every time.
 */
export function expectLinear(work: (size: number) => void, size: number): void {
  for (const long of sizesUpTo(size)) {
    let growth = Infinity;
    for (let tries = 0; tries < TRIES && growth >= MOST; tries += 1) {
      const longMs = computingMs(() => work(long));
      growth = isShort(longMs)
        ? 0
        : Math.min(
            growth,
            timesAsLong(
              longMs,
              computingMs(() => work(long / TIMES)),
            ),
          );
    }
    assertLittle(growth);
  }
}

/** The same of work that waits. What else this thread does meanwhile counts. */
export async function expectLinearWork(
  work: (size: number) => Promise<unknown>,
  size: number,
): Promise<void> {
  const measure = async (length: number): Promise<number> => {
    const taken = stopwatch();
    await work(length);
    return taken();
  };
  for (const long of sizesUpTo(size)) {
    let growth = Infinity;
    for (let tries = 0; tries < TRIES && growth >= MOST; tries += 1) {
      const longMs = await measure(long);
      growth = isShort(longMs)
        ? 0
        : Math.min(growth, timesAsLong(longMs, await measure(long / TIMES)));
    }
    assertLittle(growth);
  }
}

/** Small ones first: what is cubic fails there, and at the whole size would not end within hours. */
const sizesUpTo = (size: number): readonly number[] => [size / TIMES, size];

const isShort = (ms: number): boolean => ms < LEAST_MS * MOST;

const timesAsLong = (longMs: number, shortMs: number): number =>
  longMs / Math.max(shortMs, LEAST_MS);

function assertLittle(growth: number): void {
  if (growth < MOST) return;
  throw new Error(
    `${TIMES} times the size took ${growth.toFixed(1)} times as long, ${TRIES} times`,
  );
}
