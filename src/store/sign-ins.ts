// Who has signed in on the session pages, and whose the logins of administrators are.
import { sharedTime } from '../lib/clock.ts';
import type { SignInStore } from '../contracts/sign-in.ts';
import type { Database } from './database/database.ts';

export const signInStore = (database: Database): SignInStore => ({
  save: async (key, { account, sealed, expiresAt }) => {
    await database.deleteFrom('sign_ins').where('expires_at', '<=', sharedTime()).execute();
    await database
      .insertInto('sign_ins')
      .values({ key, account_id: account.id, login: account.login, sealed, expires_at: expiresAt })
      .execute();
  },
  find: async (key) => {
    const row = await database
      .selectFrom('sign_ins')
      .selectAll()
      .where('key', '=', key)
      .where('expires_at', '>', sharedTime())
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { account_id: id, login, sealed, expires_at: expiresAt } = row;
    return { account: { id, login }, sealed, expiresAt };
  },
  remove: async (key) => {
    await database.deleteFrom('sign_ins').where('key', '=', key).execute();
  },
  firstOf: async (account) => {
    const login = account.login.toLowerCase();
    const added = await database
      .insertInto('known_logins')
      .values({ login, account_id: account.id })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    const { account_id: id } = await database
      .selectFrom('known_logins')
      .select('account_id')
      .where('login', '=', login)
      .executeTakeFirstOrThrow();
    return { id, isNew: added.numInsertedOrUpdatedRows === 1n };
  },
});
