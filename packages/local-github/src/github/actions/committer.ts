import { GITHUB_SIGNATURE, type Signature } from '../git/git.ts';
import type { User } from '../state.ts';

/** The author of a commit that someone makes on a page or by a merge (rule `merge-author`). */
export const committer = (user: User): Signature =>
  user.type === 'Organization'
    ? GITHUB_SIGNATURE
    : { name: user.login, email: `${user.login}@users.noreply.localhost` };
