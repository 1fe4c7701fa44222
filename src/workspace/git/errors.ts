import { stripVTControlCharacters } from 'node:util';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import { hasCode } from '../error-code.ts';
import { CredentialsRefused } from './credentials.ts';
import { HttpStatusError, NetworkError, RedirectRefused, TooManyBytes } from './http-client.ts';

const MAX_SERVER_TEXT = 500;

/** What git was at when it failed. */
export type GitStep = 'read' | 'push';

/** Words of a server, fit for a message: one line, no control characters, bounded. */
export function cleanServerText(text: string): string {
  const line = stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
  return line.length > MAX_SERVER_TEXT ? `${line.slice(0, MAX_SERVER_TEXT)}…` : line;
}

/**
 * The error that a failure of git becomes: `TellPerson` where a person has to act, `TryLater` where
 * time may mend it, and the failure itself where it is a fault of ours.
 */
export function explainGitFailure(failure: unknown, remoteUrl: string, step: GitStep): unknown {
  const repository = repositoryName(remoteUrl);
  if (failure instanceof HttpStatusError) return explainStatus(failure, repository, step);
  if (failure instanceof NetworkError)
    return new TryLater(`no connection to ${repository}: ${failure.message}`, { cause: failure });
  if (hasCode(failure, 'EmptyServerResponseError', 'ParseError', 'SmartHttpError'))
    return new TryLater(`${repository} answered git with something else`, { cause: failure });
  if (failure instanceof RedirectRefused)
    return tellPerson(
      `${repository} answers by sending us to another host (${failure.message}), where its ` +
        'credentials must not go. If it moved, label the issue in its new place',
      failure,
    );
  if (failure instanceof TooManyBytes)
    return tellPerson(
      `${repository} is too large to work on: ${failure.message}. ` +
        'The operator can raise the limit of the workspace',
      failure,
    );
  return failure;
}

/** As above, for what only fetching and checking out can run into. */
export function explainCloneFailure(failure: unknown, remoteUrl: string, commit: string): unknown {
  const repository = repositoryName(remoteUrl);
  if (hasCode(failure, 'CommitNotFetchedError', 'NotFoundError'))
    return tellPerson(
      `the commit ${commit} is no longer in ${repository}: its branch may have been deleted or ` +
        'rewritten. Label the issue again to start from what is there now',
      failure,
    );
  if (hasCode(failure, 'InternalError', 'UnsafeFilepathError', 'ObjectTypeError'))
    return tellPerson(
      `the files of ${repository} could not be checked out (${cleanServerText(messageOf(failure))}). ` +
        'File modes other than 644 and 755, and backslashes in names, are not supported',
      failure,
    );
  return explainGitFailure(failure, remoteUrl, 'read');
}

function explainStatus(failure: HttpStatusError, repository: string, step: GitStep): Error {
  const { status, body, retryAfterMs } = failure;
  if (status >= 500 || status === 429 || status === 408)
    return new TryLater(`${repository} answered git with status ${status}`, {
      cause: failure,
      retryAfterMs,
    });
  const said = cleanServerText(body);
  const reason = said === '' ? `status ${status}` : `status ${status}: ${said}`;
  const act = step === 'push' ? 'push to' : 'read';
  const words = `${repository} did not let us ${act} it (${reason}). ${adviceFor(step, said)}`;
  if (status === 401 || /suspended/i.test(said))
    return new CredentialsRefused(sentence(words), { cause: failure });
  return tellPerson(words, failure);
}

function adviceFor(step: GitStep, said: string): string {
  if (step === 'read')
    return 'Check that it exists and that the App is installed on it with access to its contents';
  if (/archived/i.test(said))
    return 'It is archived: an administrator unarchives it in its settings. The work is kept here until then';
  return 'Check that the App is installed on it with write access to its contents. The work is kept here until then';
}

const tellPerson = (words: string, cause: unknown): TellPerson =>
  new TellPerson(sentence(words), { cause });

const sentence = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;

/** `owner/name` of a remote, for messages; never a user, a password or a query. */
export function repositoryName(remoteUrl: string): string {
  const path = new URL(remoteUrl).pathname.replace(/^\/+|(\.git)?\/*$/g, '');
  return `the repository \`${path}\``;
}
