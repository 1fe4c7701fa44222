import git from 'isomorphic-git';
import { TellPerson } from '../../lib/errors.ts';
import { cleanServerText } from '../../lib/text/text.ts';
import { basicAuthorization, reachRemote, type Credentials } from './credentials.ts';
import { explainGitFailure, repositoryName } from './explain-failure.ts';
import { createHttpClient, HttpStatusError } from './http-client.ts';

const IDLE_MS = 20_000;
const MAX_BYTES = 16 * 1024 * 1024;
const BRANCHES = 'refs/heads/';

export interface RemoteRequest {
  readonly remoteUrl: string;
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
}

export interface Remote {
  readonly defaultBranch: string;
  /** The commit of a branch; `undefined` if there is no such branch. */
  head(branch: string): string | undefined;
}

/**
 * Reads the remote's branches without cloning it.
 * @throws {TellPerson} if access is denied or the repository is empty
 * @throws {TryLater} if the connection or the server fails
 */
export const resolveRemote = (request: RemoteRequest): Promise<Remote> =>
  reachRemote({ ...request, access: 'read' }, (token) => resolveWith(token, request));

async function resolveWith(token: string, { remoteUrl, signal }: RemoteRequest): Promise<Remote> {
  const http = createHttpClient({ idleMs: IDLE_MS, maxBytes: MAX_BYTES, signal });
  const authorization = basicAuthorization(token);
  const list = (prefix: string) =>
    git.listServerRefs({ http, url: remoteUrl, headers: { authorization }, prefix, symrefs: true });
  try {
    const [top, branches] = await Promise.all([list('HEAD'), list(BRANCHES)]);
    http.throwIfCut();
    const head = top.find(({ ref }) => ref === 'HEAD');
    const heads = new Map(branches.map(({ ref, oid }) => [ref, oid]));
    if (head?.target === undefined)
      throw heads.size === 0 ? emptyRepository(remoteUrl) : noDefaultBranch(remoteUrl);
    return {
      defaultBranch: head.target.slice(BRANCHES.length),
      head: (branch) => heads.get(BRANCHES + branch),
    };
  } catch (error) {
    throw explainGitFailure(http.failure ?? error, remoteUrl, 'read');
  } finally {
    http.close();
  }
}

/** Why the server lets nobody push with this token, in its words or as a status; `undefined`: it does. */
export async function whyPushIsDenied(
  remoteUrl: string,
  token: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const http = createHttpClient({ idleMs: IDLE_MS, maxBytes: MAX_BYTES, signal });
  const headers = { authorization: basicAuthorization(token) };
  try {
    const asked = { http, url: remoteUrl, headers, forPush: true, protocolVersion: 1 } as const;
    await git.getRemoteInfo2(asked);
    http.throwIfCut();
    return undefined;
  } catch (error) {
    const failure = http.failure ?? error;
    if (failure instanceof HttpStatusError && [401, 403, 404].includes(failure.status))
      return cleanServerText(failure.body) || `status ${failure.status}`;
    throw explainGitFailure(failure, remoteUrl, 'push');
  } finally {
    http.close();
  }
}

const emptyRepository = (remoteUrl: string): TellPerson =>
  new TellPerson(
    `There are no commits in ${repositoryName(remoteUrl)} yet. ` +
      'Push a first commit to its default branch, then request the work again.',
  );

const noDefaultBranch = (remoteUrl: string): TellPerson =>
  new TellPerson(
    `The default branch of ${repositoryName(remoteUrl)} does not exist. ` +
      'Choose another one in its settings, or push it, then request the work again.',
  );
