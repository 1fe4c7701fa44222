// Work that begins at another pull request of ours, and goes to its branch until that is merged.
import type { GitHubRepository } from '../../github/repository.ts';
import { GitHubDenied } from '../../github/errors.ts';
import { branchOf, issueOf } from '../../session/github-names.ts';
import type { EntryOf } from '../../session/entry.ts';
import type { PullRequestBelow, NotBased } from '../../session/merge-entry.ts';
import { basedOn, canChooseBase } from '../../session/merging.ts';
import { isClosed } from '../../session/state.ts';
import type { JournalWriter, TrackedSession } from '../service/journal-tracker.ts';
import type { SessionStore } from '../../store/store.ts';
import { TellPerson } from '../../lib/errors.ts';
import { isMergeWanted } from '../../session/merging.ts';
import { replacedCommit } from '../../session/parts/session-work.ts';
import type { AdoptedPullRequestInSession } from '../../session/parts/session-thread.ts';
import { resolveRemote, type Remote } from '../../workspace/git/remote.ts';
import type { FollowedSettings } from '../admission/settings.ts';
import type { PlanScope } from '../service/service.ts';

export interface StackParts {
  readonly tracker: TrackedSession & JournalWriter;
  readonly github: Pick<GitHubRepository, 'pullRequest' | 'changeBase'>;
  readonly store: Pick<SessionStore, 'sessionFor'>;
}

/** Before a run is planned: looks up what people named, and journals whether the work begins there. */
export async function chooseBase(parts: StackParts): Promise<void> {
  const { tracker } = parts;
  const { session } = tracker;
  const { dependsOn: named } = session.thread;
  if (named.length === 0 || !canChooseBase(session)) return;
  const found = await choose(parts, named);
  await tracker.append({ type: 'base_chosen', run: session.run?.number ?? 0, named, found });
}

type UnmetBase = Extract<NotBased, { kind: 'none' }>['named'][number];

async function choose(
  parts: StackParts,
  numbers: readonly number[],
): Promise<EntryOf<'base_chosen'>['found']> {
  const open: PullRequestBelow[] = [];
  const named: UnmetBase[] = [];
  for (const number of numbers) {
    const looked = await lookUp(parts, number);
    if (typeof looked === 'string') named.push({ number, because: looked });
    else open.push(looked);
  }
  const [below, ...others] = open;
  if (below === undefined) return { kind: 'none', named };
  if (others.length > 0)
    return { kind: 'several', pullRequests: open.map(({ pullRequest }) => pullRequest) };
  return { kind: 'based', ...below, baseBranch: below.branch };
}

/** The open pull request of ours with this number, or of the issue with this number. */
async function lookUp(
  { tracker, github, store }: StackParts,
  number: number,
): Promise<PullRequestBelow | UnmetBase['because']> {
  const { repository, issue } = tracker.session.thread;
  const found = await store.sessionFor(repository.id, number);
  if (number === issue || found?.issue === issue) return 'itself';
  if (found === undefined || found.pullRequest === null) return 'none';
  const pull = await github.pullRequest(found.pullRequest);
  if (pull?.isOwn !== true || pull.fork !== undefined) return 'none';
  if (!pull.isOpen) return pull.isMerged ? 'merged' : 'none';
  return { pullRequest: pull.number, branch: pull.branch };
}

/**
 * Journals what became of the pull request below. If it was merged, ours goes where it went, unless GitHub saw to that
 * already because its branch was deleted. Safe to repeat.
 */
export async function followBase(parts: StackParts): Promise<void> {
  const { tracker, github } = parts;
  const { session } = tracker;
  const base = basedOn(session);
  if (base === undefined || isClosed(session) || session.requests.stop !== undefined) return;
  const { pullRequest, branch } = base;
  const below = await github.pullRequest(pullRequest);
  const changed = { type: 'base_changed', pullRequest } as const;
  if (below?.isMerged === true) {
    await tracker.append({ ...changed, state: 'merged', ...(await above(parts, base, below)) });
    return;
  }
  const own = session.thread.pullRequest?.number;
  const now = own === undefined ? undefined : await github.pullRequest(own);
  const state = below?.isOpen === true ? 'open' : 'closed';
  if (now?.isOpen === true && now.baseBranch !== branch)
    await tracker.append({ ...changed, state: 'left', baseBranch: now.baseBranch });
  else if (state !== base.state) await tracker.append({ ...changed, state, baseBranch: branch });
}

/** Where ours goes once the one below was merged into `baseBranch`. */
async function above(
  parts: StackParts,
  { branch: from }: PullRequestBelow,
  { baseBranch: to }: { readonly baseBranch: string },
): Promise<Pick<EntryOf<'base_changed'>, 'baseBranch' | 'next' | 'problem'>> {
  const { tracker, github } = parts;
  const number = tracker.session.thread.pullRequest?.number;
  try {
    const baseBranch = number === undefined ? to : await github.changeBase({ number, from, to });
    const issue = issueOf(baseBranch);
    const next = issue === undefined ? 'none' : await lookUp(parts, issue);
    return typeof next !== 'string' && next.branch === baseBranch
      ? { baseBranch, next }
      : { baseBranch };
  } catch (error) {
    if (!(error instanceof GitHubDenied)) throw error;
    return { baseBranch: from, problem: error.message };
  }
}

// Where a run begins, and where its work goes.

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
  { number, branch, fork }: AdoptedPullRequestInSession,
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
