// Finds the commit of a call that was cut off: the branch has it, and the journal does not.
import type { CommitDone } from '../../../contracts/git.ts';
import type { GitClient } from '../client.ts';
import { reachRemote } from '../credentials.ts';
import type { GitOperations } from '../operations.ts';
import { adoptCommit, hasSameChange, moveOnto, type PublishParts } from './publish.ts';

const LOOK_MS = 60_000;
const FETCH_MS = 300_000;

type Request = Parameters<GitOperations['commit']>[0];

interface Recovery extends Pick<Request, 'approved' | 'decided' | 'except' | 'recorded'> {
  /** The last commit that is known. */
  readonly base: string;
  /** A known commit on top of it, see `PublishParts`. */
  readonly replaces?: string | undefined;
}

/**
 * If the branch is at a commit on top of `base`, or of `replaces`, that has nothing but changes of the workspace, all or some of them, or its
 * merge, the workspace continues there. It is compared with the commit that the workspace makes of the same files.
 */
export async function recoverCommit(
  parts: Required<Pick<PublishParts, 'client' | 'credentials' | 'branch' | 'publishing'>>,
  { base, replaces, ...request }: Recovery,
): Promise<CommitDone | undefined> {
  const { client, credentials, branch, publishing } = parts;
  const head = await publishing?.api.head(branch);
  if (head === undefined || head === base || head === replaces) return undefined;
  const found = await publishing?.api.read(head);
  const below = found?.parents[0];
  if (found === undefined || below === undefined || ![base, replaces].includes(below))
    return undefined;
  await reachRemote({ credentials, access: 'read', signal: client.signal }, (token) =>
    client.call('fetchMade', { commit: head, token }, FETCH_MS),
  );
  const made = await remade(client, found, request, () =>
    below === base ? Promise.resolve() : moveOnto({ client, credentials }, below),
  );
  if (made === undefined) return undefined;
  return { ...made, sha: await adoptCommit(parts, found), message: found.message.trim() };
}

async function remade(
  client: GitClient,
  found: Parameters<typeof hasSameChange>[0],
  request: Omit<Recovery, 'base' | 'replaces'>,
  move: () => Promise<void>,
): Promise<CommitDone | undefined> {
  const only = await client.call('differing', { tree: found.tree }, LOOK_MS);
  const alone = only.length === 0 ? ({ mergeAlone: true } as const) : {};
  const { message } = found;
  const made = await client.call('commit', { ...request, ...alone, message, at: 0, only }, LOOK_MS);
  if (made === undefined || 'unresolved' in made) return undefined;
  await move();
  const own = await client.call('lastCommit', undefined, LOOK_MS);
  return hasSameChange(found, own) ? made : undefined;
}
