// What is known of the service as a whole: what it needs, whether it is paused, and what is wrong with it.

/** Something that the service cannot work without. */
export interface ServiceNeed {
  /** What is wrong without it, for anyone who asks: "the database does not answer". */
  readonly lack: string;
  /** Rejects if it is not there, with the details for the log. */
  readonly check: () => Promise<void>;
}

/** The operator's pause of the whole service: store/ keeps it, app/ follows it, web/ shows it. */
export interface ServicePause {
  readonly reason: string;
  readonly since: Date;
}

/** What an operator should hear of, because people wait until it is fixed. */
export type ProblemCause =
  | 'key_rejected'
  | 'quota_used_up'
  | 'budget_used_up'
  | 'deliveries_fail'
  | 'queue_stands';

/** One cause has one subject: a provider, a setting, a queue. There are no secrets and no texts of people in it. */
export interface SeenProblem {
  readonly cause: ProblemCause;
  readonly subject: string;
  /** A sentence or two, with what helps. */
  readonly text: string;
}

export interface Problem extends SeenProblem {
  readonly since: Date;
  /** The operator's address has been told of it. */
  readonly isTold: boolean;
}

/** News for the operator. `at`: when the problem was over, if it is. */
export interface ProblemNews extends SeenProblem {
  readonly since: Date;
  readonly over: Date | null;
}
