// What may solve an issue already: pull requests, branches and commits, in one request.
import { z } from 'zod';
import type { RelatedPull, RelatedWork } from '../contracts/related-work.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import type { Gate } from './gate.ts';
import { ACTOR_FIELDS, GraphqlActor, unlessGraphqlError } from './requests/graphql.ts';

const PULL = `number title state mergedAt isCrossRepository headRefName author { ${ACTOR_FIELDS} } repository { databaseId }`;

/** GitHub reads the closing keywords itself, so that no body has to be fetched. */
const QUERY = `query ($owner: String!, $name: String!, $issue: Int!, $number: String!) {
  repository(owner: $owner, name: $name) {
    issue(number: $issue) {
      createdAt
      closedByPullRequestsReferences(first: 30, includeClosedPrs: true) { nodes { ...Pull } }
      timelineItems(last: 60, itemTypes: [CROSS_REFERENCED_EVENT, REOPENED_EVENT]) {
        nodes {
          __typename
          ... on CrossReferencedEvent { willCloseTarget source { ... on PullRequest { ...Pull } } }
          ... on ReopenedEvent { createdAt }
        }
      }
    }
    pullRequests(states: [OPEN], first: 100, orderBy: { field: CREATED_AT, direction: DESC }) {
      nodes { ...Pull files(first: 30) { nodes { path } } }
    }
    refs(refPrefix: "refs/heads/", query: $number, first: 50) { nodes { name } }
    defaultBranchRef {
      target { ... on Commit { history(first: 100) { nodes { oid message committedDate } } } }
    }
  }
}
fragment Pull on PullRequest { ${PULL} }`;

const list = <T extends z.ZodType>(of: T) => z.object({ nodes: z.array(of.nullable()).nullish() });

const Pull = z.object({
  number: z.number(),
  title: z.string(),
  state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  mergedAt: z.string().nullish(),
  isCrossRepository: z.boolean(),
  headRefName: z.string(),
  author: GraphqlActor.nullish(),
  repository: z.object({ databaseId: z.number().nullish() }),
  files: list(z.object({ path: z.string() })).nullish(),
});

const TimelineItem = z.object({
  __typename: z.string(),
  willCloseTarget: z.boolean().optional(),
  /** An issue has none of the fields. */
  source: z.union([Pull, z.object({}).transform(() => undefined)]).nullish(),
  createdAt: z.string().optional(),
});

const Commit = z.object({ oid: z.string(), message: z.string(), committedDate: z.string() });

const Answer = z.object({
  repository: z.object({
    issue: z.object({
      createdAt: z.string(),
      closedByPullRequestsReferences: list(Pull).nullish(),
      timelineItems: list(TimelineItem),
    }),
    pullRequests: list(Pull),
    refs: list(z.object({ name: z.string() })).nullish(),
    defaultBranchRef: z
      .object({ target: z.object({ history: list(Commit).optional() }).nullish() })
      .nullish(),
  }),
});

type FoundPull = z.output<typeof Pull>;
type RelatedAnswer = z.output<typeof Answer>['repository'];

/** `undefined` if GitHub does not answer the question, such as an old Enterprise Server. */
export async function relatedWork(gate: Gate, issue: number): Promise<RelatedWork | undefined> {
  const { owner, name } = gate.repository;
  const variables = { owner, name, issue, number: String(issue), request: { repeatable: true } };
  const data: unknown = await gate.octokit.graphql(QUERY, variables).catch(unlessGraphqlError);
  const answer = Answer.safeParse(data).data;
  return answer && relatedIn(answer.repository, gate.repository.id);
}

function relatedIn(found: RelatedAnswer, repository: number): RelatedWork {
  const { issue, refs, defaultBranchRef } = found;
  const timeline = nodesOf(issue.timelineItems);
  const reopened = timeline.flatMap(({ __typename: type, createdAt }) =>
    type === 'ReopenedEvent' && createdAt !== undefined ? [createdAt] : [],
  );
  const commits = nodesOf(defaultBranchRef?.target?.history);
  return withoutUndefined({
    openedAt: issue.createdAt,
    reopenedAt: reopened.toSorted().at(-1),
    pulls: pullsIn(found, timeline, repository),
    branches: nodesOf(refs).map(({ name }) => name),
    commits: commits.map(({ oid, message, committedDate }) => ({
      sha: oid,
      message,
      at: committedDate,
    })),
  });
}

/** Anyone may name the issue in a repository of their own, so those of other repositories are left out. */
function pullsIn(
  { issue, pullRequests }: RelatedAnswer,
  timeline: readonly z.output<typeof TimelineItem>[],
  repository: number,
): readonly RelatedPull[] {
  const pulls = new Map<number, RelatedPull>();
  const add = (pull: FoundPull, link: { closes?: boolean; mentions?: boolean }): void => {
    if (pull.repository.databaseId !== repository) return;
    const before = pulls.get(pull.number) ?? pullOf(pull);
    const closes = before.closes || link.closes === true;
    const mentions = before.mentions || link.mentions === true;
    pulls.set(pull.number, { ...before, closes, mentions });
  };
  for (const pull of nodesOf(pullRequests)) add(pull, {});
  for (const pull of nodesOf(issue.closedByPullRequestsReferences)) add(pull, { closes: true });
  for (const { source, willCloseTarget: closes = false } of timeline)
    if (source) add(source, { closes, mentions: true });
  return [...pulls.values()];
}

function pullOf(pull: FoundPull): RelatedPull {
  const { number, title, state, mergedAt, author } = pull;
  return {
    number,
    title,
    state: STATES[state],
    ...(mergedAt ? { mergedAt } : {}),
    ...(author ? { author } : {}),
    isFromFork: pull.isCrossRepository,
    branch: pull.headRefName,
    closes: false,
    mentions: false,
    paths: nodesOf(pull.files).map(({ path }) => path),
  };
}

const STATES = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const;

const nodesOf = <T>(
  list: { readonly nodes?: readonly (T | null)[] | null | undefined } | null | undefined,
): T[] => (list?.nodes ?? []).filter((node) => node !== null);
