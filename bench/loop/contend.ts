// What a contender's process says of itself when it is done.
import type { Task } from './task.ts';

/** What is measured separately, in milliseconds. */
export interface Aside {
  /** What was done before the clock. */
  readonly prepared: number;
  readonly preparedCpu: number;
  /** What was spent on the journal, for each turn: from its reply to the next request. */
  readonly journal: readonly number[];
}

export interface Report extends Aside {
  /** Milliseconds of processor time, what was prepared included. */
  readonly cpu: number;
  /** The most memory that was resident, in bytes. */
  readonly rss: number;
}

const NOTHING: Aside = { prepared: 0, preparedCpu: 0, journal: [] };

/** Milliseconds of processor time that this process has used. */
export function cpuUsed(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The whole of a contender's process: takes its task from the command line, and reports. */
export async function contend(run: (task: Task) => Promise<Aside | void>): Promise<void> {
  // Only the bench writes it.
  const aside = (await run(JSON.parse(process.argv[2] ?? '') as Task)) ?? NOTHING;
  const report: Report = {
    ...aside,
    cpu: cpuUsed(),
    rss: process.resourceUsage().maxRSS * 1024,
  };
  process.send?.(report, () => process.exit());
}
