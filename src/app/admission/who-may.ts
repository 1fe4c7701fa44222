import type { Person } from '../../contracts/intent.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { RepositorySettings } from '../../session/settings/index.ts';

const RANKS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

type Role = (typeof RANKS)[number];

/** `id` if it is known: the login may be another account's by now. */
export type AskingAccount = Pick<Person, 'login' | 'operator'> & {
  readonly id?: number | undefined;
};

/** What was looked up before, by login and id. */
export type KnownRoles = Map<string, Promise<Role>>;

/** Roles that may request work and whose comments are followed, unless the settings say otherwise. */
export const MAY_ASK: ReadonlySet<string> = new Set(['write', 'maintain', 'admin']);

export const isAllowedBot = (
  { login }: Pick<Person, 'login'>,
  allowedBots: readonly string[],
): boolean => allowedBots.includes(login.toLowerCase());

/** Whether the person has the role or more. @throws {GitHubDenied} if GitHub does not let us look it up */
export async function mayAsk(
  github: Pick<GitHubRepository, 'permissionOf'>,
  { login, id, operator }: AskingAccount,
  least: RepositorySettings['who'],
  known: KnownRoles,
): Promise<boolean> {
  if (operator === true) return true;
  const key = `${login} ${id ?? ''}`;
  const asked = known.get(key) ?? github.permissionOf(login, id);
  known.set(key, asked);
  return RANKS.indexOf(await asked) >= RANKS.indexOf(least);
}
