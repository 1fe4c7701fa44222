// What people may do in a repository.
import { ifFound } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { ownerAndRepo } from '../requests/octokit.ts';

export type PermissionLevel = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';

const LEVELS: readonly PermissionLevel[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];
const levelOf = (name: string | undefined): PermissionLevel | undefined =>
  LEVELS.find((level) => level === name);

/**
 * What an account may do. With `id`, that account is meant: it keeps its rights if it is renamed, and whoever takes its
 * login has none of them.
 */
export async function permissionOf(
  gate: Gate,
  username: string,
  id?: number,
): Promise<PermissionLevel> {
  const found = await collaborator(gate, username);
  if (id === undefined || (found !== undefined && (found.id ?? id) === id))
    return found?.level ?? 'none';
  const present = await ifFound(gate.octokit.rest.users.getById({ account_id: id }));
  if (present === undefined || present.data.login === username) return 'none';
  const renamed = await collaborator(gate, present.data.login);
  return renamed?.id === id ? renamed.level : 'none';
}

/**
 * Whether everyone on the internet can read the repository. A public one of an Enterprise Server is for those who reach that
 * server.
 */
export async function isPublic(gate: Gate, gitUrl: string): Promise<boolean> {
  if (new URL(gitUrl).host !== 'github.com') return false;
  const { data } = await gate.octokit.rest.repos.get(ownerAndRepo(gate));
  return data.private === false && data.visibility === 'public';
}

/** `undefined`: there is no such account. `role_name` is the finer one, but may be a role of the organisation's own making. */
async function collaborator(gate: Gate, username: string) {
  const at = { ...ownerAndRepo(gate), username };
  const found = await ifFound(gate.octokit.rest.repos.getCollaboratorPermissionLevel(at));
  if (found === undefined) return undefined;
  const { role_name: role, permission, user } = found.data;
  return { id: user?.id, level: levelOf(role) ?? levelOf(permission) ?? 'none' };
}
