/** What a session has taken so far: what its worth is computed from. */
export interface Tally {
  /** When work was requested; empty before that. */
  readonly begunAt: string;
  /** When GitHub first showed something of the work, when its pull request was opened, and when that was merged; empty before. */
  readonly signAt: string;
  readonly proposedAt: string;
  readonly mergedAt: string;
  /** The last time that anything happened in it, what GitHub shows of it aside. */
  readonly activeAt: string;
  /** Of the last run that was prepared; empty before. */
  readonly model: string;
  /** Runs that worked on reviews. */
  readonly rounds: number;
  /** How often people had to say something after they had requested it. */
  readonly touches: number;
  /** Milliseconds of work, without what it waited for. */
  readonly workedMs: number;
  /** The last step of the run in progress; `undefined` while none is. */
  readonly steppedAt: string | undefined;
}
