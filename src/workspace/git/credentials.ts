/** Where the token comes from: asked right before each use, as it lives an hour at most. */
export type Credentials = (access: 'read' | 'write') => Promise<string>;

/** The header that carries an installation token to git over HTTP. */
export const basicAuthorization = (token: string): string =>
  `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
