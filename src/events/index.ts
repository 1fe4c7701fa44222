import { CHECK_EVENTS, PULL_REQUEST_EVENTS } from './pull-request-events.ts';
import { ISSUE_EVENTS } from './issue-events.ts';
import { REVIEW_EVENTS } from './review-requests.ts';
import type { EventReader } from './payload.ts';

/** The events that sessions are made of. Those of installations are in `app/receive/installations.ts`. */
export const EVENTS: readonly EventReader[] = [
  ...ISSUE_EVENTS,
  ...PULL_REQUEST_EVENTS,
  ...REVIEW_EVENTS,
  ...CHECK_EVENTS,
];

export const READERS: ReadonlyMap<string, EventReader> = new Map(
  EVENTS.map((reader) => [reader.name, reader]),
);
