/** What comes of waiting, and after the work. */
export type WaitEntry =
  /**
   * Nobody answered in time. `defaults`: the work goes on with the answers that the question (the
   * entry `question`) proposed; `pause`: it goes on waiting.
   */
  | {
      readonly type: 'question_expired';
      readonly question: number;
      readonly action: 'defaults' | 'pause';
    }
  /** The session is finished, and another issue was looked for; `null`: none was taken. */
  | { readonly type: 'next_issue_started'; readonly run: number; readonly issue: number | null };

/**
 * What a deferred run waits for, if that is not its own failure: the App's installation,
 * which the wake-up may have fixed, or room to write on GitHub.
 */
export type DeferralCause = 'installation' | 'write_budget';
