// Forks, and the pull requests from them.
import path from 'node:path';
import { noChecks } from '../checks/state.ts';
import { RepositoryGit } from '../git/repository.ts';
import type { Hub } from '../hub.ts';
import { repositoryPayload } from '../payloads/repository.ts';
import type { PullRequest, Repository, User } from '../state.ts';
import { isPull, timestamp } from '../state.ts';
import { hasRole } from '../roles.ts';
import type { World } from '../world.ts';

/** The fork that someone has, or a new one. The App is not installed there. */
export async function forkRepository(
  hub: Hub,
  base: Repository,
  owner: User,
  name = base.name,
): Promise<Repository> {
  const { world } = hub;
  const known = forksOf(world, base).find((one) => one.owner.id === owner.id);
  if (known !== undefined) return known;
  const folder = path.dirname(path.dirname(base.git.directory));
  const git = new RepositoryGit(path.join(folder, owner.login, `${name}.git`));
  await git.copy(base.git);
  const now = timestamp();
  const fork: Repository = {
    ...base,
    id: world.nextId(),
    owner,
    name,
    fullName: `${owner.login}/${name}`,
    parentId: base.id,
    createdAt: now,
    pushedAt: now,
    archived: false,
    installationId: undefined,
    nextNumber: 1,
    collaborators: new Map(),
    labels: [],
    issues: [],
    comments: [],
    rulesets: [],
    hooks: [],
    reviews: [],
    reviewThreads: [],
    reviewComments: [],
    checks: noChecks(),
    git,
  };
  world.repositories.set(fork.fullName.toLowerCase(), fork);
  world.changed();
  hub.webhooks.emit('fork', base, owner, { forkee: repositoryPayload(world, fork) });
  return fork;
}

/** Pull requests from it stay open, with the commits that they have (rule `deleted-fork`). */
export function deleteRepository({ world }: Hub, repository: Repository): void {
  world.repositories.delete(repository.fullName.toLowerCase());
  world.changed();
}

export const forksOf = ({ repositories }: World, { id }: Repository): Repository[] =>
  [...repositories.values()].filter((one) => one.parentId === id);

/** The repository that the head of a pull request is in; undefined if that fork is gone. */
export function headRepository(
  { repositories }: World,
  base: Repository,
  { pull }: PullRequest,
): Repository | undefined {
  if (pull.headRepositoryId === undefined) return base;
  return [...repositories.values()].find((one) => one.id === pull.headRepositoryId);
}

/** The open pull requests whose head is a branch of the repository, with their base repositories. */
export function pullsFrom(
  world: World,
  repository: Repository,
  branch: string,
): { readonly base: Repository; readonly issue: PullRequest }[] {
  return [...world.repositories.values()].flatMap((base) =>
    base.issues
      .filter(isPull)
      .filter(({ state, pull }) => state === 'open' && pull.head === branch)
      .filter((issue) => headRepository(world, base, issue) === repository)
      .map((issue) => ({ base, issue })),
  );
}

/**
 * The branches of a fork that a person may push to only because a pull request allows it to the maintainers of
 * its base (rule `fork-edits`); `undefined` if the person may push to all.
 */
export function branchesForMaintainer(
  world: World,
  fork: Repository,
  user: User,
): ReadonlySet<string> | undefined {
  if (fork.parentId === undefined || hasRole(fork, user, 'write')) return undefined;
  const base = [...world.repositories.values()].find(({ id }) => id === fork.parentId);
  if (base === undefined || !hasRole(base, user, 'write')) return new Set();
  const open = base.issues.filter(isPull).filter(({ state }) => state === 'open');
  return new Set(
    open
      .filter(({ pull }) => pull.headRepositoryId === fork.id && pull.maintainerCanModify)
      .map(({ pull }) => pull.head),
  );
}
