import { GITHUB_SIGNATURE, type Signature } from '../git/git.ts';
import type { User } from '../state.ts';

/** Who is the author of a commit that someone makes on GitHub. */
export const committer = (user: User): Signature =>
  user.type === 'Organization'
    ? GITHUB_SIGNATURE
    : { name: user.login, email: `${user.login}@users.noreply.localhost` };
