import type { Repository, Role, User } from './state.ts';

const RANKING: readonly Role[] = ['read', 'triage', 'write', 'maintain', 'admin'];

/** Every repository is public, so everyone can read it. */
export const roleOf = (repository: Repository, user: User): Role =>
  user.id === repository.owner.id ? 'admin' : (repository.collaborators.get(user.login) ?? 'read');

export const hasRole = (repository: Repository, user: User, needed: Role): boolean =>
  RANKING.indexOf(roleOf(repository, user)) >= RANKING.indexOf(needed);

/** What a repository says of the person who asks. */
export const permissionsOf = (repository: Repository, user: User) => ({
  admin: hasRole(repository, user, 'admin'),
  maintain: hasRole(repository, user, 'maintain'),
  push: hasRole(repository, user, 'write'),
  triage: hasRole(repository, user, 'triage'),
  pull: true,
});
