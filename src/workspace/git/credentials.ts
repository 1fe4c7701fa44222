import { TellPerson } from '../../lib/errors.ts';

/**
 * Returns a token. Called right before each use, as a token lives an hour at most. `invalidToken` is one
 * that the server has just not accepted.
 */
export type Credentials = (access: GitAccess, invalidToken?: string) => Promise<string>;

/** `workflows`: to write, workflow files too. */
export type GitAccess = 'read' | 'write' | 'workflows';

/** The server did not accept the credentials, which may have been revoked early. */
export class CredentialsDenied extends TellPerson {}

/** The header that carries an installation token to git over HTTP. */
export const basicAuthorization = (token: string): string =>
  `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

/** Calls `act` with a token and, if the server does not accept it, once more with a fresh one. */
export async function withToken<T>(
  credentials: Credentials,
  access: GitAccess,
  act: (token: string) => Promise<T>,
): Promise<T> {
  const token = await credentials(access);
  try {
    return await act(token);
  } catch (error) {
    if (!(error instanceof CredentialsDenied)) throw error;
    return act(await credentials(access, token));
  }
}
