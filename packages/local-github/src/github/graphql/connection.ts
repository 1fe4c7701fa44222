// Lists in pages, as GraphQL has them.
import { GitHubError } from '../github-error.ts';

export interface Paging {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

const MOST = 100;

/** Throws GitHub's error if `paging` does not say how many. */
export function connection<T>(name: string, items: readonly T[], paging: Paging) {
  const { first, last, after, before } = paging;
  const count = first ?? last;
  if (count === undefined || count === null) return onlyCounted(name, items);
  if (count > MOST)
    throw new GitHubError(
      'graphql-paging',
      422,
      `Requesting ${count} records on the \`${name}\` connection exceeds the \`${first === count ? 'first' : 'last'}\` limit of ${MOST} records.`,
    );
  const from = after === undefined || after === null ? 0 : indexOf(after) + 1;
  const to = before === undefined || before === null ? items.length : indexOf(before);
  const start = first === count ? from : Math.max(from, to - count);
  const end = first === count ? Math.min(to, from + count) : to;
  const edges = items
    .slice(start, end)
    .map((node, index) => ({ cursor: cursorOf(start + index), node }));
  return {
    totalCount: items.length,
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: end < items.length,
      hasPreviousPage: start > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** A list is counted for those who do not say how much of it they want (rule `graphql-counts`). */
function onlyCounted(name: string, items: readonly unknown[]) {
  const refuse = (): never => {
    throw new GitHubError(
      'graphql-paging',
      422,
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  };
  return { totalCount: items.length, nodes: refuse, edges: refuse, pageInfo: refuse };
}

const cursorOf = (index: number): string => Buffer.from(`cursor:${index}`).toString('base64');

const indexOf = (cursor: string): number =>
  Number(Buffer.from(cursor, 'base64').toString().replace('cursor:', '')) || 0;
