import type { Row } from '../fault.ts';
import { DISK } from './disk.ts';
import { GITHUB } from './github.ts';
import { KILLS } from './kills.ts';
import { MACHINE } from './machine.ts';
import { MODEL } from './model.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WORKERS } from './workers.ts';

/** The table of the faults. */
export const ROWS: readonly Row[] = [
  ...KILLS,
  ...GITHUB,
  ...MODEL,
  ...WEBHOOKS,
  ...WORKERS,
  ...DISK,
  ...MACHINE,
];

/** @throws {RangeError} if there is no such row */
export const rowsNamed = (faults: readonly string[]): Row[] =>
  faults.map((fault) => {
    const row = ROWS.find((one) => one.fault === fault);
    if (row === undefined) throw new RangeError(`there is no row "${fault}"`);
    return row;
  });
