// What time it is for all processes: the database's time, since the clocks of machines differ, and jump. How long something
// takes in one process is measured with `performance.now()`, which no change of a machine's clock alters.

/** Milliseconds from a process's own clock to the database's; `undefined` in a process that has none. */
let ahead: number | undefined;

/** Longer than a database takes to say the time, unless it is busy: then its answer is old. */
const LONGEST_ANSWER_MS = 2_000;

/**
 * Milliseconds since 1970 by the clock of the database, from a monotonic clock in between. A process without a database has
 * the clock of its machine.
 */
export const sharedNow = (): number =>
  ahead === undefined ? Date.now() : performance.now() + ahead;

export const sharedTime = (): Date => new Date(sharedNow());

/** Asks the database what time it is. Called every second, because its clock may be set, and this machine may have been suspended. */
export async function followClock(ask: () => Promise<number>): Promise<void> {
  const before = performance.now();
  const at = await ask();
  const after = performance.now();
  if (ahead !== undefined && after - before > LONGEST_ANSWER_MS) return;
  ahead = at - (before + after) / 2;
}
