/** `warning`: it works, but not as it should. `skipped`: another fault has to be fixed first. */
export type FindingState = 'ok' | 'warning' | 'fault' | 'skipped';

/** What a check found, in a line. */
export interface Finding {
  readonly state: FindingState;
  /** A sentence. */
  readonly text: string;
  /** What to do, in a sentence or two; every fault and warning has one. */
  readonly cure?: string;
}

export const ok = (text: string): Finding => ({ state: 'ok', text });
export const warning = (text: string, cure: string): Finding => ({ state: 'warning', text, cure });
export const fault = (text: string, cure: string): Finding => ({ state: 'fault', text, cure });

/** A check that needs what another one found faulty. */
export class NotExamined extends Error {
  override readonly name = 'NotExamined';
}
