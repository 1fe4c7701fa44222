// The threads of line comments on a pull request. Only GraphQL says which of them are resolved.
import { z } from 'zod';
import type { Gate } from '../gate.ts';
import { unlessGraphqlError } from '../requests/graphql.ts';

/** A thread as GitHub has it now. */
export interface FoundThread {
  /** For GraphQL. */
  readonly node: string;
  readonly isResolved: boolean;
  /** The lines were changed since. */
  readonly isOutdated: boolean;
  /** It is about a file, not about lines. */
  readonly isOnFile: boolean;
  /** GitHub has looked where its lines are in the head: it does that some time after a push. */
  readonly isPlaced: boolean;
  /** The ids of its comments, oldest first; the first hundred. */
  readonly comments: readonly number[];
}

const PAGES = 5;

const THREADS = `query ($owner: String!, $name: String!, $pull: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $pull) {
      headRefOid
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated subjectType
          comments(first: 100) { nodes { databaseId } }
          begin: comments(first: 1) { nodes { commit { oid } } }
        }
      }
    }
  }
}`;

const Node = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  subjectType: z.string(),
  begin: z.object({
    nodes: z.array(z.object({ commit: z.object({ oid: z.string() }).nullable() })),
  }),
  comments: z.object({ nodes: z.array(z.object({ databaseId: z.number().nullable() })) }),
});
const Answer = z.object({
  repository: z.object({
    pullRequest: z.object({
      headRefOid: z.string(),
      reviewThreads: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
        nodes: z.array(Node),
      }),
    }),
  }),
});

/** The threads of a pull request, the first five hundred; `undefined` if GitHub does not tell. */
export async function reviewThreads(
  gate: Gate,
  pull: number,
): Promise<readonly FoundThread[] | undefined> {
  const { owner, name } = gate.repository;
  const threads: FoundThread[] = [];
  let after: string | null = null;
  for (let page = 1; page <= PAGES; page += 1) {
    const variables = { owner, name, pull, after, request: { repeatable: true } };
    const data: unknown = await gate.octokit.graphql(THREADS, variables).catch(unlessGraphqlError);
    const answer = Answer.safeParse(data).data;
    if (answer === undefined) return undefined;
    const { headRefOid: head, reviewThreads: found } = answer.repository.pullRequest;
    const { nodes, pageInfo } = found;
    threads.push(...nodes.map((node) => threadOf(node, head)));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  return threads;
}

const threadOf = (
  { id: node, isResolved, isOutdated, subjectType, begin, comments }: z.output<typeof Node>,
  head: string,
): FoundThread => ({
  node,
  isResolved,
  isOutdated,
  isOnFile: subjectType === 'FILE',
  isPlaced: isOutdated || begin.nodes[0]?.commit?.oid === head,
  comments: comments.nodes.flatMap(({ databaseId: id }) => id ?? []),
});
