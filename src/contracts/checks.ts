// The checks of a commit: check runs of Apps, and statuses of services.

/** `unsettled`: it runs, or waits for a person. `broken`: it ended without a result. */
export type CheckState = 'unsettled' | 'passed' | 'failed' | 'broken';

/** The newest result of a check. */
export interface Check {
  readonly source: 'check' | 'status';
  readonly name: string;
  readonly state: CheckState;
  /** In GitHub's word. */
  readonly conclusion: string;
  /** Where people read about it; `null` if it says nothing. */
  readonly url: string | null;
  /** What it says of itself, on one line or more. */
  readonly summary: string;
  /** Of a check run. */
  readonly id?: number;
  /** It is a job of GitHub Actions. */
  readonly isJob?: true;
  /** It passed on the same commit before. */
  readonly passedBefore?: true;
}

/** A line that a check points to. */
export interface CheckAnnotation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** Why a failure is not the change's: the base branch has it, or there is evidence that a repetition would pass. */
export type Excuse = 'base' | 'passed_before' | 'no_result' | 'runner_lost';

/** A check that failed, with what it says. All of its texts were written by others. */
export interface FailedCheck extends Pick<
  Check,
  'source' | 'name' | 'conclusion' | 'url' | 'summary'
> {
  readonly annotations: readonly CheckAnnotation[];
  /** The end of the log of the step that failed; empty if there is none. */
  readonly log: string;
  /** Why there is no log; for people. */
  readonly noLog?: string;
  /** Equal for the same check that fails in the same way. */
  readonly fingerprint: string;
  readonly excuse?: Excuse;
}

/** Why failures are left to people. `same`: a fix did not change them. `rounds`: it was tried as often as allowed. */
export type LeftBecause = 'base' | 'flaky' | 'same' | 'rounds';

/** What follows from failures. */
export type FixDecision =
  | { readonly do: 'fix' | 'ask' }
  | { readonly do: 'leave'; readonly because: LeftBecause };

/** What was found when the checks of a commit were read. */
export type ChecksResult =
  /** Not settled; not the head of the session's pull request; or nothing to read. */
  | { readonly kind: 'unsettled' | 'outdated' | 'none' }
  /** Not looked at: the settings say so. */
  | { readonly kind: 'off' }
  | { readonly kind: 'passed' }
  /** The failures that are known already. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | {
      readonly kind: 'failed';
      readonly failures: readonly FailedCheck[];
      /** Failed checks that are not listed. */
      readonly more: number;
      readonly next: FixDecision;
      /** The limit of rounds when it was decided. */
      readonly rounds: number;
    };
