// How a commit gets to GitHub: made through its API, which signs it, or pushed.
import type {
  CommitContent,
  CommitToMake,
  MadeCommit,
  VerifiedCommits,
} from '../../../contracts/verified-commits.ts';
import { TellPerson } from '../../../lib/errors.ts';
import { MOST_REQUESTS_OF_COMMIT } from '../../../lib/write-budget.ts';
import {
  cannotBeVerified,
  UNFIT,
  UNSIGNED_BY_SETTING,
  unsignedBecause,
} from '../../../session/texts/push-denials.ts';
import type { GitClient } from '../client.ts';
import { reachRemote, type Credentials } from '../credentials.ts';
import {
  BranchMoved,
  branchMoved,
  pushDenied,
  SignaturesRequired,
  WorkflowsDenied,
} from './push-denied.ts';

export interface Publishing {
  /** `auto`: verified if the commit fits the limits, else pushed. */
  readonly strategy: 'auto' | 'verified' | 'push';
  readonly api: VerifiedCommits;
  /** Whether so many requests leave enough of what the installation may write. */
  readonly mayWrite: (requests: number) => Promise<boolean>;
}

/** `workflows`: for a commit that changes workflow files. */
export type PublishingFor = (access: 'write' | 'workflows') => Publishing;

export interface PublishParts {
  readonly client: GitClient;
  readonly credentials: Credentials;
  readonly branch: string;
  /** A commit on top of the base that the branch may be at: it is gone from there then. */
  readonly replaces?: string | undefined;
  readonly access: 'write' | 'workflows';
  /** Missing: the commit is pushed. */
  readonly publishing: Publishing | undefined;
}

type WithApi = PublishParts & { readonly publishing: Publishing };

/** Why a commit was not made through the API. */
interface Unmade {
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
export async function publishCommit(parts: PublishParts): Promise<string> {
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
export const moveOnto = (
  { client, credentials }: Pick<PublishParts, 'client' | 'credentials'>,
  commit: string,
): Promise<void> =>
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

export const hasSameChange = (one: CommitContent, other: CommitContent): boolean =>
  one.tree === other.tree && one.parents.join() === other.parents.join();

async function make(
  client: GitClient,
  { api, strategy, mayWrite }: Publishing,
): Promise<MadeCommit | Unmade> {
  const commit = await client.call('commitToMake', LIMITS, LOOK_MS);
  if (typeof commit === 'string') return { reason: commit };
  const requests = requestsFor(commit);
  if (requests > MOST_REQUESTS_OF_COMMIT)
    return { reason: UNFIT.tooManyRequests(requests, MOST_REQUESTS_OF_COMMIT) };
  if (strategy === 'auto' && !(await mayWrite(requests)))
    return { reason: UNFIT.budget, isTemporary: true };
  const made = await api.make(commit);
  return 'sha' in made ? made : { reason: made.words };
}

/** One for each content that is not in a tree, one for each tree, one for the commit and one for the branch. */
const requestsFor = ({ changes }: CommitToMake): number =>
  changes.flat().filter(({ content }) => content instanceof Uint8Array).length + changes.length + 2;

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
export async function adoptCommit(
  { client, credentials }: Pick<PublishParts, 'client' | 'credentials'>,
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
  { reason, isTemporary }: Unmade,
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
