// Pull requests, reviews and merges.
import { documented, reported, unproven } from './behaviour.ts';

export const PULL_BEHAVIOURS = {
  'pull-ends-exist': unproven(
    'A pull request whose head or base does not exist answers 422 with the code `invalid`.',
    '2026-11-28',
  ),
  'pull-exists': unproven(
    'A second open pull request with the same head and base answers 422 "A pull request already exists for OWNER:BRANCH."',
    '2026-11-28',
  ),
  'pull-has-commits': unproven(
    'A pull request without commits answers 422 "No commits between BASE and HEAD".',
    '2026-11-28',
  ),
  'pull-needs-a-pushable-head': unproven(
    'Whoever opens a pull request has write access to the repository of its head.',
    '2026-11-28',
  ),
  'base-change': unproven(
    'The base of an open pull request changes to a branch that exists and lacks its commits; else 422.',
    '2026-11-28',
  ),
  'reopen-of-merged': unproven('A merged pull request cannot be reopened: 422.', '2026-11-28'),
  'draft-is-not-merged': unproven('A draft is not merged: 405.', '2026-11-28'),
  'not-mergeable': unproven(
    'A pull request that is closed or has conflicts is not merged: 405 "Pull Request is not mergeable".',
    '2026-11-28',
  ),
  'merge-of-known-head': documented(
    'A merge that names another head than the present one answers 409.',
    '2026-11-28',
    'https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request',
  ),
  'merge-of-branches': unproven(
    'A merge of branches answers 404 for a branch that does not exist, and 409 for conflicts.',
    '2026-11-28',
  ),
  'update-branch': unproven(
    '`update-branch` answers 422 if there is nothing new, if there are conflicts, or if the head is another than the expected one.',
    '2026-11-28',
  ),
  'reviewers-are-collaborators': unproven(
    'Only collaborators can be asked for a review; others answer 422.',
    '2026-11-28',
  ),
  'author-is-no-reviewer': unproven(
    'The author of a pull request cannot be asked to review it: 422.',
    '2026-11-28',
  ),
  'own-pull-approval': unproven(
    'Nobody approves their own pull request or requests changes on it: 422.',
    '2026-11-28',
  ),
  'review-body': unproven(
    'A review that requests changes or comments has words or comments on lines; else 422.',
    '2026-11-28',
  ),
  'dismissable-reviews': unproven(
    'Approvals and requests for changes can be dismissed, nothing else: 422.',
    '2026-11-28',
  ),
  'comment-on-diff': unproven(
    'A comment is on a line that the diff shows, or on a file in it; else 422.',
    '2026-11-28',
  ),
  'suggestion-applies': unproven(
    'A suggestion is committed as long as its lines are in the head of an open pull request.',
    '2026-11-28',
  ),
  'resolve-thread': reported(
    'An App that resolves a conversation needs write access to contents, beside pull requests.',
    '2026-11-28',
    'https://github.com/orgs/community/discussions/44650',
  ),
  'graphql-paging': documented(
    'A connection asks for `first` or `last`, and for at most 100 nodes.',
    '2026-11-28',
    'https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api',
  ),
  'graphql-unknown-id': unproven(
    'GraphQL answers "Could not resolve to a node with the global id of …" for an id of nothing, with the type NOT_FOUND.',
    '2026-11-28',
  ),
  'closing-keywords': unproven(
    'A pull request that is merged into the default branch closes the issues that its text closes, fixes or resolves.',
    '2026-11-28',
  ),
  'base-deleted': unproven(
    'Once a merged branch is deleted, pull requests to it go to where it was merged; if it was not merged, they are closed.',
    '2026-11-28',
  ),
  'mergeable-unknown-at-first': unproven(
    'The first look at two commits answers `mergeable: null` and starts to compute it.',
    '2026-11-28',
  ),
  'pulls-by-head': unproven(
    'Pull requests are looked up by `head=OWNER:BRANCH`; without an owner the filter is ignored.',
    '2026-11-28',
  ),
  'review-events': unproven(
    'A review with comments on lines sends one event for itself and one for each comment.',
    '2026-11-28',
  ),
} as const;
