// One token opens the session pages: in the link that the service prints, and from then on as a cookie.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { cookiesNamed } from './cookies.ts';

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
