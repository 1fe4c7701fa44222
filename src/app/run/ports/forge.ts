import { sharedTime } from '../../../lib/clock.ts';
import { besideTheWork, TellModel } from '../../../lib/errors.ts';
import { branchOf } from '../../../session/github-names.ts';
import type { AnswerDeadline, Effect } from '../../../contracts/effect.ts';
import { apply } from '../../../session/fold/fold.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import type { Session } from '../../../session/session.ts';
import { isUnfinished } from '../../../session/state.ts';
import { openRound } from '../../../session/parts/session-reviews.ts';
import {
  pullRequestBody,
  type PullRequestBodyOptions,
} from '../../../session/texts/pull-request-body.ts';
import type { Forge, VerdictOfReview } from '../../../contracts/forge.ts';
import type { WorkSoFar } from '../../../tools/define-tool.ts';
import type { PathSettings } from '../../../workspace/files/repository-paths.ts';
import { baseBranchOf } from '../../../session/merging.ts';
import { followBase, type StackParts } from '../stack.ts';
import { issuesFor, type SessionOnGitHub } from './issues.ts';
import { reviewsFor } from './reviews-of-others.ts';
import { withoutClosed } from './public-git.ts';
import type { TrackedSession } from '../../service/journal-tracker.ts';
import type { TextRedactor } from '../../../lib/text/redact.ts';

/** Where the work of a session goes, and how. */
export interface Destination {
  readonly baseBranch: string;
  /** Whether its pull request is a draft until it is submitted. */
  readonly draft: boolean;
  /** Logins that are asked to review besides the requester. */
  readonly reviewers: readonly string[];
}

type ForgeParts = SessionOnGitHub & StackParts & TextRedactor;

interface ForgePlan {
  readonly destination: Destination;
  readonly paths: PathSettings;
  readonly reviewPaths?: readonly string[] | undefined;
  readonly reviewVerdicts?: VerdictOfReview;
  readonly instructionFiles?: readonly string[];
}

/** The repository on GitHub, as the tools of a session may read and write it. */
export const forgeFor = (
  parts: ForgeParts,
  { destination, paths, reviewPaths, reviewVerdicts: may = 'comment', ...plan }: ForgePlan,
): Forge => {
  const history = historyFor(parts, destination, paths);
  const changeUpTo = async (head?: string) => (await history.branchChange(head)).files;
  return {
    ...pullRequestsFor(parts, destination),
    ...issuesFor(parts),
    ...reviewsFor({ instructionFiles: [], ...plan, ...parts, changeUpTo, paths: reviewPaths, may }),
    ...history,
  };
};

/**
 * What GitHub shows of a session as its pull request's body, the first time and every later time.
 * `opening`: the agent's text for a pull request that does not exist yet.
 */
export const pullRequestText = (
  session: Session,
  { id, ...options }: PullRequestBodyOptions & { readonly id: string },
) => ({
  session: id,
  body: pullRequestBody(session, options),
  // A part of the work closes nothing, whatever the agent writes.
  closes: isUnfinished(session.run) ? undefined : session.thread.issue,
  whole: options.pageUrl,
});

/** The session's one pull request. */
function pullRequestsFor(
  { tracker, github, pageUrl, store }: ForgeParts,
  { baseBranch, draft }: Destination,
): Pick<Forge, 'openPullRequest' | 'markReady' | 'requestReview'> {
  return {
    openPullRequest: async ({ title, body, done = [] }) => {
      // The one below may have been merged, and its branch deleted, since the run began.
      // If that cannot be looked up, ours goes where it was to go.
      await besideTheWork(
        () => followBase({ tracker, github, store }),
        () => {},
      );
      return github.openPullRequest({
        ...pullRequestText(withEffects(tracker.session, done), {
          id: tracker.id,
          pageUrl: pageUrl(tracker.id),
          opening: body,
          title,
        }),
        branch: branchOf(tracker.session),
        base: baseBranchOf(tracker.session, baseBranch),
        title,
        draft,
      });
    },
    markReady: (number) => github.markReady(number),
    requestReview: (number, logins) => github.requestReview(number, logins),
  };
}

/** As it will be when the journal has them, so that the body is right at once. */
const withEffects = (session: Session, effects: readonly Effect[]): Session =>
  apply(session, {
    type: 'work_saved',
    run: session.run?.number ?? 0,
    effects,
    seq: session.seq + 1,
    at: sharedTime().toISOString(),
  });

function historyFor(
  { tracker, github }: SessionOnGitHub,
  { baseBranch }: Destination,
  paths: PathSettings,
): Pick<Forge, 'log' | 'commitDiff' | 'branchChange' | 'branches' | 'hasBranch'> {
  const base = (): string => baseBranchOf(tracker.session, baseBranch);
  const head = (): string => tracker.session.work.head ?? base();
  const shown = withoutClosed(paths);
  return {
    log: ({ path, limit }) => github.commits({ from: head(), path, limit }),
    commitDiff: async (commit) => {
      const files = await github.commitFiles(commit);
      if (files !== undefined) return shown(files);
      throw new TellModel(`There is no commit ${commit} in this repository.`);
    },
    branchChange: async (pushed = head()) => {
      const { commits, files } = await github.changeSince(base(), pushed);
      return { commits, files: shown(files) };
    },
    branches: () => github.branches(),
    hasBranch: (name) => github.hasBranch(name),
  };
}

type QuestionTimeout = RepositorySettings['question_timeout'];

type WorkSettings = Pick<Destination, 'baseBranch' | 'reviewers'> & {
  readonly questionTimeout?: QuestionTimeout;
};

const waitFrom = (
  askedAt: Date,
  { afterMs, action }: NonNullable<QuestionTimeout>,
): AnswerDeadline => ({
  until: new Date(askedAt.getTime() + afterMs).toISOString(),
  action,
});

/** What the session has already, always as its journal has it now. */
export const workOf = (
  tracker: TrackedSession,
  { baseBranch, reviewers, questionTimeout }: WorkSettings,
): WorkSoFar => ({
  issue: () => ({ number: tracker.session.thread.issue, title: tracker.session.thread.title }),
  plan: () => tracker.session.work.plan,
  planComesFirst: () => tracker.session.waiting.approval === 'needed',
  approvedPlan: () => tracker.session.waiting.approvedPlan,
  answerWait: (askedAt) => questionTimeout && waitFrom(askedAt, questionTimeout),
  goesTo: () => {
    const { adopted, folder } = tracker.session.thread;
    if (folder !== undefined) return 'branch';
    if (adopted === undefined) return 'pull_request';
    return adopted.fork === undefined ? 'branch' : 'patch';
  },
  branch: (words) => branchOf(tracker.session, words),
  baseBranch: () => baseBranchOf(tracker.session, baseBranch),
  hasCommits: () => tracker.session.work.commits.length > 0,
  stagedPaths: () => tracker.session.work.stagedPaths,
  openPullRequest: () => {
    const { pullRequest } = tracker.session.thread;
    return pullRequest?.state === 'open' ? pullRequest : undefined;
  },
  reviewers: () => reviewersOf(tracker.session, reviewers),
  changesRequestedBy: () => [
    ...new Set(
      tracker.session.requests.open
        .filter(({ requestsChanges }) => requestsChanges)
        .map(({ login }) => login),
    ),
  ],
  reviewThreads: () => tracker.session.reviews.threads.map(({ number }) => number),
  waitingForReply: () => [...new Set(tracker.session.requests.open.map(({ login }) => login))],
  heldCommits: () => {
    const { thread, work, reviews } = tracker.session;
    if (thread.adopted?.fork !== undefined) return work.held;
    const isOpen = thread.adopted !== undefined || thread.pullRequest?.state === 'open';
    return isOpen ? openRound(reviews)?.held : undefined;
  },
  hasNewCommits: () => {
    const { work, requests } = tracker.session;
    const before = requests.open.map(({ commitsBefore }) => commitsBefore);
    return work.commits.length > Math.max(0, ...before);
  },
  wasAskedWhy: () => tracker.session.run?.wasAskedWhy === true,
  comments: () => tracker.session.run?.comments ?? 0,
  memories: () => tracker.session.run?.memories ?? 0,
});

/** Each once. */
function reviewersOf(
  { requests, thread, run }: Session,
  reviewers: readonly string[],
): readonly string[] {
  const asker =
    run?.beganOnPullRequest === true ? requests.requesters[0]?.person : requests.requester;
  // By hand, the pull request is the requester's own, and GitHub lets nobody review their own.
  const requester = thread.byHand === undefined ? asker : undefined;
  const all = requester === undefined ? reviewers : [requester.login, ...reviewers];
  return [...new Map(all.map((login) => [login.toLowerCase(), login])).values()];
}
