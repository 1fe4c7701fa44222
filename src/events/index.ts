import { issueCommentCreated } from './issue-comment-created.ts';
import { issuesClosed } from './issues-closed.ts';
import { issuesDeleted } from './issues-deleted.ts';
import { issuesLabeled } from './issues-labeled.ts';
import { issuesOpened } from './issues-opened.ts';
import { issuesReopened } from './issues-reopened.ts';
import { issuesTransferred } from './issues-transferred.ts';
import { issuesUnlabeled } from './issues-unlabeled.ts';
import { pullRequestClosed } from './pull-request-closed.ts';
import { pullRequestReopened } from './pull-request-reopened.ts';
import { pullRequestReviewSubmitted } from './pull-request-review-submitted.ts';
import type { EventReader } from './reader.ts';

/** The events that sessions are made of. Those of installations are in `app/receive/installations.ts`. */
export const EVENTS: readonly EventReader[] = [
  issuesLabeled,
  issuesOpened,
  issuesUnlabeled,
  issuesClosed,
  issuesReopened,
  issuesTransferred,
  issuesDeleted,
  issueCommentCreated,
  pullRequestClosed,
  pullRequestReopened,
  pullRequestReviewSubmitted,
];
