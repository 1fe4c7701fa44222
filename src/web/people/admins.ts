// Who sees all sessions. Logins are free again when their owners give them up, so accounts count.
import type { Logger } from 'pino';
import type { Account, SignInStore } from '../../contracts/sign-in.ts';

interface AdminsOptions {
  /** Logins in lower case, with the number of the account where the operator says it. */
  readonly admins: ReadonlyMap<string, number | undefined>;
  readonly store: Pick<SignInStore, 'firstOf'>;
  readonly log: Logger;
}

export class Admins {
  readonly #options: AdminsOptions;
  /** Whom the log has named. */
  readonly #denied = new Set<string>();

  constructor(options: AdminsOptions) {
    this.#options = options;
  }

  /** `account`: as GitHub says it now. */
  async has(account: Account): Promise<boolean> {
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
}
