// What the invariants have to find, done on purpose.
import type { Person } from '../../packages/local-github/src/github/people.ts';
import type { World } from './world.ts';

const APP = 'issuewright[bot]';
const author = { name: APP, email: `${APP}@users.noreply.github.com` };

export const asApp = ({ stage }: World): Person => stage.github.as(APP);

export function commentTwice(world: World): readonly { readonly id: number }[] {
  const say = () => asApp(world).comment(world.thread(1), 'Hello.');
  return [say(), say()];
}

/** A commit of one file, as if the App had pushed it. */
export const commitAsApp = (
  { repository: { git, defaultBranch: from } }: World,
  { branch, message, content }: { branch: string; message: string; content: string },
): Promise<string> =>
  git.commitFiles({ branch, files: { 'planted.txt': content }, message, author, from });

/** Opens one as the App, which needs no role for that. */
export async function openPullAsApp(world: World, head: string) {
  const { repository } = world;
  const pull = { title: 'By hand', body: '', head, base: repository.defaultBranch };
  repository.collaborators.set(APP, 'write');
  const opened = await asApp(world).openPull(repository, pull);
  repository.collaborators.delete(APP);
  return opened;
}
