// New repositories, and their settings.
import { noChecks } from '../checks/state.ts';
import type { MergeSettings, Repository } from '../state.ts';
import { timestamp } from '../state.ts';
import type { World } from '../world.ts';

type Begun = Pick<
  Repository,
  'owner' | 'name' | 'git' | 'defaultBranch' | 'collaborators' | 'installationId'
>;

/** Adds a repository whose git data is there already. */
export function recordRepository(world: World, begun: Begun): Repository {
  const repository: Repository = {
    id: world.nextId(),
    ...begun,
    fullName: `${begun.owner.login}/${begun.name}`,
    createdAt: timestamp(),
    pushedAt: timestamp(),
    archived: false,
    parentId: undefined,
    nextNumber: 1,
    labels: [],
    issues: [],
    comments: [],
    reviews: [],
    reviewThreads: [],
    reviewComments: [],
    checks: noChecks(),
    rulesets: [],
    hooks: [],
  };
  world.repositories.set(repository.fullName.toLowerCase(), repository);
  world.moves.nameTaken(repository.fullName);
  world.changed();
  return repository;
}

export function changeMergeSettings(
  world: World,
  repository: Repository,
  settings: Partial<MergeSettings>,
): void {
  repository.mergeSettings = { ...repository.mergeSettings, ...settings };
  world.changed();
}
