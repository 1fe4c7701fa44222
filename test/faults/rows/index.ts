import type { Row } from '../fault.ts';
import { DISK } from './disk.ts';
import { GITHUB } from './github.ts';
import { KILLS } from './kills.ts';
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
];
