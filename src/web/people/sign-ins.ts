// Signing in with GitHub: the web flow with PKCE (RFC 7636), and who is signed in.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import { sharedNow } from '../../lib/clock.ts';
import type {
  Account,
  CommentToPost,
  SignInStore,
  UserAccess,
  UserAuthorization,
} from '../../contracts/sign-in.ts';
import { messageOf, TellPerson } from '../../lib/errors.ts';
import type { Viewer } from '../session-source.ts';
import { cookieNamed, open, seal, type Cookie } from './cookies.ts';

export interface PeopleOptions {
  /** Of the App as an OAuth client. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who sees all sessions: logins in lower case, with the number of the account where the operator says it. */
  readonly admins: ReadonlyMap<string, number | undefined>;
  readonly authorization: UserAuthorization;
  readonly store: SignInStore;
  readonly now?: (() => number) | undefined;
}

/** How a sign-in came out. */
type SignInResult =
  | { readonly outcome: 'signed in'; readonly cookies: readonly string[]; readonly back: string }
  | { readonly outcome: 'cancelled' | 'invalid' | 'denied' };

export const SIGN_IN_PATH = '/sign-in';
/** Where GitHub leads back to: a callback address of the App. */
export const CALLBACK_PATH = '/sign-in/callback';
const ATTEMPT_SECONDS = 10 * 60;
/** With the minute that an open page lives (`web/page-server.ts`), someone who lost access reads nothing new after two. */
const FRESH_MS = 60_000;
const HOME = '/sessions';
/** The pages that a sign-in may lead to. No dots: a browser would make another address of them. */
const BACK =
  /^\/(?:totals|account|sessions(?:\/[\w-]{1,64}(?:\/(?:memory|journal\.json|prompt(?:\/\d{1,9})?))?)?)(?:\?[\w=&%.+-]{0,500})?$/;

const random = (): string => randomBytes(32).toString('base64url');
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** An address of ours, whatever was given. */
export const safeBack = (given: unknown): string =>
  typeof given === 'string' && BACK.test(given) ? given : HOME;

interface SignInsOptions extends PeopleOptions {
  readonly log: Logger;
  /** Where people reach the pages. What their browsers say of it does not count. */
  readonly origin: () => string;
}

interface CachedAccess {
  readonly until: number;
  readonly access: Promise<UserAccess | undefined>;
}

/** Sign-ins whose access is kept. */
const MOST = 1000;

export class SignIns {
  readonly #options: SignInsOptions;
  /** By the key of the sign-in. */
  readonly #known = new Map<string, CachedAccess>();
  /** The accounts with the login of an administrator that the log has named. */
  readonly #denied = new Set<string>();

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  get origin(): string {
    return this.#options.origin();
  }

  /** Where to send the browser, with a cookie that binds the answer to it. */
  async begin(back: unknown): Promise<{ readonly address: string; readonly cookie: string }> {
    const [state, verifier] = [random(), random()];
    const expiresAt = new Date(sharedNow() + ATTEMPT_SECONDS * 1000);
    const claims = { state, verifier, back: safeBack(back) };
    const sealed = await seal(claims, expiresAt, this.#attempt());
    const challenge = digestOf(verifier).toString('base64url');
    const redirectUrl = this.#redirectUrl();
    return {
      address: this.#options.authorization.address({ redirectUrl, state, challenge }),
      cookie: this.#cookie('attempt').set(sealed, ATTEMPT_SECONDS),
    };
  }

  /** What GitHub leads back with. @throws {TellPerson} @throws {TryLater} */
  async finish(query: Readonly<Record<string, unknown>>, header?: string): Promise<SignInResult> {
    const attempt = await open(this.#cookie('attempt').read(header) ?? '', this.#attempt());
    const { state, verifier, back } = attempt ?? {};
    if (typeof state !== 'string' || typeof verifier !== 'string' || !isSame(query['state'], state))
      return { outcome: 'invalid' };
    if (query['error'] === 'access_denied') return { outcome: 'cancelled' };
    const { code } = query;
    if (typeof code !== 'string' || code.length > 200) return { outcome: 'invalid' };
    const redirectUrl = this.#redirectUrl();
    const given = await this.#options.authorization.redeem({ code, verifier, redirectUrl });
    const access = await this.#firstAccess(given.token);
    if (access === undefined) return { outcome: 'denied' };
    // Never one that the browser brought: whoever gave it that one would be signed in too.
    await this.end(header);
    const secret = random();
    await this.#save(secret, access, given);
    const seconds = Math.floor((given.expiresAt.getTime() - sharedNow()) / 1000);
    const cookies = [this.#cookie('session').set(secret, seconds), this.#cookie('attempt').clear()];
    this.#options.log.info({ login: access.account.login }, 'signed in on the session pages');
    return { outcome: 'signed in', cookies, back: safeBack(back) };
  }

  /** `undefined`: GitHub denies to say what the person may see, so the token is of no use. */
  async #firstAccess(token: string): Promise<UserAccess | undefined> {
    const { authorization, log } = this.#options;
    try {
      const access = await authorization.access(token);
      if (access !== undefined) return access;
    } catch (error) {
      if (!(error instanceof TellPerson)) throw error;
      log.warn({ reason: messageOf(error) }, 'a sign-in on the session pages failed');
    }
    void this.#revoke(token);
    return undefined;
  }

  /**
   * `undefined`: nobody is signed in, or not any more.
   * @throws {TellPerson} if GitHub denies to say what the person may see @throws {TryLater} if it cannot be asked
   */
  async viewer(header: string | undefined): Promise<Viewer | undefined> {
    const current = await this.#current(header);
    if (current === undefined) return undefined;
    const { key, account, token } = current;
    const access = await this.#accessOf(key, token);
    if (access === undefined || access.account.id !== account.id) {
      await this.#forget(key);
      return undefined;
    }
    const seesAll = await this.#isAdmin(access.account);
    return { login: access.account.login, seesAll, repositories: access.repositories };
  }

  /**
   * All requests of a sign-in share the answer. A failure is not remembered, and shows nothing. `undefined`: the token
   * has ended.
   */
  #accessOf(key: string, token: string): Promise<UserAccess | undefined> {
    const { authorization, now: clock = sharedNow } = this.#options;
    const now = clock();
    const known = this.#known.get(key);
    if (known !== undefined && known.until > now) return known.access;
    const access = authorization.access(token);
    const fresh: CachedAccess = { until: now + FRESH_MS, access };
    this.#known.delete(key);
    this.#known.set(key, fresh);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    access.catch(() => {
      if (this.#known.get(key) === fresh) this.#known.delete(key);
    });
    return access;
  }

  /** `account`: as GitHub says it now. */
  async #isAdmin(account: Account): Promise<boolean> {
    const login = account.login.toLowerCase();
    const { admins } = this.#options;
    if (!admins.has(login)) return false;
    const expected = admins.get(login) ?? (await this.#firstOf(account));
    if (expected === account.id) return true;
    this.#sayDenied(login, account.id, expected);
    return false;
  }

  async #firstOf(account: Account): Promise<number> {
    const { store, log } = this.#options;
    const { id, isNew } = await store.firstOf(account);
    if (isNew)
      log.info(
        { login: account.login, account: id },
        'an administrator signed in for the first time: from now on the login counts for this account alone',
      );
    return id;
  }

  #sayDenied(login: string, id: number, expected: number): void {
    const key = `${login}:${id}`;
    if (this.#denied.has(key)) return;
    this.#denied.add(key);
    this.#options.log.warn(
      { login, account: id, expected },
      `a login in ADMINS belongs to another account than expected, which does not see all sessions. If this account should, write ${key} in ADMINS; otherwise remove the login`,
    );
  }

  /** Writes a comment as the person. @throws {TellPerson} @throws {TryLater} */
  async comment(header: string | undefined, comment: CommentToPost): Promise<void> {
    const current = await this.#current(header);
    if (current === undefined) throw new TellPerson('The sign-in has ended.');
    await this.#options.authorization.comment(current.token, comment);
  }

  /** Ends what the browser's cookie is worth, here and on GitHub. Returns what clears its cookies. */
  async end(header: string | undefined): Promise<readonly string[]> {
    const current = await this.#current(header);
    if (current !== undefined) {
      await this.#forget(current.key);
      void this.#revoke(current.token);
      const { login } = current.account;
      this.#options.log.info({ login }, 'signed out of the session pages');
    }
    return [this.#cookie('session').clear(), this.#cookie('attempt').clear()];
  }

  /** What the cookie is worth, whatever GitHub says by now. */
  async #current(header: string | undefined) {
    const secret = this.#cookie('session').read(header);
    if (secret === undefined) return undefined;
    const key = keyOf(secret);
    const kept = await this.#options.store.find(key);
    const { token } = (kept && (await open(kept.sealed, this.#session(secret)))) ?? {};
    if (kept === undefined || typeof token !== 'string') return undefined;
    return { key, account: kept.account, token };
  }

  async #save(
    secret: string,
    { account }: UserAccess,
    { token, expiresAt }: { readonly token: string; readonly expiresAt: Date },
  ): Promise<void> {
    const sealed = await seal({ token }, expiresAt, this.#session(secret));
    await this.#options.store.save(keyOf(secret), { account, sealed, expiresAt });
  }

  async #forget(key: string): Promise<void> {
    this.#known.delete(key);
    await this.#options.store.remove(key);
  }

  /** Without it, the token ends by itself after some hours. */
  async #revoke(token: string): Promise<void> {
    try {
      await this.#options.authorization.revoke(token);
    } catch (error) {
      this.#options.log.warn(
        { reason: messageOf(error) },
        'failed to revoke the token of a person',
      );
    }
  }

  #redirectUrl(): string {
    return `${this.origin}${CALLBACK_PATH}`;
  }

  #cookie(purpose: 'attempt' | 'session'): Cookie {
    return cookieNamed(purpose, this.#options.clientId, this.origin.startsWith('https:'));
  }

  #attempt() {
    return { secrets: [this.#options.clientSecret], purpose: 'sign-in attempt' };
  }

  /** Neither the database nor a cookie alone opens a token. */
  #session(secret: string) {
    return { secrets: [this.#options.clientSecret, secret], purpose: 'user token' };
  }
}

const keyOf = (secret: string): string => digestOf(secret).toString('hex');

const isSame = (given: unknown, expected: string): boolean =>
  typeof given === 'string' && timingSafeEqual(digestOf(given), digestOf(expected));
