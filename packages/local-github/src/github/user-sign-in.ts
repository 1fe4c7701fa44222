// How people sign in to an App (rule `sign-in-tokens`).
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { GitHubError } from './github-error.ts';
import type { User } from './user.ts';
import type { AppIdentity, World } from './world.ts';

const CODE_LIFE_S = 10 * 60;
const ACCESS_LIFE_S = 8 * 60 * 60;
const REFRESH_LIFE_S = 15_897_600;
/** What `code_challenge_method=S256` makes of a verifier. */
const CHALLENGE = /^[\w-]{43}$/;

/** What an App asks for, in the address that it leads to. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string | undefined;
}

interface Code extends Pick<AuthorizationRequest, 'redirectUri' | 'challenge'> {
  readonly user: User;
  readonly until: number;
}

interface UserToken {
  readonly user: User;
  readonly access: string;
  readonly refresh: string;
  readonly until: number;
  readonly refreshUntil: number;
}

type Fields = Readonly<Record<string, string | undefined>>;

const secret = (prefix: string): string => prefix + randomBytes(27).toString('base64url');
const isSame = (given: string, expected: string): boolean => {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
};

export const clientIdOf = ({ id }: Pick<AppIdentity, 'id'>): string => `Iv23local${id}`;

/** Codes and tokens of this process: after a restart, people sign in again. */
export class UserSignIn {
  readonly #world: World;
  readonly #codes = new Map<string, Code>();
  readonly #tokens = new Map<string, UserToken>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Reads the query of the page that asks for authorization. Throws what GitHub says of an invalid one. */
  read(query: Fields): AuthorizationRequest {
    const { app } = this.#world;
    if (query['client_id'] !== clientIdOf(app))
      throw new GitHubError('sign-in-address', 404, 'Not Found');
    const redirectUri = query['redirect_uri'] ?? app.callbackUrls[0];
    if (redirectUri === undefined || !app.callbackUrls.includes(redirectUri))
      throw new GitHubError(
        'sign-in-address',
        400,
        'The redirect_uri is not associated with this application: it is none of its callback URLs',
      );
    const { code_challenge: challenge, code_challenge_method: method } = query;
    const isChallenge = challenge !== undefined && CHALLENGE.test(challenge) && method === 'S256';
    if ((challenge ?? method) !== undefined && !isChallenge)
      throw new GitHubError(
        'sign-in-challenge',
        400,
        'code_challenge must be one of the method S256',
      );
    return { redirectUri, state: query['state'] ?? '', challenge };
  }

  /** The person agrees. Returns the address that leads back to the App. */
  authorize({ redirectUri, state, challenge }: AuthorizationRequest, user: User): string {
    const code = randomBytes(10).toString('hex');
    const until = Date.now() + CODE_LIFE_S * 1000;
    this.#codes.set(code, { redirectUri, challenge, user, until });
    return answerTo({ redirectUri, state }, { code });
  }

  /** Answers `POST /login/oauth/access_token`; errors are answers too, with the status 200. */
  exchange(form: Fields): Readonly<Record<string, string | number>> {
    if (!this.isClient(form['client_id'], form['client_secret']))
      return fault(
        'incorrect_client_credentials',
        'The client_id and/or client_secret passed are incorrect.',
      );
    return form['grant_type'] === 'refresh_token' ? this.#refresh(form) : this.#redeem(form);
  }

  isClient(id = '', given = ''): boolean {
    const { app } = this.#world;
    return (
      id === clientIdOf(app) && app.clientSecret !== undefined && isSame(given, app.clientSecret)
    );
  }

  userOf(access: string): User | undefined {
    const token = this.#tokens.get(access);
    return token !== undefined && token.until > Date.now() ? token.user : undefined;
  }

  /** Returns whether there was such a token. */
  revoke(access: string): boolean {
    return this.#tokens.delete(access);
  }

  /** What a person does on the page of authorized Apps: all tokens end. */
  revokeAllOf(login: string): void {
    for (const [access, { user }] of this.#tokens)
      if (user.login === login) this.#tokens.delete(access);
  }

  #redeem({ code = '', redirect_uri: redirectUri, code_verifier: verifier = '' }: Fields) {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    const isVerified =
      found?.challenge === undefined ||
      createHash('sha256').update(verifier).digest('base64url') === found.challenge;
    if (found === undefined || found.until < Date.now() || !isVerified)
      return fault('bad_verification_code', 'The code passed is incorrect or expired.');
    if (redirectUri !== undefined && redirectUri !== found.redirectUri)
      return fault(
        'redirect_uri_mismatch',
        'The redirect_uri MUST match the registered callback URL for this application.',
      );
    return this.#give(found.user);
  }

  #refresh({ refresh_token: refresh }: Fields) {
    const found = [...this.#tokens.values()].find((one) => one.refresh === refresh);
    if (found === undefined || found.refreshUntil < Date.now())
      return fault('bad_refresh_token', 'The refresh token passed is incorrect or expired.');
    this.#tokens.delete(found.access);
    return this.#give(found.user);
  }

  #give(user: User) {
    const [access, refresh] = [secret('ghu_'), secret('ghr_')];
    const now = Date.now();
    const [until, refreshUntil] = [now + ACCESS_LIFE_S * 1000, now + REFRESH_LIFE_S * 1000];
    this.#tokens.set(access, { user, access, refresh, until, refreshUntil });
    return {
      access_token: access,
      expires_in: ACCESS_LIFE_S,
      refresh_token: refresh,
      refresh_token_expires_in: REFRESH_LIFE_S,
      scope: '',
      token_type: 'bearer',
    };
  }
}

/** The address of the App with these parameters, and with the state that it gave. */
export function answerTo(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  parameters: Readonly<Record<string, string>>,
): string {
  const back = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value);
  if (state !== '') back.searchParams.set('state', state);
  return back.href;
}

const fault = (error: string, description: string) => ({
  error,
  error_description: description,
  error_uri:
    'https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/',
});
