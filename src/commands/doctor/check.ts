import type { Examination } from './examination.ts';
import type { Finding } from './finding.ts';

/** One thing that the doctor looks at. What it throws becomes a fault. */
export interface Check {
  /** In the report, and for scripts. */
  readonly name: string;
  /** What to do if it cannot be carried out. */
  readonly cure: string;
  look(examination: Examination): Promise<Finding | readonly Finding[]>;
}
