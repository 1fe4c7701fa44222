import type { Row } from '../fault.ts';
import { GITHUB } from './github.ts';
import { KILLS } from './kills.ts';
import { MODEL } from './model.ts';

/** The table of the faults. */
export const ROWS: readonly Row[] = [...KILLS, ...GITHUB, ...MODEL];
