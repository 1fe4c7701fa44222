import { z } from 'zod';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { list, LOGIN, trimmedText } from './values/fields.ts';
import { isGuessable } from './values/guessable.ts';

/** How people sign in on the session pages with GitHub. */
export interface SignInConfig {
  /** Of the App as an OAuth client. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who sees all sessions: logins in lower case, with the number of the account where it is set. */
  readonly admins: ReadonlyMap<string, number | undefined>;
}

const isAdmin = (item: string): boolean => {
  const [login = '', id, ...rest] = item.split(':');
  return LOGIN.test(login) && (id === undefined || /^[1-9]\d{0,14}$/.test(id)) && rest.length === 0;
};

/** The last of two items with one login counts. */
const adminsIn = (items: readonly string[]): ReadonlyMap<string, number | undefined> =>
  new Map(
    items.map((item) => {
      const [login = '', id] = item.toLowerCase().split(':');
      return [login, id === undefined ? undefined : Number(id)];
    }),
  );

const APP_PAGE = 'on the settings page of your GitHub App';
const CALLBACK = 'sign-in/callback';

export const SignInVariables = z.object({
  CLIENT_ID: trimmedText
    .regex(/^[\w.-]{8,64}$/, `must be the "Client ID" ${APP_PAGE}, such as \`Iv23li…\``)
    .optional()
    .meta({
      unset: 'no sign-in with GitHub',
      description:
        'Client ID of the App: people sign in on the session pages with GitHub, and see [sessions of what they can read](security.md#sign-in-with-github)',
    }),
  CLIENT_SECRET: trimmedText
    .min(16, `must have at least 16 characters: generate one ${APP_PAGE}`)
    .refine((value) => !isGuessable(value), `must not be easy to guess: generate one ${APP_PAGE}`)
    .optional()
    .meta({ unset: 'required with `CLIENT_ID`', description: 'Client secret of the App' }),
  ADMINS: list('')
    .refine(
      (admins) => admins.every(isAdmin),
      'must be logins of people, such as `octocat,hubot`, without `@`; the number of an account follows after a colon, as in `octocat:583231`',
    )
    .optional()
    .describe(
      'Logins of people who see all sessions when they sign in, comma-separated. A login counts for the account that [first signs in](security.md#sign-in-with-github) with it, or whose number is set: `octocat:583231`',
    ),
});

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** Reached on loopback, also those of a container. */
const HERE = new Set(['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::']);

/** `false`: there is none. `undefined`: it has faults. */
export function readSignIn(
  variables: Variables,
  faults: ConfigFault[],
): SignInConfig | false | undefined {
  const read = check(SignInVariables, variables, faults);
  if (read === undefined) return undefined;
  const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, ADMINS: admins } = read;
  if (clientId === undefined || clientSecret === undefined) {
    const lacking = clientId === undefined ? 'CLIENT_ID' : 'CLIENT_SECRET';
    if ((clientId ?? clientSecret ?? admins) === undefined) return false;
    faults.push({
      name: lacking,
      fault: `missing: the sign-in with GitHub needs both CLIENT_ID and CLIENT_SECRET. They are ${APP_PAGE}`,
    });
    return undefined;
  }
  const fault = addressFault(variables);
  if (fault !== undefined) faults.push({ name: 'PUBLIC_URL', fault });
  return { clientId, clientSecret, admins: adminsIn(admins ?? []) };
}

/** GitHub leads people back to it, with a code. */
function addressFault({ PUBLIC_URL: url, PAGES_HOST: host }: Variables): string | undefined {
  if (url === undefined)
    return host === undefined || HERE.has(host.trim())
      ? undefined
      : 'missing: GitHub leads people who sign in back to it. Set it to where they reach PAGES_HOST';
  const address = URL.parse(url.trim());
  if (address === null) return undefined;
  const isPrivate = address.protocol === 'https:' || LOOPBACK.has(address.hostname);
  if (!isPrivate)
    return 'must begin with `https://` if people sign in with GitHub: without TLS everyone on the way could read their cookies';
  return address.pathname === '/'
    ? undefined
    : `must have no path if people sign in with GitHub, which leads back to \`${address.origin}/${CALLBACK}\``;
}
