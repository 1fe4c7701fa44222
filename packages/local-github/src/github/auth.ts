// Identifies the caller: the App by its JWT or as an OAuth client, an installation by its token, or a person.
import type { KeyObject } from 'node:crypto';
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { z } from 'zod';
import { GitHubError } from './github-error.ts';
import type { Repository, User } from './state.ts';
import { timestamp } from './state.ts';
import { clientIdOf, UserSignIn } from './user-sign-in.ts';
import type { Installation, World } from './world.ts';

const TOKEN_LIFE_MS = 60 * 60 * 1000;
const MAX_JWT_LIFE_S = 10 * 60;
const CLOCK_SKEW_S = 60;

export type Level = 'read' | 'write';

export interface InstallationToken {
  readonly token: string;
  readonly installation: Installation;
  permissions: Record<string, Level>;
  /** Ids of repositories, because names can change; `undefined`: all of the installation's. */
  readonly repositories: readonly number[] | undefined;
  expiresAt: Date;
}

export type Actor =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'app' }
  /** The App, by its client ID and secret. */
  | { readonly kind: 'client' }
  | { readonly kind: 'installation'; readonly token: InstallationToken; readonly user: User }
  /** `isViaApp`: by a token that the person gave to the App. `grants`: by a fine-grained token that may do this alone. */
  | {
      readonly kind: 'user';
      readonly user: User;
      readonly isViaApp?: true;
      readonly grants?: Readonly<Record<string, Level>>;
    };

const Claims = z.object({
  iss: z.union([z.string(), z.number()]),
  iat: z.number(),
  exp: z.number(),
});

export class Authentication {
  readonly userSignIn: UserSignIn;
  readonly #world: World;
  #publicKey: KeyObject;
  readonly #tokens = new Map<string, InstallationToken>();

  constructor(world: World, privateKeyPem: string) {
    this.#world = world;
    this.userSignIn = new UserSignIn(world);
    this.#publicKey = createPublicKey(privateKeyPem);
  }

  /** Accepts what is signed with this key from now on, and nothing that was signed before. */
  useKey(privateKeyPem: string): void {
    this.#publicKey = createPublicKey(privateKeyPem);
    this.#tokens.clear();
  }

  /** Reads an Authorization header. Throws GitHub's 401. */
  identify(header: string | undefined): Actor {
    if (header === undefined || header === '') return { kind: 'anonymous' };
    const [scheme = '', value = ''] = header.split(/\s+/, 2);
    if (/^basic$/i.test(scheme)) {
      const { name, password } = basicOf(value);
      if (this.userSignIn.isClient(name, password)) return { kind: 'client' };
      return this.identifyToken(password);
    }
    if (!/^(bearer|token)$/i.test(scheme))
      throw new GitHubError('unknown-token', 401, 'Bad credentials');
    return value.split('.').length === 3 && !value.startsWith('ghs_')
      ? this.#identifyApp(value)
      : this.identifyToken(value);
  }

  identifyToken(value: string): Actor {
    if (value.startsWith('user_')) {
      const user = this.#world.user(value.slice('user_'.length));
      if (user?.type === 'User') return { kind: 'user', user };
    }
    if (value.startsWith('github_pat_')) {
      const { login, grants } = fineGrained(value);
      const user = this.#world.user(login);
      if (user?.type === 'User') return { kind: 'user', user, grants };
    }
    const person = this.userSignIn.userOf(value);
    if (person !== undefined) return { kind: 'user', user: person, isViaApp: true };
    const token = this.#tokens.get(value);
    const isAlive =
      token !== undefined &&
      token.expiresAt.getTime() > Date.now() &&
      this.#world.installations.has(token.installation.id) &&
      token.installation.suspendedAt === null;
    if (!isAlive) throw new GitHubError('token-expiry', 401, 'Bad credentials');
    return { kind: 'installation', token, user: this.#world.app.bot };
  }

  /** A token of the new form (rule `token-format`). */
  mint(
    installation: Installation,
    permissions: Record<string, Level>,
    repositories: readonly number[] | undefined,
  ): InstallationToken {
    const part = (bytes: number): string => randomBytes(bytes).toString('base64url');
    const token: InstallationToken = {
      token: `ghs_${this.#world.app.id}_${part(27)}.${part(90)}.${part(256)}`,
      installation,
      permissions,
      repositories,
      expiresAt: new Date(Date.now() + TOKEN_LIFE_MS),
    };
    this.#tokens.set(token.token, token);
    return token;
  }

  /** The tokens that have not expired. */
  get tokens(): InstallationToken[] {
    return [...this.#tokens.values()].filter((one) => one.expiresAt.getTime() > Date.now());
  }

  /** Restores a token that an earlier process issued. */
  restore(token: InstallationToken): void {
    this.#tokens.set(token.token, token);
  }

  /** The tokens of an installation keep only what it still has. */
  withdraw({ id, permissions: left }: Installation): void {
    for (const token of this.#tokens.values()) {
      if (token.installation.id !== id) continue;
      const kept = Object.entries(token.permissions).flatMap(([name, level]) => {
        const now = left[name];
        return now === undefined ? [] : [[name, now === 'read' ? now : level] as const];
      });
      token.permissions = Object.fromEntries(kept);
    }
  }

  /** Expires all tokens that were issued so far. */
  expireTokens(): void {
    for (const token of this.#tokens.values()) token.expiresAt = new Date(0);
  }

  #identifyApp(jwt: string): Actor {
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    this.#checkIssuer(readJson(payload)?.['iss']);
    const signed = Buffer.from(`${header}.${payload}`);
    const isOurs =
      readJson(header)?.['alg'] === 'RS256' &&
      verify('RSA-SHA256', signed, this.#publicKey, Buffer.from(signature, 'base64url'));
    if (!isOurs)
      throw new GitHubError('jwt-signature', 401, 'A JSON web token could not be decoded');
    this.#checkClaims(readJson(payload));
    return { kind: 'app' };
  }

  /** The App is looked up first, for its key (rule `jwt-issuer`). */
  #checkIssuer(iss: unknown): void {
    const { id } = this.#world.app;
    if (typeof iss !== 'string' && typeof iss !== 'number') return;
    const issuer = String(iss);
    if (issuer === String(id) || issuer === clientIdOf({ id })) return;
    throw /^\d+$/.test(issuer)
      ? new GitHubError('jwt-issuer', 404, 'Integration not found')
      : new GitHubError('jwt-issuer', 401, "'Issuer' claim ('iss') must be an Integer");
  }

  #checkClaims(payload: unknown): void {
    const claims = Claims.safeParse(payload);
    if (!claims.success)
      throw new GitHubError('jwt-signature', 401, 'A JSON web token could not be decoded');
    const { iat, exp } = claims.data;
    const now = Date.now() / 1000;
    if (exp < now)
      throw new GitHubError(
        'jwt-times',
        401,
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
      );
    if (exp > now + MAX_JWT_LIFE_S + CLOCK_SKEW_S)
      throw new GitHubError(
        'jwt-times',
        401,
        "'Expiration time' claim ('exp') is too far in the future",
      );
    if (iat > now + CLOCK_SKEW_S)
      throw new GitHubError(
        'jwt-times',
        401,
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
      );
  }
}

/** Whether the token gives access to the repository. */
export function reaches(token: InstallationToken, repository: Repository): boolean {
  if (repository.installationId !== token.installation.id) return false;
  return token.repositories === undefined || token.repositories.includes(repository.id);
}

export function allows(
  { permissions }: Pick<InstallationToken, 'permissions'>,
  permission: string,
): boolean {
  const [name = '', level] = permission.split(':');
  const granted = name === 'metadata' ? 'read' : permissions[name];
  return granted === 'write' || (granted === 'read' && level === 'read');
}

export function tokenPayload(token: InstallationToken) {
  return {
    token: token.token,
    expires_at: timestamp(token.expiresAt),
    permissions: token.permissions,
    repository_selection: token.repositories === undefined ? 'all' : 'selected',
  };
}

/** A fine-grained token of a person, with the permissions as its text says: `contents:read,issues:read`. */
export const fineGrainedToken = (login: string, permissions: string): string =>
  `github_pat_${Buffer.from(JSON.stringify([login, permissions])).toString('hex')}`;

const FineGrained = z.tuple([z.string(), z.string()]);

function fineGrained(token: string): { login: string; grants: Record<string, Level> } {
  const text = Buffer.from(token.slice('github_pat_'.length), 'hex').toString();
  const [login = '', permissions = ''] = FineGrained.safeParse(JSON.parse(text)).data ?? [];
  const pairs = permissions.split(',').map((one) => one.split(':'));
  const grants = pairs.map(([name = '', level]) => [name, level === 'write' ? level : 'read']);
  return { login, grants: Object.fromEntries(grants) as Record<string, Level> };
}

function basicOf(value: string): { name: string; password: string } {
  const text = Buffer.from(value, 'base64').toString();
  const colon = text.indexOf(':');
  return { name: text.slice(0, Math.max(colon, 0)), password: text.slice(colon + 1) };
}

function readJson(part: string): Record<string, unknown> | undefined {
  try {
    return z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return undefined;
  }
}
