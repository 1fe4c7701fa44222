import { unless } from '../../../lib/errors.ts';
import { GitHubDenied } from '../../../github/errors.ts';
import type { GitHubRepository } from '../../../github/repository.ts';
import type { WrittenText } from '../../../github/issues.ts';
import type { PersonsText } from '../../../contracts/forge.ts';
import { MAY_ASK } from '../../admission/who-may.ts';

type Standing = PersonsText['standing'];

/** A thread has no limit of writers. The permissions of so many are looked up; the others are not trusted. */
const MAX_LOOKUPS = 50;

/** Tells what the author of a text may do here. Each person is looked up once in a run. */
export function standings(
  github: Pick<GitHubRepository, 'permissionOf'>,
): (written: WrittenText) => Promise<Standing> {
  const known = new Map<string, Promise<Standing>>();
  return ({ author, isOwn }) => {
    if (isOwn) return Promise.resolve('app');
    const before = known.get(author);
    if (before !== undefined) return before;
    if (known.size >= MAX_LOOKUPS) return Promise.resolve('other');
    const standing = lookUp(github, author);
    known.set(author, standing);
    standing.catch(() => known.delete(author));
    return standing;
  };
}

async function lookUp(
  github: Pick<GitHubRepository, 'permissionOf'>,
  login: string,
): Promise<Standing> {
  const permission = (await unless(GitHubDenied, github.permissionOf(login))) ?? 'none';
  return MAY_ASK.has(permission) ? 'writer' : 'other';
}
