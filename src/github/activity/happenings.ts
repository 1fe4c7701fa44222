// What happened, as webhooks would have told of it: each of GitHub's lists, as the payloads of an event.
import type { ProbotOctokit } from 'probot';
import type { RepositoryRef } from '../../contracts/intent.ts';
import { ownerAndRepo } from '../requests/octokit.ts';

/** Something that happened, and what GitHub would have delivered for it. */
export interface Happening {
  /** The same each time that it is read, and the id of no delivery. */
  readonly id: string;
  /** With its action, such as `issues.labeled`. */
  readonly name: string;
  /** ISO time, whole seconds. */
  readonly at: string;
  /** The number of the issue or pull request. */
  readonly thread: number;
  readonly payload: object;
}

/** Where it is read. */
export interface ActivitySource {
  readonly octokit: ProbotOctokit;
  readonly installation: number;
  readonly repository: RepositoryRef;
}

export const PAGE = 100;
/** The oldest 2,000 of what changed; the rest is read the next time. */
const MOST_PAGES = 20;
type RestClient = ProbotOctokit['rest'];
export type ListedThread = Awaited<ReturnType<RestClient['issues']['listForRepo']>>['data'][number];
export type IssueEvent = Awaited<
  ReturnType<RestClient['issues']['listEventsForRepo']>
>['data'][number];
export type Pull = Awaited<ReturnType<RestClient['pulls']['get']>>['data'];

export interface ActivityListing extends ActivitySource {
  readonly since: string;
  readonly threads: ReadonlyMap<number, ListedThread>;
  /** Of all of them, newest first. */
  readonly events: readonly IssueEvent[];
}

export async function allOf<T>(
  fetchPage: (page: number) => Promise<{ readonly data: readonly T[] }>,
  isWanted: (item: T) => boolean = () => true,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await fetchPage(page);
    const wanted = data.filter(isWanted);
    found.push(...wanted);
    if (data.length < PAGE || wanted.length < data.length) break;
  }
  return found;
}

/** Undefined or null: a deleted account. */
type Sender = { readonly id: number; readonly login: string; readonly type: string } | null;

interface HappeningFacts {
  readonly id: string;
  readonly name: string;
  readonly at: string;
  readonly thread: number;
  readonly sender: Sender | undefined;
}

/** What GitHub would have delivered; nothing if nobody knows who did it. */
function told(
  { installation, repository }: ActivityListing,
  { sender, ...happened }: HappeningFacts,
  fields: object,
): readonly Happening[] {
  if (sender === null || sender === undefined) return [];
  const payload = {
    action: happened.name.split('.')[1],
    installation: { id: installation },
    repository: {
      id: repository.id,
      name: repository.name,
      owner: { login: repository.owner },
    },
    sender: { id: sender.id, login: sender.login, type: sender.type },
    ...fields,
  };
  return [{ ...happened, payload }];
}

/** Their labels are events of their own. Nothing here says who gave them a type. */
export const openings = (look: ActivityListing): readonly Happening[] =>
  [...look.threads.values()]
    .filter((issue) => issue.pull_request === undefined && issue.created_at >= look.since)
    .flatMap((issue) => {
      const { id, number: thread, created_at: at, user: sender } = issue;
      const opened = { id: `found-issue-${id}`, name: 'issues.opened', at, thread, sender };
      return told(look, opened, { issue: { ...issue, updated_at: at, labels: [], type: null } });
    });

/** As they read now, on what was open or closed then. Edits are not told: nothing here says who made them. */
export async function comments(look: ActivityListing): Promise<readonly Happening[]> {
  const { octokit, repository, since, threads } = look;
  const at = { ...ownerAndRepo({ repository }), since, sort: 'updated', direction: 'asc' } as const;
  const found = await allOf((page) =>
    octokit.rest.issues.listCommentsForRepo({ ...at, per_page: PAGE, page }),
  );
  return found
    .filter((comment) => comment.created_at >= since)
    .flatMap((comment) => {
      const { id, created_at: made, user: sender } = comment;
      const issue = threads.get(Number(comment.issue_url.split('/').at(-1)));
      if (issue === undefined) return [];
      const name = 'issue_comment.created';
      return told(
        look,
        { id: `found-comment-${id}`, name, at: made, thread: issue.number, sender },
        { issue: asOf(look, issue, made), comment: { ...comment, updated_at: made } },
      );
    });
}

/** Newest first. */
export const eventsSince = (
  { octokit, repository }: ActivitySource,
  since: string,
): Promise<readonly IssueEvent[]> =>
  allOf(
    (page) =>
      octokit.rest.issues.listEventsForRepo({
        ...ownerAndRepo({ repository }),
        per_page: PAGE,
        page,
      }),
    (event) => event.created_at >= since,
  );

export const issueEvents = (
  look: ActivityListing,
  pulls: ReadonlyMap<number, Pull>,
): readonly Happening[] =>
  look.events
    .flatMap((event, index) => issueEvent(look, event, look.events.slice(0, index), pulls))
    .toReversed();

/** With the state that it had before the oldest of these events, newest first. */
function stateBefore<T extends { readonly number: number; readonly state: string }>(
  thread: T,
  newer: readonly IssueEvent[],
): T {
  const next = newer.findLast(
    (one) => one.issue?.number === thread.number && STATES.has(one.event),
  );
  return next === undefined ? thread : { ...thread, state: STATES.get(next.event) ?? thread.state };
}

/** With the state that it had when someone wrote there. If that changed within the second, it was open. */
function asOf<T extends { readonly number: number; readonly state: string }>(
  { events }: ActivityListing,
  thread: T,
  at: string,
): T {
  const before = stateBefore(
    thread,
    events.filter((one) => one.created_at >= at),
  );
  if (before.state === 'open') return before;
  return stateBefore(
    thread,
    events.filter((one) => one.created_at > at),
  );
}

/** `newer`: what happened after it, newest first. */
function issueEvent(
  look: ActivityListing,
  event: IssueEvent,
  newer: readonly IssueEvent[],
  pulls: ReadonlyMap<number, Pull>,
): readonly Happening[] {
  const { id, event: kind, created_at: at, label, assignee } = event;
  // Of an assignment, the actor may be the account that was assigned.
  const sender = event.assigner ?? event.review_requester ?? event.actor;
  const issue = look.threads.get(event.issue?.number ?? 0);
  if (issue === undefined) return [];
  const { number: thread } = issue;
  const happened = { id: `found-event-${id}`, at, thread, sender };
  if (issue.pull_request === undefined) {
    if (!STATES.has(kind) && !STARTS.has(kind)) return [];
    const then = { ...stateBefore(issue, newer), updated_at: at };
    return told(look, { ...happened, name: `issues.${kind}` }, { issue: then, label, assignee });
  }
  const pull = pulls.get(thread);
  if (pull === undefined) return [];
  if (REVIEW_STARTS.has(kind)) {
    const then = { ...pull, state: stateBefore(issue, newer).state, updated_at: at };
    const fields = { pull_request: then, label, requested_reviewer: event.requested_reviewer };
    return told(look, { ...happened, name: `pull_request.${kind}` }, fields);
  }
  if (!STATES.has(kind)) return [];
  const isLast = !newer.some((one) => one.issue?.number === thread && STATES.has(one.event));
  const then = {
    ...pull,
    updated_at: at,
    closed_at: (isLast ? pull.closed_at : undefined) ?? at,
    merged: isLast && pull.merged,
  };
  return told(look, { ...happened, name: `pull_request.${kind}` }, { pull_request: then });
}

const REVIEW_STARTS: ReadonlySet<string> = new Set([
  'labeled',
  'unlabeled',
  'review_requested',
  'review_request_removed',
]);
const STARTS: ReadonlySet<string> = new Set(['labeled', 'unlabeled', 'assigned', 'unassigned']);
/** The events that change the state, and what it was before each. */
const STATES: ReadonlyMap<string, string> = new Map([
  ['closed', 'open'],
  ['reopened', 'closed'],
]);

export async function reviews(look: ActivityListing, pull: Pull): Promise<readonly Happening[]> {
  const { octokit, repository, since } = look;
  const at = { ...ownerAndRepo({ repository }), pull_number: pull.number };
  const found = await allOf((page) =>
    octokit.rest.pulls.listReviews({ ...at, per_page: PAGE, page }),
  );
  return found.flatMap((review) => {
    const { id, submitted_at: submitted = '', user: sender } = review;
    if (submitted < since) return [];
    const name = 'pull_request_review.submitted';
    return told(
      look,
      { id: `found-review-${id}`, name, at: submitted, thread: pull.number, sender },
      // In webhooks, unlike in lists, it is in lower case.
      {
        review: { ...review, state: review.state.toLowerCase() },
        pull_request: asOf(look, pull, submitted),
      },
    );
  });
}
