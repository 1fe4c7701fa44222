import type { Person } from '../../contracts/intent.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { RepositorySettings } from '../../session/settings/index.ts';

const RANKS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

type Role = (typeof RANKS)[number];

/** What was looked up before, by login. */
export type Permissions = Map<string, Promise<Role>>;

/** Roles that may request work and whose comments are followed, unless the settings say otherwise. */
export const MAY_ASK: ReadonlySet<string> = new Set(['write', 'maintain', 'admin']);

export const isAllowedBot = (
  { login }: Pick<Person, 'login'>,
  allowedBots: readonly string[],
): boolean => allowedBots.includes(login.toLowerCase());

/** Whether the person has the role or more. @throws {GitHubDenied} if GitHub does not let us look it up */
export async function mayAsk(
  github: Pick<GitHubRepository, 'permissionOf'>,
  login: string,
  least: RepositorySettings['who'],
  known: Permissions,
): Promise<boolean> {
  const asked = known.get(login) ?? github.permissionOf(login);
  known.set(login, asked);
  return RANKS.indexOf(await asked) >= RANKS.indexOf(least);
}
