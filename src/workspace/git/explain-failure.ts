import {
  hasCode,
  MergedCommitGone,
  MergeRejected,
  messageOf,
  TellPerson,
  TryLater,
} from '../../lib/errors.ts';
import { TOO_LARGE_FOR_PROXY } from '../../lib/reason.ts';
import { cleanServerText, trimEnd } from '../../lib/text/text.ts';
import { fetchTooSlow, historyTooLarge, notMerged } from '../../session/texts/merges.ts';
import { CredentialsDenied } from './credentials.ts';
import { DamagedRepository, LimitReached, TooSlow } from './engines/native/native-git.ts';
import {
  HttpStatusError,
  InvalidResponse,
  NetworkError,
  RedirectNotAllowed,
  TooManyBytes,
} from './http-client.ts';

/** The server does not have the commit, or does not give it away. */
export class CommitNotFound extends Error {
  override readonly name = 'CommitNotFound';
}

/** What git was doing when it failed. */
export type GitStep = 'read' | 'push';

/**
 * Maps a git failure to `TellPerson` if a person has to act, to `TryLater` if it may pass, and to itself
 * if it is our own fault.
 */
export function explainGitFailure(failure: unknown, remoteUrl: string, step: GitStep): unknown {
  const repository = repositoryName(remoteUrl);
  if (failure instanceof HttpStatusError) return explainStatus(failure, repository, step);
  if (failure instanceof NetworkError)
    return new TryLater(`cannot connect to ${repository}: ${failure.message}`, { cause: failure });
  if (isOfShallowServer(failure))
    return tellPerson(
      `the server of ${repository} has only a part of its history. Issuewright works on such a repository only with git, ` +
        'which its operator can install (`GIT_ENGINE`). `git fetch --unshallow` on the server completes the history',
      failure,
    );
  if (
    failure instanceof InvalidResponse ||
    hasCode(failure, 'EmptyServerResponseError', 'InvalidOidError', 'ParseError', 'SmartHttpError')
  )
    return new TryLater(`${repository} gave an invalid response to git`, { cause: failure });
  if (failure instanceof RedirectNotAllowed)
    return tellPerson(
      `${repository} redirects to another host (${failure.message}), which is not allowed to receive ` +
        'its credentials. If the repository moved, request the work again in its new location',
      failure,
    );
  if (failure instanceof TooManyBytes)
    return tellPerson(
      `${repository} is too large to work on: ${failure.message}. ${SMALLER}. ${RAISE}`,
      failure,
    );
  if (failure instanceof TooSlow)
    return tookTooLong('git', failure.seconds, { remoteUrl, cause: failure });
  if (failure instanceof LimitReached)
    return tellPerson(
      `${repository} is too large to work on: ${failure.message}. ${SMALLER}`,
      failure,
    );
  return failure;
}

/** `what`: that took more than so many seconds, and was ended. */
export const tookTooLong = (
  what: string,
  seconds: number,
  { remoteUrl, cause }: { readonly remoteUrl: string; readonly cause?: unknown },
): TellPerson =>
  tellPerson(
    `${what} took more than ${seconds} seconds on ${repositoryName(remoteUrl)} and was stopped. ` +
      `Request the work again to retry. If it keeps happening, the repository is too large to work on here. ${SMALLER}`,
    cause,
  );

/** Such a server says after its branches where its history ends, and isomorphic-git takes that line for a branch. */
const isOfShallowServer = (failure: unknown): boolean =>
  hasCode(failure, 'InvalidOidError') &&
  (failure as { data?: { value?: unknown } }).data?.value === 'shallow';

const SMALLER =
  'To work on a part of it, name the directories of that with `sparse` in `.github/issuewright.yml` (this needs git where ' +
  'Issuewright runs), as few as the work needs';
const RAISE = 'Its operator can also raise `WORKSPACE_MAX_BYTES`';

/** Like `explainGitFailure`, with the failures that occur only when fetching and checking out. */
export function explainCloneFailure(failure: unknown, remoteUrl: string, commit: string): unknown {
  const repository = repositoryName(remoteUrl);
  if (isNotFound(failure))
    return tellPerson(
      `the commit ${commit} is no longer in ${repository}; its branch may have been deleted or ` +
        'rewritten. Request the work again to start from the current state',
      failure,
    );
  if (failure instanceof DamagedRepository)
    return tellPerson(
      `${repository} is damaged, or what its server sent of it is (${cleanServerText(messageOf(failure))}). ` +
        '`git fsck` lists what is wrong with it',
      failure,
    );
  if (hasCode(failure, 'InternalError', 'ObjectTypeError'))
    return tellPerson(
      `the files of ${repository} could not be checked out (${cleanServerText(messageOf(failure))})`,
      failure,
    );
  return explainGitFailure(failure, remoteUrl, 'read');
}

/**
 * Like `explainGitFailure`, with the failures that concern the merge for which something is fetched: the commit is gone, or git
 * would need too much, of time too. A closed connection does not.
 */
export function explainMergeFailure(failure: unknown, remoteUrl: string): unknown {
  if (isNotFound(failure))
    return new MergedCommitGone(
      `What is to be merged is not in ${repositoryName(remoteUrl)}. Its branch may have been rewritten.`,
      { cause: failure },
    );
  if (failure instanceof TooManyBytes)
    return new MergeRejected(historyTooLarge(failure.message), { cause: failure });
  if (failure instanceof TooSlow)
    return new MergeRejected(fetchTooSlow(failure.seconds), { cause: failure });
  if (failure instanceof LimitReached)
    return new MergeRejected(notMerged(failure.message), { cause: failure });
  return explainGitFailure(failure, remoteUrl, 'read');
}

/** Of a fetch of commits: for a merge, or of what GitHub has just made. */
export function explainFetchFailure(
  failure: unknown,
  remoteUrl: string,
  { commits, isForMerge }: { readonly commits: readonly string[]; readonly isForMerge: boolean },
): unknown {
  if (isForMerge) return explainMergeFailure(failure, remoteUrl);
  const names = commits.join(', ');
  if (!isNotFound(failure)) return explainCloneFailure(failure, remoteUrl, names);
  const words = `GitHub made the commit ${names}, and git cannot fetch it yet`;
  return new TryLater(words, { cause: failure });
}

const isNotFound = (failure: unknown): boolean =>
  failure instanceof CommitNotFound || hasCode(failure, 'CommitNotFetchedError', 'NotFoundError');

function explainStatus(failure: HttpStatusError, repository: string, step: GitStep): Error {
  const { status, body, retryAfterMs, isRateLimit } = failure;
  if (status >= 500 || status === 408 || isRateLimit)
    return new TryLater(`${repository} returned status ${status} to git`, {
      cause: failure,
      retryAfterMs,
    });
  const said = cleanServerText(body);
  const reason = said === '' ? `status ${status}` : `status ${status}: ${said}`;
  const act = step === 'push' ? 'a push to' : 'access to';
  const words = `GitHub denied ${act} ${repository} (${reason}). ${adviceFor(step, said, status)}`;
  if (status === 401 || /suspended/i.test(said))
    return new CredentialsDenied(sentence(words), { cause: failure });
  return tellPerson(words, failure);
}

function adviceFor(step: GitStep, said: string, status: number): string {
  if (status === 413)
    return `${TOO_LARGE_FOR_PROXY} ${step === 'push' ? 'The work so far is saved, and a retry pushes it again' : 'Then request the work again'}`;
  if (step === 'read')
    return 'Check that it exists, and that the App is installed on it with the permission *contents*';
  if (/archived/i.test(said))
    return 'It is archived. An administrator can unarchive it in its settings. The work so far is saved, and a retry pushes it again';
  return 'Check that the App is installed on it with the permission *contents: write*. The work so far is saved, and a retry pushes it again';
}

const tellPerson = (words: string, cause: unknown): TellPerson =>
  new TellPerson(sentence(words), { cause });

const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;

/** `owner/name` of a remote, for messages; never a user, a password or a query. */
export function repositoryName(remoteUrl: string): string {
  const path = trimEnd(new URL(remoteUrl).pathname, '/').replace(/^\/+|\.git$/g, '');
  return `the repository \`${path}\``;
}
