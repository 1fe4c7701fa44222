import { TellPerson, TryLater, withRetries, type RetryPolicy } from '../../lib/errors.ts';

/**
 * Returns a token. Called right before each use, as a token lives an hour at most. `invalidToken` is one
 * that the server has just not accepted.
 */
export type Credentials = (access: GitAccess, invalidToken?: string) => Promise<string>;

/** `workflows`: to write, workflow files too. */
type GitAccess = 'read' | 'write' | 'workflows';

/** The server did not accept the credentials, which may have been revoked early. */
export class CredentialsDenied extends TellPerson {}

/** The header that carries an installation token to git over HTTP. */
export const basicAuthorization = (token: string): string =>
  `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

/** A server that is away for longer is for the caller, who holds less while it waits. */
const POLICY: RetryPolicy = {
  attempts: 3,
  firstDelayMs: 500,
  longestDelayMs: 5_000,
  withinMs: 15_000,
};

interface RemoteStep {
  readonly credentials: Credentials;
  readonly access: GitAccess;
  /** Ends the wait for another attempt. */
  readonly signal: AbortSignal;
}

/**
 * Every step of git that reaches the server: calls `act` with a token, once more with a fresh one if the server does not
 * accept it, and again after a moment if the connection or the server fails. `act` has to be safe to repeat.
 */
export const reachRemote = <T>(
  { credentials, access, signal }: RemoteStep,
  act: (token: string) => Promise<T>,
): Promise<T> =>
  withToken(credentials, access, (token) =>
    withRetries(() => act(token), { policy: POLICY, signal }),
  );

async function withToken<T>(
  credentials: Credentials,
  access: GitAccess,
  act: (token: string) => Promise<T>,
): Promise<T> {
  const token = await credentials(access);
  try {
    return await act(token);
  } catch (error) {
    if (!(error instanceof CredentialsDenied)) throw error;
    return act(await credentials(access, token)).catch(tryLater);
  }
}

/** A token that GitHub has just made is right: what does not accept it is behind, or out of order. */
function tryLater(error: unknown): never {
  if (!(error instanceof CredentialsDenied)) throw error;
  throw new TryLater(error.message, { cause: error });
}
