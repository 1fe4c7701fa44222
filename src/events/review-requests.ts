// What may ask for a review of a pull request: a label, a request to an account, or that it was opened or changed.
import type { z } from 'zod';
import type { Arrival, Intent, ReviewCause } from '../contracts/intent.ts';
import { issueOf } from '../session/github-names.ts';
import {
  Assignee,
  Label,
  PullRequestPayload,
  Sender,
  eventReader,
  factReader,
  type EventReader,
  type Meaning,
} from './payload.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';

const NO_REVIEW = 'the pull request is closed, or the App works on its branch.';

type Pull = z.output<typeof PullRequestPayload>;

/** Which of them counts is a setting of the repository: asked later. */
export const REVIEW_EVENTS: readonly EventReader[] = [
  eventReader({
    name: 'pull_request.labeled',
    shape: { pull_request: PullRequestPayload, label: Label.optional(), sender: Sender },
    nothing: NO_REVIEW,
    read: ({ pull_request: pullRequest, label, sender }) =>
      label && reviewWanted(pullRequest, sender, 'label', { label: label.name }),
  }),

  // GitHub names a team in another field.
  eventReader({
    name: 'pull_request.review_requested',
    shape: {
      pull_request: PullRequestPayload,
      requested_reviewer: Assignee.nullish(),
      sender: Sender,
    },
    nothing: NO_REVIEW,
    read: ({ pull_request: pullRequest, requested_reviewer: reviewer, sender }) =>
      reviewer
        ? reviewWanted(pullRequest, sender, 'request', { assignee: reviewer.login })
        : undefined,
  }),

  eventReader({
    name: 'pull_request.opened',
    shape: { pull_request: PullRequestPayload, sender: Sender },
    nothing: NO_REVIEW,
    read: ({ pull_request: pullRequest, sender }) => reviewWanted(pullRequest, sender, 'opened'),
  }),

  eventReader({
    name: 'pull_request.synchronize',
    shape: { pull_request: PullRequestPayload, sender: Sender },
    nothing: NO_REVIEW,
    read: ({ pull_request: pullRequest, sender }) => reviewWanted(pullRequest, sender, 'pushed'),
  }),

  // Whether it is what started the review is asked later.
  factReader({
    name: 'pull_request.unlabeled',
    shape: { pull_request: PullRequestPayload, label: Label.optional() },
    nothing: NO_REVIEW,
    read: ({ pull_request: pullRequest, label }) =>
      label &&
      withdrawal(pullRequest, label.name, {
        kind: 'unlabeled',
        label: label.name,
        at: pullRequest.updated_at,
      }),
  }),

  factReader({
    name: 'pull_request.review_request_removed',
    shape: { pull_request: PullRequestPayload, requested_reviewer: Assignee.nullish() },
    nothing: NO_REVIEW,
    read: ({ pull_request: pullRequest, requested_reviewer: reviewer }) =>
      reviewer
        ? withdrawal(pullRequest, reviewer.login, {
            kind: 'unassigned',
            assignee: reviewer.login,
            at: pullRequest.updated_at,
          })
        : undefined,
  }),
];

/** `named`: the label, or who was asked. Nothing if the pull request is closed, or on a branch of the App. */
export function reviewWanted(
  pullRequest: Pull,
  sender: { readonly id: number },
  review: ReviewCause,
  named: { readonly label?: string; readonly assignee?: string } = {},
): Meaning[] {
  const { node_id: id, title, body, updated_at: at, user, state } = pullRequest;
  const thread = threadOf(pullRequest);
  if (state === 'closed' || thread.issue !== undefined) return [];
  const isOthers = user && user.id !== sender.id && user.login !== undefined;
  const intent: Intent = {
    kind: 'start',
    label: '',
    ...named,
    title: title ?? '',
    body: body ?? '',
    ...(isOthers ? { author: { id: user.id, login: user.login ?? '' } } : {}),
    at,
    review,
  };
  const name = named.label ?? named.assignee ?? '';
  return [{ thread, meaning: `review:${review}:${id}:${name}:${at}`, intent }];
}

function withdrawal(pullRequest: Pull, name: string, intent: Intent): Meaning[] {
  const { node_id: id, updated_at: at } = pullRequest;
  const thread = threadOf(pullRequest);
  if (thread.issue !== undefined) return [];
  return [{ thread, meaning: `${intent.kind}:${id}:${name}:${at}`, intent }];
}

/**
 * A pull request, with the issue that its branch is for. The name of a fork's branch proves nothing: anyone can
 * choose it.
 */
export function threadOf({ number, head, base }: Pull): Arrival['thread'] {
  const issue = head.repo?.id === base.repo.id ? issueOf(head.ref) : undefined;
  return { on: 'pull_request', number, ...withoutUndefined({ issue }) };
}
