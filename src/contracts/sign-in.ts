// The sign-in of people with GitHub.

export interface Account {
  readonly id: number;
  readonly login: string;
}

/** What GitHub gave for a sign-in. */
export interface UserToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** What a person may do in a repository; `write` includes everything above it. */
export type RepositoryAccess = 'read' | 'write';

/** What a token reaches. */
export interface UserAccess {
  readonly account: Account;
  /** By GitHub's number: where the App is installed, and the person was given access. */
  readonly repositories: ReadonlyMap<number, RepositoryAccess>;
}

interface AuthorizationQuery {
  /** Must be a callback address of the App. */
  readonly redirectUrl: string;
  readonly state: string;
  /** The SHA-256 of the verifier (PKCE), in base64url. */
  readonly challenge: string;
}

interface Redemption extends Pick<AuthorizationQuery, 'redirectUrl'> {
  readonly code: string;
  readonly verifier: string;
}

/** Words of a person, on an issue or pull request. */
export interface CommentToPost {
  /** GitHub's number: another repository may have the name by now. */
  readonly repositoryId: number;
  readonly issue: number;
  readonly body: string;
}

/** GitHub, for the sign-in of people to the App. */
export interface UserAuthorization {
  /** Why GitHub does not accept the App's client ID and secret; `undefined` if it does. */
  refusal(): Promise<string | undefined>;
  /** The page of GitHub that asks the person. */
  address(query: AuthorizationQuery): string;
  /** @throws {TellPerson} if GitHub does not accept the code @throws {TryLater} */
  redeem(redemption: Redemption): Promise<UserToken>;
  /** `undefined`: the token has ended. @throws {TellPerson} if GitHub denies it @throws {TryLater} */
  access(token: string): Promise<UserAccess | undefined>;
  /**
   * Writes it as the person, who needs to be allowed to. Twice if it is repeated.
   * @throws {TellPerson} @throws {TryLater} if it is not known whether it was written
   */
  comment(token: string, comment: CommentToPost): Promise<void>;
  /** Ends the token, if it has not ended yet. */
  revoke(token: string): Promise<void>;
}

export interface StoredSignIn {
  readonly account: Account;
  /** The encrypted token. */
  readonly sealed: string;
  readonly expiresAt: Date;
}

/** Sign-ins that have not ended, for all processes. `key`: the digest of a secret that only the browser has. */
export interface SignInStore {
  /** Forgets those that have expired. */
  save(key: string, signIn: StoredSignIn): Promise<void>;
  /** `undefined`: it is unknown, or has expired. */
  find(key: string): Promise<StoredSignIn | undefined>;
  remove(key: string): Promise<void>;
  /**
   * Whose a login was when it was first asked for; from then on it is this account's for good.
   * @param account in whose hands the login is now; the login counts in lower case.
   */
  firstOf(account: Account): Promise<{ readonly id: number; readonly isNew: boolean }>;
}
