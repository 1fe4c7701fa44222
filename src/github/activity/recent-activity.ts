// What people did in a repository since some time, in the form in which webhooks would have told of it: GitHub's lists have
// the objects that its webhooks have, so that the same readers read both.
import type { ProbotOctokit } from 'probot';
import type { RepositoryRef } from '../../contracts/intent.ts';
import { always, type ClientRequest } from '../access/installations.ts';
import { ownerAndRepo } from '../requests/octokit.ts';
import {
  allOf,
  comments,
  eventsSince,
  issueEvents,
  openings,
  PAGE,
  reviews,
  type ActivitySource,
  type Happening,
  type ListedThread,
  type ActivityListing,
  type Pull,
} from './happenings.ts';

interface Activity {
  /** In the order in which people acted. */
  readonly happenings: readonly Happening[];
  /** When the newest change was. */
  readonly until: Date;
}

/** An issue or pull request that changed, with what may ask for a review of it. */
export interface ChangedThread {
  readonly number: number;
  readonly isPull: boolean;
  /** The labels that were put on it. */
  readonly labels: readonly string[];
  /** The accounts that were asked to review it. */
  readonly reviewers: readonly string[];
}

interface ActivityQuery {
  readonly since: Date;
  /** Which of them matter: more is read about those that are pull requests. */
  readonly followed: (
    changed: readonly ChangedThread[],
  ) => Promise<{ has(thread: number): boolean }>;
}

/** The times of one event in GitHub's lists differ by a moment. */
const MARGIN_MS = 60_000;

export type ReadActivity = (
  installation: number,
  repository: RepositoryRef,
  query: ActivityQuery,
) => Promise<Activity>;

export const activityReader =
  (clientOf: (at: ClientRequest) => ProbotOctokit): ReadActivity =>
  (installation, repository, query) => {
    const octokit = clientOf({ installation: always(installation), repository, purpose: 'api' });
    return recentActivity({ octokit, installation, repository }, query);
  };

async function recentActivity(source: ActivitySource, query: ActivityQuery): Promise<Activity> {
  const threads = await changedThreads(source, query.since);
  const newest = threads.at(-1);
  // GitHub's times have no milliseconds: a later one would be behind this one.
  if (newest === undefined)
    return { happenings: [], until: new Date(timestamp(query.since.getTime())) };
  const since = timestamp(query.since.getTime() - MARGIN_MS);
  const events = await eventsSince(source, since);
  const byNumber = new Map(threads.map((one) => [one.number, one]));
  const look = { ...source, since, threads: byNumber, events };
  const pulls = await followedPulls(look, query.followed);
  const found = await Promise.all([
    comments(look),
    ...[...pulls.values()].map((pull) => reviews(look, pull)),
  ]);
  const happenings = [...openings(look), ...issueEvents(look, pulls), ...found.flat()].toSorted(
    (one, other) => Date.parse(one.at) - Date.parse(other.at) || rankOf(one) - rankOf(other),
  );
  return { happenings, until: new Date(newest.updated_at) };
}

const timestamp = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

/** GitHub's times are in seconds. Within one, what begins comes first, and what ends last. */
const FIRST = [
  'issues.labeled',
  'issues.assigned',
  'pull_request.labeled',
  'pull_request.review_requested',
  'issues.opened',
  'issue_comment.created',
  'pull_request_review.submitted',
];
const rankOf = ({ name }: Happening): number =>
  FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;

/** Issues and pull requests, oldest change first. */
const changedThreads = (
  { octokit, repository }: ActivitySource,
  since: Date,
): Promise<readonly ListedThread[]> =>
  allOf((page) =>
    octokit.rest.issues.listForRepo({
      ...ownerAndRepo({ repository }),
      state: 'all',
      since: timestamp(since.getTime()),
      sort: 'updated',
      direction: 'asc',
      per_page: PAGE,
      page,
    }),
  );

function changedThread(
  { number, pull_request: isPull }: ListedThread,
  events: ActivityListing['events'],
): ChangedThread {
  const own = events.filter(({ issue }) => issue?.number === number);
  return {
    number,
    isPull: isPull !== undefined,
    labels: own.flatMap(({ event, label }) => (event === 'labeled' && label?.name) || []),
    reviewers: own.flatMap(
      ({ event, requested_reviewer: asked }) =>
        (event === 'review_requested' && asked?.login) || [],
    ),
  };
}

async function followedPulls(
  { octokit, repository, threads, events }: ActivityListing,
  followed: ActivityQuery['followed'],
): Promise<ReadonlyMap<number, Pull>> {
  const matters = await followed([...threads.values()].map((one) => changedThread(one, events)));
  const pulls = new Map<number, Pull>();
  for (const { number, pull_request: isPull } of threads.values())
    if (isPull !== undefined && matters.has(number)) {
      const at = { ...ownerAndRepo({ repository }), pull_number: number };
      pulls.set(number, (await octokit.rest.pulls.get(at)).data);
    }
  return pulls;
}
