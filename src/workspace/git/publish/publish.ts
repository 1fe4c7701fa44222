// How a commit gets to GitHub: made through its API, which signs it, or pushed.
import type {
  CommitContent,
  MadeCommit,
  VerifiedCommits,
  CatchUpRequest,
  CaughtUp,
  CommitDone,
} from '../../../contracts/git.ts';
import { TellPerson } from '../../../lib/errors.ts';
import { MOST_REQUESTS_OF_COMMIT } from '../../../lib/write-budget.ts';
import {
  cannotBeVerified,
  UNFIT,
  UNSIGNED_BY_SETTING,
  unsignedBecause,
  otherWorkflows,
} from '../../../session/texts/push-denials.ts';
import type { GitClient } from '../client.ts';
import { reachRemote, type Credentials } from '../credentials.ts';
import {
  BranchMoved,
  branchMoved,
  pushDenied,
  SignaturesRequired,
  WorkflowsDenied,
} from './push.ts';
import type { OperationRequest } from '../operations.ts';

export interface PublishOptions {
  /** `auto`: verified if the commit fits the limits, else pushed. */
  readonly strategy: 'auto' | 'verified' | 'push';
  readonly api: VerifiedCommits;
  /** Whether so many requests leave enough of what the installation may write. */
  readonly mayWrite: (requests: number) => Promise<boolean>;
}

/** `workflows`: for a commit that changes workflow files. */
export type PublishingFor = (access: 'write' | 'workflows') => PublishOptions;

/** The repository of a workspace, and access to the one on GitHub. */
interface RemoteAccess {
  readonly client: GitClient;
  readonly credentials: Credentials;
}

interface PublishParts extends RemoteAccess {
  readonly branch: string;
  /** A commit on top of the base that the branch may be at: it is gone from there then. */
  readonly replaces?: string | undefined;
  readonly access: 'write' | 'workflows';
  /** Missing: the commit is pushed. */
  readonly publishing: PublishOptions | undefined;
}

type WithApi = PublishParts & { readonly publishing: PublishOptions };

/** Why a commit was not made through the API. */
interface UnmadeCommit {
  /** A sentence. */
  readonly reason: string;
  /** It could be made later. */
  readonly isTemporary?: true;
}

const PUSH_MS = 120_000;
const LOOK_MS = 60_000;
const ADOPT_MS = 300_000;

const LIMITS = { files: 500, bytes: 4 * 1024 * 1024, inlineBytes: 100 * 1024 };

/**
 * Publishes the last commit of the workspace on the branch, and answers the id that it has there. Safe to repeat, although GitHub gives a commit that it makes
 * a time of its own: if the branch is at a commit with the same files, message and parents, that is the one.
 * @throws {BranchMoved} if someone else pushed
 * @throws {WorkflowsDenied} {TellPerson} if GitHub denies it
 */
async function publishCommit(parts: PublishParts): Promise<string> {
  const { replaces } = parts;
  try {
    return await publishOnce(parts);
  } catch (error) {
    if (replaces === undefined || !isDenial(error)) throw error;
    // By a rule that no branch loses a commit, perhaps: then the new one comes on top of that.
    await moveOnto(parts, replaces);
    return publishOnce(parts);
  }
}

/** The last commit of the workspace comes on top of another one. */
const moveOnto = ({ client, credentials }: RemoteAccess, commit: string): Promise<void> =>
  reachRemote({ credentials, access: 'read', signal: client.signal }, (token) =>
    client.call('moveOnto', { commit, token }, ADOPT_MS),
  );

const isDenial = (error: unknown): boolean =>
  error instanceof TellPerson &&
  !(error instanceof WorkflowsDenied) &&
  !(error instanceof SignaturesRequired);

async function publishOnce(parts: PublishParts): Promise<string> {
  const { client, branch, replaces, publishing } = parts;
  const own = await client.call('lastCommit', undefined, LOOK_MS);
  if (publishing === undefined) return pushed(parts, own.sha);
  const head = await publishing.api.head(branch);
  const withApi = { ...parts, publishing };
  const expected = [undefined, own.sha, own.parents[0], replaces];
  if (!expected.includes(head)) return foundAt(withApi, head, own);
  try {
    return await published(withApi, own.sha, head);
  } catch (error) {
    if (!(error instanceof BranchMoved)) throw error;
    // By an attempt that was cut off, and that the server has finished since.
    return foundAt(withApi, await publishing.api.head(branch), own);
  }
}

async function published(parts: WithApi, own: string, head: string | undefined): Promise<string> {
  const { client, publishing } = parts;
  if (head === own) return pushed(parts, own);
  if (publishing.strategy === 'push') return pushed(parts, own, UNSIGNED_BY_SETTING);
  const made = await make(client, publishing);
  return 'sha' in made ? moved(parts, made) : pushedInstead(parts, own, made);
}

/** The workspace continues on the commit that the branch is at. @throws {BranchMoved} unless that is the same */
async function foundAt(
  parts: WithApi,
  head: string | undefined,
  own: CommitContent,
): Promise<string> {
  const { branch, replaces, publishing } = parts;
  const found = head === undefined ? undefined : await publishing.api.read(head);
  if (found === undefined) throw branchMoved(branch);
  if (replaces !== undefined && found.parents[0] === replaces && own.parents[0] !== replaces) {
    await moveOnto(parts, replaces);
    return foundAt(parts, head, await parts.client.call('lastCommit', undefined, LOOK_MS));
  }
  if (!hasSameChange(found, own)) throw branchMoved(branch);
  if (found.message.trim() !== own.message.trim()) throw branchMoved(branch);
  return adoptCommit(parts, found);
}

const hasSameChange = (one: CommitContent, other: CommitContent): boolean =>
  one.tree === other.tree && one.parents.join() === other.parents.join();

async function make(
  client: GitClient,
  { api, strategy, mayWrite }: PublishOptions,
): Promise<MadeCommit | UnmadeCommit> {
  const commit = await client.call('commitToMake', LIMITS, LOOK_MS);
  if (typeof commit === 'string') return { reason: commit };
  const { changes } = commit;
  const contents = changes.flat().filter(({ content }) => content instanceof Uint8Array);
  // One for each content that is not in a tree, one for each tree, one for the commit and one for the branch.
  const requests = contents.length + changes.length + 2;
  if (requests > MOST_REQUESTS_OF_COMMIT)
    return { reason: UNFIT.tooManyRequests(requests, MOST_REQUESTS_OF_COMMIT) };
  if (strategy === 'auto' && !(await mayWrite(requests)))
    return { reason: UNFIT.budget, isTemporary: true };
  const made = await api.make(commit);
  return 'sha' in made ? made : { reason: made.words };
}

async function moved({ publishing, ...parts }: WithApi, made: MadeCommit): Promise<string> {
  const { branch, replaces } = parts;
  const over = made.parents.includes(replaces ?? '') ? undefined : replaces;
  const failure = await publishing.api.move(branch, made.sha, over);
  if (failure?.why === 'moved') throw branchMoved(branch);
  if (failure?.why === 'workflows')
    throw new WorkflowsDenied(pushDenied(branch, failure.words).message);
  if (failure !== undefined) throw pushDenied(branch, failure.words);
  return adoptCommit(parts, made);
}

/** The workspace continues on the commit that GitHub has. */
async function adoptCommit(
  { client, credentials }: RemoteAccess,
  commit: MadeCommit,
): Promise<string> {
  await reachRemote({ credentials, access: 'read', signal: client.signal }, (token) =>
    client.call('adopt', { commit, token }, ADOPT_MS),
  );
  return commit.sha;
}

async function pushedInstead(
  parts: WithApi,
  own: string,
  { reason, isTemporary }: UnmadeCommit,
): Promise<string> {
  const { client, branch, publishing } = parts;
  if (publishing.strategy === 'verified') throw new TellPerson(cannotBeVerified(branch, reason));
  try {
    return await pushed(parts, own, unsignedBecause(reason));
  } catch (error) {
    if (!(error instanceof SignaturesRequired) || isTemporary !== true) throw error;
    // There is no other way: the run is deferred until the installation may write again.
    const made = await make(client, { ...publishing, mayWrite: () => Promise.resolve(true) });
    if (!('sha' in made)) throw error;
    return moved(parts, made);
  }
}

/** @param unsigned why it has no signature, and what to do: sentences, for people */
async function pushed(
  { client, credentials, branch, replaces, access }: PublishParts,
  sha: string,
  unsigned?: string,
): Promise<string> {
  await reachRemote({ credentials, access, signal: client.signal }, (token) =>
    client.call('push', { token, branch, replaces, unsigned }, PUSH_MS),
  );
  return sha;
}

// A commit whose workflow files are not those of the base branch any more, published all the same.

/** What the base branch is now; `undefined`: there is none. */
export type NewestBase = () => Promise<CatchUpRequest | undefined>;

interface PublishedHead {
  readonly sha: string;
  readonly caughtUp?: CaughtUp;
}

const CATCH_UP_MS = 300_000;

/**
 * Publishes like `publishCommit`. If GitHub takes its workflow files from no App, the commit catches up with the base branch,
 * again as long as that moves on.
 */
export async function publishOnNewest(
  parts: PublishParts,
  newest: NewestBase | undefined,
): Promise<PublishedHead> {
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
      if (caughtUp === undefined) {
        const serverWords = /The server's message: .*$/s.exec(error.message)?.[0] ?? '';
        throw new TellPerson(otherWorkflows(parts.branch, serverWords), { cause: error });
      }
    }
  }
}

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
): Promise<PublishedHead> {
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

// Finds the commit of a call that was cut off: the branch has it, and the journal does not.

const FETCH_MS = 300_000;

interface Recovery extends Pick<
  OperationRequest<'commit'>,
  'approved' | 'decided' | 'except' | 'recorded'
> {
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
