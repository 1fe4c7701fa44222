import {
  issuesLabeled,
  issuesOpened,
  issuesUnlabeled,
  issuesClosed,
  issuesReopened,
  issuesTransferred,
  issuesDeleted,
  issueCommentCreated,
} from './issue-events.ts';
import {
  pullRequestClosed,
  pullRequestReopened,
  pullRequestReviewSubmitted,
} from './pull-request-events.ts';
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
