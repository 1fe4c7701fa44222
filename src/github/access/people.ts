// What people may do in a repository.
import { ifFound } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { ownerAndRepo } from '../requests/octokit.ts';

export type PermissionLevel = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';

const LEVELS: readonly PermissionLevel[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];
const levelOf = (name: string | undefined): PermissionLevel | undefined =>
  LEVELS.find((level) => level === name);

/** `role_name` is the finer one, but may be a role of the organisation's own making. */
export async function permissionOf(
  gate: Gate,
  username: string,
  id?: number,
): Promise<PermissionLevel> {
  const at = { ...ownerAndRepo(gate), username };
  const found = await ifFound(gate.octokit.rest.repos.getCollaboratorPermissionLevel(at));
  const foundId = found?.data.user?.id;
  if (id !== undefined && foundId !== undefined && foundId !== id) return 'none';
  return levelOf(found?.data.role_name) ?? levelOf(found?.data.permission) ?? 'none';
}
