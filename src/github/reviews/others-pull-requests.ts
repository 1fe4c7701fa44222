// Pull requests that someone else opened.
import type { AdoptedPullRequest, PushConcern } from '../../contracts/pull-request.ts';
import { ifFound } from '../errors.ts';
import {
  createOnce,
  publicBody,
  verifyAfterLostResponse,
  endsWithMarker,
  isByApp,
  markerOf,
  type Gate,
  type PublicText,
} from '../gate.ts';
import { newestPages, ownerAndRepo } from '../requests/octokit.ts';
import { shownOf } from '../shown-texts.ts';
import { commentsOf, reviewThreads } from './review-comments.ts';
import { resolveNow } from './thread-replies.ts';
import type { OwnThread, ReviewRemark, VerdictOfReview } from '../../contracts/forge.ts';
import { CUT_MARK } from '../../lib/text/text.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { PublishedPlace } from '../comments.ts';
import { makeSafe } from '../text/safe.ts';

/** A pull request as it is now. */
export interface FoundPullRequest extends AdoptedPullRequest {
  /** What its author wrote under the title, as Markdown. */
  readonly body: string;
  readonly isOpen: boolean;
  readonly isMerged: boolean;
  /** ISO time; missing if it is open. */
  readonly closedAt?: string;
  /** The App itself opened it. */
  readonly isOwn: boolean;
  readonly isByBot: boolean;
  readonly isDraft: boolean;
  /** Logins of those who are asked to review it. */
  readonly reviewers: readonly string[];
  /** The commit at its head. */
  readonly head: string;
}

/** `undefined` if there is no pull request with this number. */
export async function findPullRequest(
  gate: Gate,
  number: number,
): Promise<FoundPullRequest | undefined> {
  const at = { ...ownerAndRepo(gate), pull_number: number };
  const answer = await ifFound(gate.octokit.rest.pulls.get(at));
  if (answer === undefined) return undefined;
  const { html_url: url, title, user, head, base, state, closed_at: closedAt } = answer.data;
  const author = user?.login ?? 'ghost';
  const isHere = head.repo?.id === gate.repository.id;
  return {
    number,
    url,
    title,
    author,
    branch: head.ref,
    baseBranch: base.ref,
    ...(isHere ? {} : { fork: head.repo?.full_name ?? `${author}/(deleted)` }),
    isOpen: state === 'open',
    isMerged: answer.data.merged,
    ...(typeof closedAt === 'string' ? { closedAt } : {}),
    isOwn: isByApp({ user }, await gate.identity()),
    isByBot: user?.type === 'Bot',
    body: answer.data.body ?? '',
    isDraft: answer.data.draft === true,
    reviewers: (answer.data.requested_reviewers ?? []).map(({ login }) => login),
    head: head.sha,
  };
}

/**
 * Whether GitHub merges it once it may, without anyone doing more: auto-merge is on. Whether it is in a merge queue is not
 * asked: GitHub says nowhere which permission that takes, and answers "no" to tokens without it (cli/cli#8352).
 */
export async function mergesItself(gate: Gate, number: number): Promise<boolean> {
  const at = { ...ownerAndRepo(gate), pull_number: number };
  const { data } = await gate.octokit.rest.pulls.get(at);
  return (data.auto_merge ?? null) !== null;
}

/**
 * Rules that restrict who pushes, or what has to happen before. Those about the form of commits, about force pushes and
 * deletions do not keep anyone from adding a commit.
 */
const RESTRICTING: ReadonlySet<string> = new Set([
  'update',
  'pull_request',
  'required_status_checks',
  'required_deployments',
  'merge_queue',
  'workflows',
  'code_scanning',
]);

/** Why people should be asked before anything is pushed to the branch of a pull request; `undefined`: no reason. */
export async function pushConcern(
  gate: Gate,
  { number, branch }: Pick<AdoptedPullRequest, 'number' | 'branch'>,
): Promise<PushConcern | undefined> {
  const at = ownerAndRepo(gate);
  const { repos, pulls } = gate.octokit.rest;
  const { data: pull } = await pulls.get({ ...at, pull_number: number });
  if (branch === pull.base.repo.default_branch) return { kind: 'default_branch' };
  const [found, rules] = await Promise.all([
    ifFound(repos.getBranch({ ...at, branch })),
    repos.getBranchRules({ ...at, branch, per_page: 100 }),
  ]);
  const isRestricted = rules.data.some(({ type }) => RESTRICTING.has(type));
  if (found?.data.protected === true || isRestricted) return { kind: 'protected' };
  const self = await gate.identity();
  const bots = [pull.user, found?.data.commit.author].filter(
    (one) => one?.type === 'Bot' && one.login !== self.login,
  );
  const [bot] = bots;
  return bot?.login === undefined ? undefined : { kind: 'bot', login: bot.login };
}

// Reviews that the App writes on pull requests of others.

export interface ReviewRequest extends PublicText {
  readonly number: number;
  /** The commit whose diff it is about. */
  readonly commit: string;
  readonly verdict: VerdictOfReview;
  readonly remarks: readonly ReviewRemark[];
}

/** A review on GitHub; without a verdict, it only comments. */
export interface PostedReview extends PublishedPlace {
  readonly verdict?: 'approved' | 'changes_requested';
}

const EVENTS = {
  comment: 'COMMENT',
  request_changes: 'REQUEST_CHANGES',
  approve: 'APPROVE',
} as const;

const PAGES = 3;
/** Room for a comment and a suggestion of 4,000 characters each. */
const LONGEST_REMARK = 9_000;
const SIDES = { old: 'LEFT', new: 'RIGHT' } as const;

/** Safe to repeat: a review that is there already keeps its verdict. */
export async function postReview(gate: Gate, request: ReviewRequest): Promise<PostedReview> {
  return createOnce({
    lookUp: () => findOwn(gate, request),
    create: async () => {
      const { data } = await gate.octokit.rest.pulls.createReview({
        ...ownerAndRepo(gate),
        pull_number: request.number,
        commit_id: request.commit,
        event: EVENTS[request.verdict],
        body: await publicBody(request, gate),
        comments: await remarksOf(gate, request),
      });
      return postedReview(data);
    },
  });
}

interface RemoteReview {
  readonly id: number;
  readonly html_url: string;
  readonly state: string;
}

const VERDICTS: ReadonlyMap<string, 'approved' | 'changes_requested'> = new Map([
  ['APPROVED', 'approved'],
  ['CHANGES_REQUESTED', 'changes_requested'],
]);

const postedReview = ({ id, html_url: url, state }: RemoteReview): PostedReview =>
  withoutUndefined({ id, url, verdict: VERDICTS.get(state) });

/**
 * Takes back a verdict of the App, unless that was done already. A review that comments leaves an earlier verdict as it is.
 * @throws {GitHubDenied} if protection of the base branch does not let the App do that (rule `dismissals-restricted`)
 */
export async function dismissReview(
  gate: Gate,
  { number, id, why }: { readonly number: number; readonly id: number; readonly why: string },
): Promise<void> {
  const at = { ...ownerAndRepo(gate), pull_number: number, review_id: id };
  const { pulls } = gate.octokit.rest;
  const find = async () => {
    const review = await ifFound(pulls.getReview(at));
    return review !== undefined && postedReview(review.data).verdict !== undefined;
  };
  if (!(await find())) return;
  await verifyAfterLostResponse(
    async () => (await pulls.dismissReview({ ...at, message: why })).data.id,
    async () => ((await find()) ? undefined : id),
  );
}

/**
 * Whether a ruleset dismisses approvals when something else is pushed. Classic protection is not asked for: that takes
 * `administration: read`.
 */
export async function dismissesStaleApprovals(gate: Gate, branch: string): Promise<boolean> {
  const at = { ...ownerAndRepo(gate), branch, per_page: 100 };
  const { data } = await gate.octokit.rest.repos.getBranchRules(at);
  return data.some(
    (rule) =>
      rule.type === 'pull_request' && rule.parameters?.dismiss_stale_reviews_on_push === true,
  );
}

/** A thread that the App began in a review. */
export interface FoundOwnThread extends Omit<OwnThread, 'number'> {
  /** The id of the review. */
  readonly review: number;
  /** The login of whoever resolved it; missing if that was the App, or GitHub does not say. */
  readonly resolvedBy?: string;
}

/** The threads that the App began in reviews, oldest first, with what people see of their comments. */
export async function ownThreads(gate: Gate, pull: number): Promise<readonly FoundOwnThread[]> {
  const self = await gate.identity();
  const all = await commentsOf(gate, pull);
  const isRoot = ({ in_reply_to_id: root }: (typeof all)[number]): boolean => root === undefined;
  const roots = all.filter((one) => isRoot(one) && isByApp(one, self));
  if (roots.length === 0) return [];
  const threads = (await reviewThreads(gate, pull)) ?? [];
  return Promise.all(
    roots.map(async (first) => {
      const { id: root, path, line, pull_request_review_id: review } = first;
      const replies = all.filter(({ in_reply_to_id: of }) => of === root);
      const thread = threads.find(({ comments }) => comments.includes(root));
      const resolvedBy = thread?.resolvedBy;
      return {
        ...(resolvedBy === undefined || `${resolvedBy}[bot]` === self.login ? {} : { resolvedBy }),
        root,
        review: review ?? 0,
        path,
        line: line ?? null,
        body: (await shownOf(gate, first)).body,
        isResolved: thread?.isResolved ?? false,
        replies: await Promise.all(
          replies.map(async (reply) => ({
            author: reply.user?.login ?? 'ghost',
            body: (await shownOf(gate, reply)).body,
          })),
        ),
      };
    }),
  );
}

/** Resolves threads, by the ids of their first comments. Safe to repeat. */
export async function resolveOwnThreads(
  gate: Gate,
  pull: number,
  roots: readonly number[],
): Promise<void> {
  const threads = (await reviewThreads(gate, pull)) ?? [];
  for (const { node, isResolved, comments } of threads)
    if (!isResolved && roots.includes(comments[0] ?? 0)) await resolveNow(gate, node);
}

async function remarksOf(gate: Gate, { remarks, mentions }: ReviewRequest) {
  const pieces = remarks.map(({ body: text }) => ({
    text,
    isQuoted: false,
    limit: LONGEST_REMARK,
    cutMark: CUT_MARK,
  }));
  const bodies = await makeSafe(pieces, { mentions, links: gate.links }, gate);
  return remarks.map(({ path, line, startLine, side }, index) => ({
    path,
    line,
    side: SIDES[side],
    body: bodies[index] ?? '',
    ...(startLine === undefined || startLine === line
      ? {}
      : { start_line: startLine, start_side: SIDES[side] }),
  }));
}

async function findOwn(gate: Gate, request: ReviewRequest): Promise<PostedReview | undefined> {
  const marker = markerOf(request);
  const self = await gate.identity();
  const pages = newestPages(PAGES, (page) =>
    gate.octokit.rest.pulls.listReviews({
      ...ownerAndRepo(gate),
      pull_number: request.number,
      per_page: 100,
      page,
    }),
  );
  for await (const page of pages)
    for (const review of page)
      if (endsWithMarker(review.body, marker) && isByApp(review, self)) return postedReview(review);
  return undefined;
}
