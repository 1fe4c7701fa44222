import type { Person } from '../contracts/intent.ts';

/** What follows from waiting, and from finishing. */
export type WaitEntry =
  /**
   * Nobody answered the question of the entry `question` in time. `defaults`: the work continues with
   * the proposed answers; `pause`: it keeps waiting.
   */
  | {
      readonly type: 'question_expired';
      readonly question: number;
      readonly action: 'defaults' | 'pause';
    }
  /**
   * The deadline of the question of the entry `question` is over, and what may be its answer cannot be judged. It is waited for
   * until an ISO time.
   */
  | { readonly type: 'expiry_deferred'; readonly question: number; readonly until: string }
  /** No single comment came in for a while: those admitted up to `upTo` may start a run. */
  | { readonly type: 'comments_gathered'; readonly upTo: number }
  /** Whoever approved the plan may not do so any more, and nothing was changed since: it needs approval again. */
  | { readonly type: 'approval_withdrawn'; readonly by: Person }
  /** The session is finished, and another issue was looked for; `null`: none was started. */
  | { readonly type: 'next_issue_started'; readonly run: number; readonly issue: number | null };
