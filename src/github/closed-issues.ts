// Closed issues with the pull requests that closed them, for an evaluation.
import { z } from 'zod';
import { TellPerson } from '../lib/errors.ts';
import type { Gate } from './gate.ts';
import { unlessGraphqlError } from './requests/graphql.ts';
import { ownerAndRepo } from './requests/octokit.ts';

/** A merged pull request of the same repository that closes an issue. */
export interface ClosingPull {
  readonly number: number;
  readonly openedAt: string;
  readonly mergedAt: string;
  /** Commits: the one before the merge on the base branch, and its own last one. */
  readonly base: string;
  readonly head: string;
  /** How many issues it closes. */
  readonly closes: number;
}

export interface ClosedIssue {
  readonly number: number;
  readonly title: string;
  /** When its title or its text was changed for the last time; `undefined`: never. */
  readonly changedAt: string | undefined;
  readonly pulls: readonly ClosingPull[];
}

export interface ClosedIssues {
  readonly issues: readonly ClosedIssue[];
  /** Where the next page begins; `undefined`: there is none. */
  readonly next: string | undefined;
}

type RepositoryGate = Pick<Gate, 'octokit' | 'repository'>;

const QUERY = `query ($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    issues(states: [CLOSED], first: 25, after: $after, orderBy: { field: CREATED_AT, direction: DESC }) {
      pageInfo { hasNextPage endCursor }
      nodes {
        number title lastEditedAt
        timelineItems(last: 1, itemTypes: [RENAMED_TITLE_EVENT]) {
          nodes { ... on RenamedTitleEvent { createdAt } }
        }
        closedByPullRequestsReferences(first: 10, includeClosedPrs: true) {
          nodes {
            number createdAt mergedAt headRefOid
            mergeCommit { parents(first: 1) { nodes { oid } } }
            repository { databaseId }
            closingIssuesReferences(first: 1) { totalCount }
          }
        }
      }
    }
  }
}`;

const list = <T extends z.ZodType>(of: T) =>
  z
    .object({ nodes: z.array(of.nullable()).nullish() })
    .nullish()
    .transform((found) => (found?.nodes ?? []).flatMap((node) => (node ? [node] : [])));

const Pull = z.object({
  number: z.number(),
  createdAt: z.string(),
  mergedAt: z.string().nullish(),
  mergeCommit: z.object({ parents: list(z.object({ oid: z.string() })) }).nullish(),
  headRefOid: z.string(),
  repository: z.object({ databaseId: z.number().nullish() }),
  closingIssuesReferences: z.object({ totalCount: z.number() }).nullish(),
});

const Issue = z.object({
  number: z.number(),
  title: z.string(),
  lastEditedAt: z.string().nullish(),
  timelineItems: list(z.object({ createdAt: z.string() })),
  closedByPullRequestsReferences: list(Pull),
});

const Answer = z.object({
  repository: z.object({
    issues: z.object({
      pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
      nodes: z.array(Issue.nullable()).nullish(),
    }),
  }),
});

/** Those opened last first, a page of them. @throws {TellPerson} if GitHub does not answer that */
export async function closedIssues(
  gate: RepositoryGate,
  after: string | undefined,
): Promise<ClosedIssues> {
  const { owner, name, id } = gate.repository;
  const variables = { owner, name, after: after ?? null, request: { repeatable: true } };
  const data: unknown = await gate.octokit.graphql(QUERY, variables).catch(unlessGraphqlError);
  const { success, data: answer } = Answer.safeParse(data);
  if (!success)
    throw new TellPerson(
      `GitHub does not say which pull requests closed the issues of ${owner}/${name}. The token has to read its issues and pull requests; an old Enterprise Server cannot answer.`,
    );
  const { nodes, pageInfo } = answer.repository.issues;
  return {
    issues: (nodes ?? []).flatMap((issue) => (issue ? [closedIssue(issue, id)] : [])),
    next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined,
  };
}

function closedIssue(issue: z.output<typeof Issue>, repository: number): ClosedIssue {
  const { number, title, lastEditedAt, timelineItems, closedByPullRequestsReferences } = issue;
  const changes = [...timelineItems.map(({ createdAt }) => createdAt), lastEditedAt ?? ''];
  return {
    number,
    title,
    changedAt: changes.toSorted().at(-1) || undefined,
    pulls: closedByPullRequestsReferences.flatMap((pull) => closingPull(pull, repository)),
  };
}

/** Anyone may name the issue in a repository of their own, so those of other repositories are left out. */
function closingPull(pull: z.output<typeof Pull>, own: number): readonly ClosingPull[] {
  const { number, createdAt: openedAt, mergedAt, headRefOid: head } = pull;
  const base = pull.mergeCommit?.parents[0]?.oid;
  if (!mergedAt || base === undefined || pull.repository.databaseId !== own) return [];
  const closes = pull.closingIssuesReferences?.totalCount ?? 1;
  return [{ number, openedAt, mergedAt, base, head, closes }];
}

/** The commit at which `head` left `base`. */
export async function mergeBase(gate: RepositoryGate, base: string, head: string): Promise<string> {
  const { data } = await gate.octokit.rest.repos.compareCommitsWithBasehead({
    ...ownerAndRepo(gate),
    basehead: `${base}...${head}`,
    per_page: 1,
  });
  return data.merge_base_commit.sha;
}
