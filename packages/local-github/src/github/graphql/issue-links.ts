// What links an issue to others, as GraphQL shows it: computed from the texts (rule `closing-keywords`).
import { CLOSES } from '../actions/pulls.ts';
import type { Issue, IssueEvent, PullRequest, Repository } from '../state.ts';
import { isPull } from '../state.ts';
import { connection, type Paging } from './connection.ts';
import { actorNode } from './review-threads.ts';

interface TimelineQuery extends Paging {
  readonly itemTypes?: readonly string[] | null;
}

/** How an issue or a pull request is shown. */
type NodeOf = (subject: Issue) => object;

export function issueLinks(repository: Repository, issue: Issue, nodeOf: NodeOf) {
  return {
    closedByPullRequestsReferences: ({
      includeClosedPrs,
      ...paging
    }: Paging & { readonly includeClosedPrs?: boolean }) => {
      const nodes = repository.issues
        .filter(isPull)
        .filter((pull) => willClose(repository, pull, issue))
        // Those that were merged are in the list even so (rule `closing-links`).
        .filter((pull) => includeClosedPrs === true || isOpenOrMerged(pull))
        .map(nodeOf);
      return connection('closedByPullRequestsReferences', nodes, paging);
    },
    timelineItems: ({ itemTypes, ...paging }: TimelineQuery) => {
      const all = [...references(repository, issue, nodeOf), ...issue.events.flatMap(stateEvent)];
      const nodes = all
        .filter(({ item }) => itemTypes === undefined || itemTypes?.includes(item) !== false)
        .toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
      return connection('timelineItems', nodes, paging);
    },
  };
}

const isOpenOrMerged = ({ state, pull }: PullRequest): boolean =>
  state === 'open' || pull.merged !== undefined;

/** Keywords count only in a pull request to the default branch. */
export const willClose = (
  repository: Repository,
  { body, pull }: PullRequest,
  issue: Issue,
): boolean =>
  pull.base === repository.defaultBranch &&
  [...(body ?? '').matchAll(CLOSES)].some(([, number]) => Number(number) === issue.number);

/** One for each issue and pull request of the same repository whose text names the issue. */
function references(repository: Repository, issue: Issue, nodeOf: NodeOf) {
  const names = new RegExp(String.raw`(?<![\w/#])#${issue.number}(?!\d)`);
  return repository.issues
    .filter((source) => source !== issue && names.test(textsOf(repository, source)))
    .map((source) => ({
      __typename: 'CrossReferencedEvent',
      item: 'CROSS_REFERENCED_EVENT',
      actor: actorNode(source.author),
      createdAt: source.createdAt,
      isCrossRepository: false,
      willCloseTarget: isPull(source) && willClose(repository, source, issue),
      source: () => nodeOf(source),
    }));
}

const textsOf = ({ comments }: Repository, { number, title, body }: Issue): string =>
  [
    title,
    body ?? '',
    ...comments.filter(({ issueNumber }) => issueNumber === number).map((one) => one.body),
  ].join('\n');

function stateEvent({ event, actor, createdAt }: IssueEvent) {
  const [__typename, item] = TIMELINE.get(event) ?? [];
  if (__typename === undefined || item === undefined) return [];
  return [{ __typename, item, actor: actorNode(actor), createdAt }];
}

const TIMELINE: ReadonlyMap<IssueEvent['event'], readonly [typename: string, item: string]> =
  new Map([
    ['closed', ['ClosedEvent', 'CLOSED_EVENT']],
    ['reopened', ['ReopenedEvent', 'REOPENED_EVENT']],
    ['renamed', ['RenamedTitleEvent', 'RENAMED_TITLE_EVENT']],
    ['parent_issue_added', ['ParentIssueAddedEvent', 'PARENT_ISSUE_ADDED_EVENT']],
  ]);
