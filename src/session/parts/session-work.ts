import type {
  CommandRun,
  DependencyUse,
  Finding,
  GivenReview,
  Patch,
  PlanItem,
  SelfReview,
  WithheldFiles,
} from '../../contracts/effect.ts';
import type { FoundChange } from '../../contracts/git.ts';
import type { Duplicate } from '../../contracts/related-work.ts';

/** The work itself: plan, commits, and what was run. */
export interface SessionWork {
  readonly plan: readonly PlanItem[];
  readonly commits: readonly Commit[];
  /** What runs changed that began with an open pull request, in the agent's words. */
  readonly later: readonly { readonly summary: string; readonly commits: readonly string[] }[];
  /** When the last two steps with commits were journaled (ISO), the older first. */
  readonly committedAt: readonly string[];
  /** How many commits there were when the latest run began. */
  readonly commitsBefore: number;
  /** What people were given of a change that could not be pushed to a fork. */
  readonly patches: readonly Patch[];
  /** The entry with the last of them, and its comment, once that is published. */
  readonly lastPatch: { readonly seq: number; readonly url: string | undefined } | undefined;
  /** Files were changed since the last of them. */
  readonly changedSincePatch: boolean;
  /** The messages of commits that the next one takes the place of. */
  readonly held: readonly string[];
  /** What the last commit did not take, because none does. */
  readonly withheld: WithheldFiles | undefined;
  /** What could not be changed until then, because Git LFS stores it. */
  readonly inLfs: WithheldFiles | undefined;
  /** The commit that the stored file changes apply to: the last one made, or the run's base. */
  readonly head: string | undefined;
  /** The workspace is at another commit than the one that the model has read. */
  readonly workspaceReplaced: boolean;
  /** The commit that the model has read, if that is why; `undefined` if it is not known. */
  readonly replacedFrom: string | undefined;
  /** The entry after which stored file changes are not yet in a commit of the branch. */
  readonly uncommittedSince: number;
  /** What the end of a run saved on the branch, if nothing was committed since. */
  readonly saved: SavedWork | undefined;
  /** What the next commit merges. */
  readonly merge: Merge | undefined;
  /** GitHub said that the head cannot be merged, and no commit was made since. */
  readonly hasConflict: boolean;
  /** The commit on which a merge was rejected, until someone asks for it or a run begins at a commit that someone pushed. */
  readonly mergeLeftAt: string | undefined;
  /** What the next commit includes, by path; `undefined`: everything that changed. */
  readonly stagedPaths: readonly string[] | undefined;
  /** The agent's addition to the name of the branch, see `branchOf`. */
  readonly branchSuffix: string | undefined;
  /** The model has read words of people who may not write to the repository. */
  readonly strangersRead: boolean;
  /** The last commands that ran for the work, and how many there were. */
  readonly commands: { readonly count: number; readonly last: readonly CommandRun[] };
  /** Whether the last workspace had its dependencies from the cache; `undefined` if none is asked for. */
  readonly dependencies: DependencyUse['cache'] | undefined;
  /** In the order in which they ran. */
  readonly tests: readonly TestRun[];
  /** What ran tests, by a tool for them or not: how many there were, and the last. */
  readonly observed: { readonly count: number; readonly last: readonly ObservedTests[] };
  /** Files that a commit takes were changed after the last run of the tests; `documents`: nothing but documents. */
  readonly changedSinceTests: 'documents' | 'code' | undefined;
  /** The last review of the change before it was submitted; `undefined` if there was none. */
  readonly selfReview: SelfReview | undefined;
  /** Tests ran after it. */
  readonly testedSinceReview: boolean;
  /** What all reviews of it found, the newest last. */
  readonly found: readonly Finding[];
  /** Its reviews of someone else's pull request, the newest last. */
  readonly given: readonly GivenReview[];
  /** What seemed to solve the issue before work began. */
  readonly duplicates: readonly Duplicate[];
  /** A commit was made after it. */
  readonly changedSinceReview: boolean;
}

/** Changes that a run had not committed when it ended, as a commit of their own. */
interface SavedWork {
  readonly commit: string;
  readonly parent: string;
  /** The entry after which the changes were stored, see `uncommittedSince`. */
  readonly since: number;
}

/** The commit of saved work that the branch is at while its changes are uncommitted ones again: the next commit takes its place. */
export const replacedCommit = ({ saved, head }: SessionWork): string | undefined =>
  saved?.parent === head ? saved?.commit : undefined;

/** The base branch, on its way into the branch: the workspace has the files of the merge. */
export interface Merge {
  readonly ours: string;
  readonly theirs: string;
  /** The branch of `theirs`. */
  readonly branch: string;
  /** When it began: the date of the commit that ends it, unless the agent makes that. */
  readonly startedAt: string;
  /** There were no conflicts, but the tests failed: what they printed when they failed last. */
  readonly failedTests: string | undefined;
  /** Fingerprints of the tests that failed before the merge too. */
  readonly failedBefore: readonly string[];
}

/** A merge that the tests fail with. */
export interface UnpushedMerge extends Pick<Merge, 'branch'> {
  readonly failedTests: string;
}

/** What tests keep back now. */
export function unpushedIn({
  merge,
}: {
  readonly merge?: Merge | undefined;
}): UnpushedMerge | undefined {
  const { branch = '', failedTests } = merge ?? {};
  return failedTests === undefined ? undefined : { branch, failedTests };
}

export interface Commit {
  readonly sha: string;
  readonly message: string;
  readonly files: readonly FoundChange[];
  /** The commit of the base branch that it merges. */
  readonly merges?: string;
}

/** A run of the tests, as observed. */
export interface TestRun extends CommandRun {
  readonly failed: number | null;
  readonly passed: number | null;
  readonly failing?: readonly string[];
  readonly isPartial: boolean;
  readonly onChanges: boolean;
}

/** Of any command: how its tests ended, or why they could not run. */
export interface ObservedTests extends CommandRun {
  /** Files that a commit takes were changed after it. */
  readonly isOutdated: boolean;
  /** How the tool for tests ran them; missing if another command did. */
  readonly asked?: Pick<TestRun, 'isPartial' | 'onChanges'>;
}

export const hasPassed = ({ exitCode, ended, failed }: TestRun): boolean =>
  ended === 'exited' && exitCode === 0 && (failed ?? 0) === 0;
