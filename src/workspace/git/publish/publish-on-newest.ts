// A commit whose workflow files are not those of the base branch any more, published all the same.
import type { CatchUpRequest, CaughtUp } from '../../../contracts/git.ts';
import { TellPerson } from '../../../lib/errors.ts';
import { otherWorkflows } from '../../../session/texts/push-denials.ts';
import { reachRemote } from '../credentials.ts';
import { adoptCommit, hasSameChange, publishCommit, type PublishParts } from './publish.ts';
import { BranchMoved, WorkflowsDenied } from './push-denied.ts';

/** What the base branch is now; `undefined`: there is none. */
export type NewestBase = () => Promise<CatchUpRequest | undefined>;

interface Published {
  readonly sha: string;
  readonly caughtUp?: CaughtUp;
}

const CATCH_UP_MS = 300_000;
const LOOK_MS = 60_000;

/**
 * Publishes like `publishCommit`. If GitHub takes its workflow files from no App, the commit catches up with the base branch,
 * again as long as that moves on.
 */
export async function publishOnNewest(
  parts: PublishParts,
  newest: NewestBase | undefined,
): Promise<Published> {
  let caughtUp: CaughtUp | undefined;
  for (;;) {
    try {
      const sha = await publishCommit(parts);
      return caughtUp === undefined ? { sha } : { sha, caughtUp };
    } catch (error) {
      if (newest === undefined || parts.access === 'workflows') throw error;
      if (error instanceof BranchMoved) return await publishedBefore(parts, newest, error);
      if (!(error instanceof WorkflowsDenied)) throw error;
      const base = await newest();
      const isKnown = base === undefined || base.onto === caughtUp?.onto;
      caughtUp = isKnown ? undefined : await catchUp(parts, base);
      if (caughtUp === undefined) throw unlike(parts, error);
    }
  }
}

const unlike = ({ branch }: PublishParts, error: WorkflowsDenied): TellPerson =>
  new TellPerson(otherWorkflows(branch, serverWords(error)), { cause: error });

/** As the denial ends. */
const serverWords = ({ message }: Error): string =>
  /The server's message: .*$/s.exec(message)?.[0] ?? '';

const catchUp = (
  { client, credentials }: PublishParts,
  base: CatchUpRequest,
): Promise<CaughtUp | undefined> =>
  reachRemote({ credentials, access: 'read', signal: client.signal }, (token) =>
    client.call('catchUp', { ...base, token }, CATCH_UP_MS),
  );

/**
 * The branch may be at this commit, made for the base branch of that time by an attempt that was cut off: the same change
 * on another parent, or with other workflow files. @throws `moved` if it is not
 */
async function publishedBefore(
  parts: PublishParts,
  newest: NewestBase,
  moved: BranchMoved,
): Promise<Published> {
  const { client, branch, publishing } = parts;
  const head = await publishing?.api.head(branch);
  const found = head === undefined ? undefined : await publishing?.api.read(head);
  if (found === undefined) throw moved;
  const own = await client.call('lastCommit', undefined, LOOK_MS);
  const other = found.parents.find((parent) => !own.parents.includes(parent));
  const base = other === undefined ? await newest() : { onto: other, isFirst: true };
  const caughtUp = base && (await catchUp(parts, base));
  if (caughtUp === undefined) throw moved;
  const again = await client.call('lastCommit', undefined, LOOK_MS);
  if (!hasSameChange(found, again) || found.message.trim() !== again.message.trim()) throw moved;
  return { sha: await adoptCommit(parts, found), caughtUp };
}
