// Where a run begins, and where its work goes.
import { TellPerson } from '../../lib/errors.ts';
import { branchOf } from '../../session/github-names.ts';
import { isMergeWanted } from '../../session/merging.ts';
import { replacedCommit } from '../../session/parts/session-work.ts';
import type { Adopted } from '../../session/parts/session-thread.ts';
import { resolveRemote, type Remote } from '../../workspace/git/remote.ts';
import type { FollowedSettings } from '../admission/settings.ts';
import type { PlanScope } from './scope.ts';

export interface Base {
  readonly branch: string;
  readonly baseBranch: string;
  readonly commit: string;
  /** The branch is at this commit of saved work on top of `commit`: see `replacedCommit`. */
  readonly replaces?: string;
}

/**
 * The commit at which a new run begins: the head of the session's branch, to which people may have pushed, or the commit
 * below it if that is saved work, unless the base branch is to be merged into it; or the commit at which its uncommitted
 * work began; or the head of the base branch, which may be that of another pull request of ours.
 */
export async function resolveBase(
  scope: PlanScope,
  { settings: { base: wanted }, source }: FollowedSettings,
  hasUncommitted: boolean,
): Promise<Base> {
  const { tracker, github, signal } = scope;
  const { session } = tracker;
  const { thread, work } = session;
  if (thread.folder !== undefined) {
    const { branch, base, commit } = thread.folder;
    return { branch, baseBranch: base, commit: work.head ?? commit };
  }
  const branch = branchOf(session);
  const remote = await resolveRemote({
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    signal,
  });
  const { adopted, base: below } = thread;
  if (adopted !== undefined) return adoptedBase(github, adopted, branch, remote);
  const baseBranch = below?.baseBranch ?? wanted ?? remote.defaultBranch;
  if (wanted === baseBranch && remote.head(wanted) === undefined)
    throw new TellPerson(
      `The setting \`base\` (in ${source}) is \`${wanted}\`, a branch that does not exist. Create it, or choose another.`,
    );
  const begun = tracker.entries.findLast((entry) => entry.type === 'run_prepared');
  const isElsewhere = below !== undefined && begun?.baseBranch !== baseBranch;
  const started = hasUncommitted && !isElsewhere ? work.head : undefined;
  const { saved } = work;
  // What was changed on top of laid out work is no part of the saved commit.
  const isLaidOut =
    saved !== undefined && (replacedCommit(work) !== undefined || !isMergeWanted(session));
  if (isLaidOut && remote.head(branch) === saved.commit)
    return { branch, baseBranch, commit: saved.parent, replaces: saved.commit };
  const commit = remote.head(branch) ?? started ?? remote.head(baseBranch);
  if (commit === undefined && below !== undefined)
    throw new TellPerson(
      `The branch \`${baseBranch}\` of #${below.pullRequest}, on which this work is to be based, does not exist any more. Restore it, then request the work again.`,
    );
  if (commit === undefined) {
    throw new TellPerson(
      `The default branch \`${baseBranch}\` has no commits yet. Push a first commit to it, then request the work again.`,
    );
  }
  return { branch, baseBranch, commit };
}

/** The head of someone else's pull request, which may have another base by now. */
async function adoptedBase(
  github: PlanScope['github'],
  { number, branch, fork }: Adopted,
  own: string,
  remote: Remote,
): Promise<Base> {
  const now = await github.pullRequest(number);
  if (now?.isOpen !== true)
    throw new TellPerson('This pull request was closed, so there is nothing to work on.');
  // This repository has the commits of a fork too, also when that is gone: nothing is asked of the fork.
  if (fork !== undefined) return { branch: own, baseBranch: now.baseBranch, commit: now.head };
  const commit = remote.head(branch);
  if (commit === undefined)
    throw new TellPerson(
      `The branch \`${branch}\` of this pull request does not exist any more. Restore it, then request the work again.`,
    );
  return { branch, baseBranch: now.baseBranch, commit };
}
