// Whom a page is for, and what of all sessions that person sees.
import type { RepositoryAccess } from '../contracts/sign-in.ts';
import type { SessionSource } from './session-source.ts';

export interface Viewer {
  /** `undefined`: whoever has the operator's token. */
  readonly login: string | undefined;
  /** Sessions of all repositories, whatever GitHub says of the person. */
  readonly seesAll: boolean;
  /** What GitHub says, by its numbers. */
  readonly repositories: ReadonlyMap<number, RepositoryAccess>;
}

export const OPERATOR: Viewer = { login: undefined, seesAll: true, repositories: new Map() };

export const mayWrite = ({ repositories }: Viewer, repository: number): boolean =>
  repositories.get(repository) === 'write';

/** The same sessions, without those of repositories that the person cannot read: for them these do not exist. */
export function visibleTo({ seesAll, repositories }: Viewer, source: SessionSource): SessionSource {
  if (seesAll) return source;
  const within = [...repositories.keys()];
  const isVisible = async (id: string): Promise<boolean> => {
    const repository = await source.repositoryOf(id);
    return repository !== undefined && repositories.has(repository);
  };
  const ifVisible = async <T>(id: string, read: () => Promise<T>): Promise<T | undefined> =>
    (await isVisible(id)) ? read() : undefined;
  return {
    list: (query) => source.list(query, within),
    totals: (since) => source.totals(since, within),
    repositoryOf: (id) => ifVisible(id, () => source.repositoryOf(id)),
    newest: async (ids) => {
      const visible = await Promise.all(ids.map(isVisible));
      return source.newest(ids.filter((_id, at) => visible[at]));
    },
    part: (id, range) => ifVisible(id, () => source.part(id, range)),
    journal: (id) => ifVisible(id, () => source.journal(id)),
    memories: (id) => ifVisible(id, () => source.memories(id)),
    request: (id, at) => ifVisible(id, () => source.request(id, at)),
  };
}
