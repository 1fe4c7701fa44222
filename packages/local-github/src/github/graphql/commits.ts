// Branches and the history of commits, as GraphQL shows them.
import { commitFacts, log, type CommitFacts } from '../git/pull.ts';
import type { Repository } from '../state.ts';
import { checkRollup } from './check-rollup.ts';
import { connection, type Paging } from './connection.ts';

const PREFIX = 'refs/heads/';

/** The maximum of commits here (rule `commits-without-limit`). */
const MOST_COMMITS = 1000;

export interface RefQuery extends Paging {
  readonly refPrefix: string;
  readonly query?: string | null;
}

/** The branches whose names contain `query`. */
export async function refsOf(
  repository: Repository,
  { refPrefix, query, ...paging }: RefQuery,
): Promise<object> {
  const names = refPrefix === PREFIX ? [...(await repository.git.branches()).keys()] : [];
  const wanted = (query ?? '').toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(wanted));
  const nodes = found.map((name) => refNode(repository, name));
  return connection('refs', nodes, paging);
}

export const refNode = (repository: Repository, name: string) => ({
  __typename: 'Ref',
  id: `REF_${Buffer.from(`${repository.id}:${name}`).toString('base64url')}`,
  name,
  prefix: PREFIX,
  target: async () => {
    const sha = await repository.git.head(name);
    return sha === undefined ? null : commitNodeOf(repository, sha);
  },
});

/** `null` if there is no such commit. */
export async function commitNodeOf(repository: Repository, sha: string): Promise<object | null> {
  const commit = await commitFacts(repository, sha);
  return commit === undefined ? null : commitNode(repository, commit);
}

function commitNode(repository: Repository, commit: CommitFacts): object {
  const { sha, message, committer, parents } = commit;
  return {
    __typename: 'Commit',
    oid: sha,
    message,
    messageHeadline: message.split('\n')[0] ?? '',
    committedDate: committer.date,
    statusCheckRollup: () => checkRollup(repository, sha),
    parents: async (paging: Paging) => {
      const nodes = await Promise.all(parents.map((parent) => commitNodeOf(repository, parent)));
      return connection('parents', nodes, paging);
    },
    history: async ({ since, ...paging }: Paging & { readonly since?: string | null }) => {
      const from = since === undefined || since === null ? [] : [`--since=${since}`];
      const commits = await log(repository, [`-${MOST_COMMITS}`, ...from, sha]);
      const nodes = commits.map((one) => commitNode(repository, one));
      return connection('history', nodes, paging);
    },
  };
}
