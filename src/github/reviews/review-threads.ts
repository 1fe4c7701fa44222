// The threads of line comments on a pull request. Only GraphQL says which of them are resolved.
import { z } from 'zod';
import type { Gate } from '../gate.ts';
import { isGraphqlError } from '../pull-requests.ts';

/** A thread as GitHub has it now. */
export interface FoundThread {
  /** For GraphQL. */
  readonly node: string;
  readonly isResolved: boolean;
  /** The lines were changed since. */
  readonly isOutdated: boolean;
  /** The ids of its comments, oldest first; the first hundred. */
  readonly comments: readonly number[];
}

const PAGES = 5;

const THREADS = `query ($owner: String!, $name: String!, $pull: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $pull) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved isOutdated comments(first: 100) { nodes { databaseId } } }
      }
    }
  }
}`;

const Node = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  comments: z.object({ nodes: z.array(z.object({ databaseId: z.number().nullable() })) }),
});
const Answer = z.object({
  repository: z.object({
    pullRequest: z.object({
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
    const data: unknown = await gate.octokit.graphql(THREADS, variables).catch(unknown);
    const answer = Answer.safeParse(data).data;
    if (answer === undefined) return undefined;
    const { nodes, pageInfo } = answer.repository.pullRequest.reviewThreads;
    threads.push(...nodes.map(threadOf));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  return threads;
}

const threadOf = ({ id: node, isResolved, isOutdated, comments }: z.output<typeof Node>) => ({
  node,
  isResolved,
  isOutdated,
  comments: comments.nodes.flatMap(({ databaseId: id }) => id ?? []),
});

function unknown(error: unknown): undefined {
  if (!isGraphqlError(error)) throw error;
}
