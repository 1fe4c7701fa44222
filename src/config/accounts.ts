// Which accounts on GitHub the service works for, and which stand for it.
import { list, LOGIN, text } from './values/fields.ts';

export const AccountVariables = {
  ALLOWED_OWNERS: list(
    'missing. List the accounts whose repositories may spend your model budget, such as `your-org,your-login`',
  )
    .refine(
      (owners) => owners.every((owner) => owner === '*' || LOGIN.test(owner)),
      'must be names of accounts, such as `your-org,your-login`, without `@`, addresses or repositories; or `*`',
    )
    .describe(
      'Accounts whose repositories are served, comma-separated; `*`: all. Other accounts are ignored; the log says so once',
    ),
  ALLOWED_BOTS: list('')
    .refine(
      (bots) => bots.every((login) => LOGIN.test(login)),
      'must be logins of bots, such as `some-bot[bot]`, without `@`',
    )
    .optional()
    .describe(
      'Bots that may request work, by login (`some-bot[bot]`), comma-separated; all other bots are ignored',
    ),
  ASSIGNEE_LOGIN: text
    .regex(LOGIN, 'must be the login of an account, such as `our-machine-user`, without `@`')
    .refine(
      (login) => !login.endsWith('[bot]'),
      'must be the account of a person or a machine user. If GitHub lets the App itself be assigned, that works without this setting',
    )
    .optional()
    .describe(
      'Account that stands for the App: assigning an issue to it starts work, as the label does. It needs read access to the repository, and no token',
    ),
};
