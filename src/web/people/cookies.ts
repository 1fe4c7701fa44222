// How cookies are read and written.
import { createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { EncryptJWT, jwtDecrypt } from 'jose';

export interface Cookie {
  /** The value that a browser sent; `undefined` if it sent none, or several. */
  read(header: string | undefined): string | undefined;
  /** `Set-Cookie`. */
  set(value: string, maxAgeSeconds: number): string;
  clear(): string;
}

/**
 * Over https, browsers take a cookie with `__Host-` from this host alone, not from its subdomains. On loopback, the
 * ports of a host share their cookies, so each App has names of its own.
 */
export function cookieNamed(purpose: string, clientId: string, isSecure: boolean): Cookie {
  const app = createHash('sha256').update(clientId).digest('hex').slice(0, 8);
  const name = `${isSecure ? '__Host-' : ''}issuewright-${purpose}-${app}`;
  // Lax: GitHub leads back to a page of someone who signs in.
  const rules = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: (header) => {
      const found = cookiesNamed(name, header);
      return found.length === 1 ? found[0] : undefined;
    },
    set: (value, maxAge) => `${name}=${value}; ${rules}; Max-Age=${maxAge}`,
    clear: () => `${name}=; ${rules}; Max-Age=0`,
  };
}

/**
 * The values that a browser sent under exactly this name. Blanks before a name are those of HTTP alone: another sign that
 * looks like one is part of a name, to which the rules of `__Host-` do not apply.
 */
const cookiesNamed = (name: string, header = ''): string[] =>
  header
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));

// One token opens the session pages: in the link that the service prints, and from then on as a cookie.

/** The longest that browsers keep a cookie: 400 days. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;

export interface TokenSignIn {
  /** Whether the request has the token, as a cookie or as `Authorization: Bearer`. */
  isSignedIn(headers: IncomingHttpHeaders): boolean;
  /** The `Set-Cookie` for a link with the right token; `undefined` for any other. */
  cookieFor(token: unknown): string | undefined;
  /** The `Set-Cookie` that takes the cookie from a browser; `undefined` if it has none. */
  clear(headers: IncomingHttpHeaders): string | undefined;
}

/** `isSecure`: people reach the pages by https only, so the cookie is never sent without it. */
export function signInWith(token: string, isSecure: boolean): TokenSignIn {
  const expected = digestOf(token);
  const isToken = (given: string): boolean => timingSafeEqual(digestOf(given), expected);
  // Cookies of all ports of a host are shared, so each service has a name of its own.
  const name = `issuewright-${expected.toString('hex').slice(0, 12)}`;
  // Lax: links in comments on GitHub lead to pages of someone who is signed in.
  const rules = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    isSignedIn: ({ cookie, authorization = '' }) =>
      [...cookiesNamed(name, cookie), authorization.replace(/^Bearer /, '')].some(isToken),
    cookieFor: (given) =>
      typeof given === 'string' && isToken(given)
        ? `${name}=${token}; Max-Age=${MAX_AGE_SECONDS}; ${rules}`
        : undefined,
    // Its name is part of a digest of the token, which is for those alone who have it.
    clear: ({ cookie }) =>
      cookiesNamed(name, cookie).length === 0 ? undefined : `${name}=; Max-Age=0; ${rules}`,
  };
}

/** Of equal length for every text, as the comparison in constant time needs. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

// Texts that only this service can read again, until they expire.

/** `secrets`: all are needed to open it. `purpose`: what was sealed for another one does not open. */
interface Seal {
  readonly secrets: readonly string[];
  readonly purpose: string;
}

export type Claims = Readonly<Record<string, string>>;

export const seal = (claims: Claims, expiresAt: Date, by: Seal): Promise<string> =>
  new EncryptJWT(claims)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(expiresAt)
    .encrypt(keyOf(by));

/** `undefined`: it was changed, has expired, or was sealed otherwise. */
export async function open(
  sealed: string,
  by: Seal,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { payload } = await jwtDecrypt(sealed, keyOf(by), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      requiredClaims: ['exp'],
    });
    return payload;
  } catch {
    return undefined;
  }
}

/** The lengths keep one list of secrets from being another. */
function keyOf({ secrets, purpose }: Seal): Uint8Array {
  const material = secrets.map((secret) => `${secret.length}:${secret}`).join('');
  return new Uint8Array(hkdfSync('sha256', material, '', `issuewright ${purpose}`, 32));
}
