import type { ChecksResult } from '../../contracts/checks.ts';

export type FailedChecks = Extract<ChecksResult, { kind: 'failed' }>;
type KnownResult = FailedChecks | Extract<ChecksResult, { kind: 'passed' | 'unreadable' }>;

/**
 * The checks of a commit were read, after something said that they may have changed. `upTo`: the last entry before the
 * reading; what came in during it may say more.
 */
export interface ChecksReadEntry {
  readonly type: 'checks_read';
  readonly sha: string;
  readonly result: ChecksResult;
  readonly upTo?: number;
}

/** The checks of the session's pull request. */
export interface Checks {
  /** Commits whose checks may have changed since they were last read, each with the entry that says so. */
  readonly hinted: readonly { readonly sha: string; readonly seq: number }[];
  /** What is known: it stays until something else is. */
  readonly last:
    | { readonly seq: number; readonly sha: string; readonly result: KnownResult }
    | undefined;
  /** Whether a person may let the last failures be fixed. `comment`: the one that asks, once it is published. */
  readonly asked:
    | { readonly seq: number; readonly comment: { readonly id: number } | undefined }
    | undefined;
  /** The entry that requested a fix which no run has begun with. */
  readonly due: number | undefined;
  /** A person let the failures be fixed, until the checks pass or it ends in words. */
  readonly allowed: boolean;
  /** Fixes since a person last wrote. */
  readonly rounds: number;
  /** Fixes since the checks last passed. */
  readonly fixes: number;
  /** The fingerprints of the failures that the last fix was for. */
  readonly fixed: readonly string[];
}
