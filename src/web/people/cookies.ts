// How cookies are read and written.
import { createHash } from 'node:crypto';

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
export const cookiesNamed = (name: string, header = ''): string[] =>
  header
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
