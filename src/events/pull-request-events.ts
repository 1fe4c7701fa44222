// What people do with pull requests.
import { z } from 'zod';
import type { CheckAction, Intent, ReviewVerdict, ThreadText } from '../contracts/intent.ts';
import { namesApp } from '../session/said/asks.ts';
import { buttonOf, issueOf } from '../session/github-names.ts';
import { reviewWanted, threadOf } from './review-requests.ts';
import {
  CheckRun,
  CheckSuite,
  CommentPayload,
  Common,
  DeletedComment,
  EditedComment,
  EditedReview,
  Issue,
  parsePayload,
  PullRequestPayload,
  Reason,
  RequestedAction,
  Review,
  ReviewComment,
  ReviewThreadPayload,
  Sender,
  StatusPayload,
  eventReader,
  factReader,
  deleted,
  edit,
  editedBy,
  NOT_BY_AUTHOR,
  type EventReader,
  type Meaning,
} from './payload.ts';

const VERDICTS: ReadonlyMap<string, ReviewVerdict> = new Map([
  ['approved', 'approved'],
  ['changes_requested', 'changes_requested'],
  ['commented', 'commented'],
]);

export const PULL_REQUEST_EVENTS: readonly EventReader[] = [
  factReader({
    name: 'pull_request.closed',
    shape: { pull_request: PullRequestPayload },
    read: ({ pull_request: pullRequest }) => ({
      thread: threadOf(pullRequest),
      meaning: `pull_request_closed:${pullRequest.node_id}:${pullRequest.closed_at}`,
      intent: {
        kind: 'pull_request_closed',
        pullRequest: pullRequest.number,
        merged: pullRequest.merged === true,
        ...(typeof pullRequest.closed_at === 'string' ? { at: pullRequest.closed_at } : {}),
      },
    }),
  }),

  factReader({
    name: 'pull_request.reopened',
    shape: { pull_request: PullRequestPayload },
    read: ({ pull_request: pullRequest }) => ({
      thread: threadOf(pullRequest),
      meaning: `pull_request_reopened:${pullRequest.node_id}:${pullRequest.updated_at}`,
      intent: {
        kind: 'pull_request_reopened',
        pullRequest: pullRequest.number,
        at: pullRequest.updated_at,
      },
    }),
  }),

  // The App's own is no news.
  eventReader({
    name: 'pull_request.ready_for_review',
    shape: { pull_request: PullRequestPayload, sender: Sender },
    read: ({ pull_request: pullRequest, sender }) => [
      {
        thread: threadOf(pullRequest),
        meaning: `marked_ready:${pullRequest.node_id}:${pullRequest.updated_at}`,
        intent: { kind: 'marked_ready', pullRequest: pullRequest.number },
      },
      ...reviewWanted(pullRequest, sender, 'ready'),
    ],
  }),

  factReader({
    name: 'pull_request.dequeued',
    shape: { pull_request: PullRequestPayload, reason: Reason },
    nothing: 'no check of the merge queue failed.',
    read: ({ pull_request: pullRequest, reason }) =>
      reason === 'CI_FAILURE'
        ? {
            thread: threadOf(pullRequest),
            meaning: `dequeued:${pullRequest.node_id}:${pullRequest.updated_at}`,
            intent: { kind: 'dequeued', pullRequest: pullRequest.number },
          }
        : undefined,
  }),

  eventReader({
    name: 'pull_request_review.submitted',
    shape: { review: Review, pull_request: PullRequestPayload },
    nothing: 'the review has no verdict that counts.',
    read: ({ review, pull_request: pullRequest }) => {
      const verdict = VERDICTS.get(review.state.toLowerCase());
      if (verdict === undefined) return undefined;
      const { body, submitted_at: at } = review;
      return reviewOf(pullRequest, review.id, {
        verdict,
        body: body ?? '',
        ...(typeof at === 'string' ? { at } : {}),
      });
    },
  }),

  // GitHub tells of a review in one event, and of each of its comments in another, in any order. Each means
  // the review, so that the first one counts.
  eventReader({
    name: 'pull_request_review_comment.created',
    shape: { comment: ReviewComment, pull_request: PullRequestPayload },
    nothing: 'the comment belongs to no review.',
    read: ({ comment: { pull_request_review_id: review, body }, pull_request: pullRequest }) =>
      review === null || review === undefined
        ? undefined
        : { ...reviewOf(pullRequest, review, { body: '' }, body ?? ''), says: body ?? '' },
  }),

  eventReader({
    name: 'pull_request_review_comment.edited',
    shape: { comment: EditedComment, pull_request: PullRequestPayload, sender: Sender },
    nothing: NOT_BY_AUTHOR,
    read: ({ comment, pull_request: pullRequest, sender }) =>
      editedBy(sender, comment, {
        thread: threadOf(pullRequest),
        on: 'line_comment',
        about: pullRequestWords(pullRequest),
      }),
  }),

  factReader({
    name: 'pull_request_review_comment.deleted',
    shape: { comment: DeletedComment, pull_request: PullRequestPayload },
    read: ({ comment, pull_request: pullRequest }) =>
      deleted(comment, threadOf(pullRequest), 'line_comment'),
  }),

  eventReader({
    name: 'pull_request_review.edited',
    shape: { review: EditedReview, pull_request: PullRequestPayload, sender: Sender },
    nothing: NOT_BY_AUTHOR,
    read: ({ review: { id, body, user }, pull_request: pullRequest, sender }) => {
      const { number, node_id: node, updated_at: at } = pullRequest;
      if (user?.id !== sender.id) return undefined;
      const thread = threadOf(pullRequest);
      const words = {
        in: { on: 'review', id, pullRequest: number },
        body: body ?? '',
        at,
      } as const;
      const intent = edit(words, { thread, about: pullRequestWords(pullRequest) });
      return { thread, meaning: `edited:${node}:${id}:${at}`, intent };
    },
  }),

  // What a bot resolves, this App among them, is seen when it counts.
  ...[true, false].map((isResolved) =>
    eventReader({
      name: `pull_request_review_thread.${isResolved ? 'resolved' : 'unresolved'}`,
      shape: { thread: ReviewThreadPayload, pull_request: PullRequestPayload },
      read: ({ thread: { node_id: id, comments }, pull_request: pullRequest }) => {
        const [first] = comments;
        const { number, updated_at: at } = pullRequest;
        const root = first?.in_reply_to_id ?? first?.id ?? 0;
        return {
          thread: threadOf(pullRequest),
          meaning: `review_thread:${id}:${isResolved}:${at}`,
          intent: { kind: 'review_thread', pullRequest: number, root, isResolved, at },
        };
      },
    }),
  ),
];

function reviewOf(
  pullRequest: z.output<typeof PullRequestPayload>,
  reviewId: number,
  said: Pick<Extract<Intent, { kind: 'review' }>, 'verdict' | 'body' | 'at'>,
  words: string = said.body,
): Meaning {
  const { number, node_id: id } = pullRequest;
  const about = pullRequestWords(pullRequest);
  const addressed = namesApp(words, undefined)
    ? { addressed: true as const, thread: about }
    : undefined;
  return {
    thread: threadOf(pullRequest),
    meaning: `review:${id}:${reviewId}`,
    intent: {
      kind: 'review',
      pullRequest: number,
      reviewId,
      ...said,
      ...(about.isOpen ? { onOpen: true as const } : {}),
      ...addressed,
    },
  };
}

const pullRequestWords = ({
  title,
  body,
  state,
}: z.output<typeof PullRequestPayload>): ThreadText => ({
  title: title ?? '',
  body: body ?? '',
  isOpen: state !== 'closed',
});

// What happens to the checks of commits, if the branch is one of ours: a reason to look at them, or what someone asks
// for with our own check run. GitHub tells only us of that.

const NO_BUTTON = 'the check run has no such button, or is not on a branch of Issuewright.';
const NOT_OURS = 'the commit is not the head of a branch of Issuewright.';

export const CHECK_EVENTS: readonly EventReader[] = [
  factReader({
    name: 'check_suite.completed',
    shape: { check_suite: CheckSuite },
    nothing: NOT_OURS,
    read: ({ check_suite: { id, head_branch: branch, head_sha: sha, updated_at: at } }) =>
      hint(branch, sha, `suite:${id}:${at}`),
  }),

  factReader({
    name: 'status',
    shape: StatusPayload,
    nothing: 'the status is not final, or the commit is not the head of a branch of Issuewright.',
    read: ({ id, sha, state, branches }) =>
      state === 'pending'
        ? undefined
        : branches.flatMap(({ name }) => hint(name, sha, `status:${id}`) ?? []).slice(0, 1),
  }),

  eventReader({
    name: 'check_run.requested_action',
    shape: { check_run: CheckRun, requested_action: RequestedAction, sender: Sender },
    nothing: NO_BUTTON,
    read: ({ check_run: run, requested_action: { identifier }, sender }) => {
      const button = buttonOf(identifier);
      const use = `${run.id}:${identifier}:${sender.id}`;
      return button && action(button, { ...run.check_suite, head_sha: run.head_sha }, use);
    },
  }),

  // When someone asks for a check again, GitHub queues its suite.
  eventReader({
    name: 'check_run.rerequested',
    shape: { check_run: CheckRun, sender: Sender },
    nothing: NOT_OURS,
    read: ({ check_run: { id, head_sha, check_suite: suite }, sender }) =>
      action('rerun', { ...suite, head_sha }, `${id}:${suite.updated_at ?? ''}:${sender.id}`),
  }),

  eventReader({
    name: 'check_suite.rerequested',
    shape: { check_suite: CheckSuite, sender: Sender },
    nothing: NOT_OURS,
    read: ({ check_suite: suite, sender }) =>
      action('rerun', suite, `suite:${suite.id}:${suite.updated_at}:${sender.id}`),
  }),
];

/** Admission looks whether the commit is the head. `use`: one use by one person. */
function action(
  what: CheckAction,
  suite: { readonly head_branch?: string | null | undefined; readonly head_sha: string },
  use: string,
): Meaning | undefined {
  const issue = issueOf(suite.head_branch ?? '');
  return issue === undefined
    ? undefined
    : {
        thread: { on: 'issue', number: issue },
        meaning: `check_action:${use}`,
        intent: { kind: 'check_action', action: what, sha: suite.head_sha },
      };
}

/** The name of a branch proves nothing: the pull request's head is looked up. */
function hint(branch: string | null, sha: string, what: string): Meaning | undefined {
  const issue = issueOf(branch ?? '');
  return issue === undefined
    ? undefined
    : {
        thread: { on: 'issue', number: issue },
        meaning: `checks:${sha}:${what}`,
        intent: { kind: 'checks_changed', sha },
      };
}

// The event that started a workflow of GitHub Actions, as the runner keeps it (rule `workflow-events` of docs/github-rules.md).

/** The words of an issue when work on it was requested. */
export interface IssueAtRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** When, by GitHub's time. */
  readonly at: string;
}

const Event = z.object({
  repository: Common.shape.repository,
  issue: Issue.optional(),
  comment: CommentPayload.optional(),
});

/** `undefined` if the event is about no issue of this repository. @throws {InvalidPayload} */
export function issueOfEvent(payload: unknown, repositoryId: number): IssueAtRequest | undefined {
  const isAboutIssue = z.object({ issue: z.object({}) }).safeParse(payload).success;
  if (!isAboutIssue) return undefined;
  const { repository, issue, comment } = parsePayload(Event, payload);
  if (issue === undefined || repository.id !== repositoryId) return undefined;
  const { number, title, body } = issue;
  return { number, title, body: body ?? '', at: comment?.updated_at ?? issue.updated_at };
}
