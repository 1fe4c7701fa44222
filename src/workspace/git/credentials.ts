import { TellPerson } from '../../lib/errors.ts';

/**
 * Where the token comes from: asked right before each use, as it lives an hour at most. `refused`: the
 * one that the server just did not take.
 */
export type Credentials = (access: 'read' | 'write', refused?: string) => Promise<string>;

/** The server does not take the credentials, which may have been withdrawn before their time. */
export class CredentialsDenied extends TellPerson {}

/** The header that carries an installation token to git over HTTP. */
export const basicAuthorization = (token: string): string =>
  `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

/** Acts with a token and, where it is not taken, once more with a fresh one. */
export async function withToken<T>(
  credentials: Credentials,
  access: 'read' | 'write',
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
