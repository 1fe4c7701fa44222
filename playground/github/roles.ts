import type { Repository, Role, User } from './state.ts';

const RANKING: readonly Role[] = ['read', 'triage', 'write', 'maintain', 'admin'];

export function hasRole(repository: Repository, user: User, needed: Role): boolean {
  if (user.id === repository.owner.id) return true;
  const role = repository.collaborators.get(user.login) ?? 'read'; // every repository is public
  return RANKING.indexOf(role) >= RANKING.indexOf(needed);
}
