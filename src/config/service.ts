import { isIP } from 'node:net';
import { z } from 'zod';
import type { RepositoryName } from '../contracts/intent.ts';
import { hasUnseen } from '../lib/text/invisible.ts';
import { GITHUB_LIMITS, type ContentLimits } from '../lib/write-budget.ts';
import { unlessItFails } from '../lib/errors.ts';
import { PAGES_TOKEN } from '../web/pages-token.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import {
  baseUrl,
  gheHost,
  linkHosts,
  list,
  listenHost,
  LOGIN,
  trimmedText,
  webhookUrl,
  whole,
} from './values/fields.ts';
import { isGuessable } from './values/guessable.ts';
import { readPrivateKey } from './key-files.ts';
import { isOfSystem } from './values/private-places.ts';

/** An address, or a network by its length. */
function isNetwork(given: string): boolean {
  const [address = '', length] = given.split('/', 2);
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
  return bits > 0 && isLength && given.split('/').length <= 2;
}

const FORM = /^(?:github|none|([1-9]\d{0,5})\/([1-9]\d{0,5}),([1-9]\d{0,5})\/([1-9]\d{0,5}))$/;

const contentLimits = trimmedText
  .regex(FORM, 'must be `github`, `none`, or limits such as `80/60,500/3600`')
  .refine(isShorterFirst, 'must name the shorter time first, as in `80/60,500/3600`')
  .default('github')
  .describe(
    '`github`: each installation writes at most 80 times a minute and 500 times an hour, as github.com requires; `none`: no limits, for an Enterprise Server without them (processes still share the pauses that it asks for); `80/60,500/3600`: other limits, as requests in so many seconds, the shorter time first',
  );

function isShorterFirst(value: string): boolean {
  const [, , shorter, , longer] = FORM.exec(value) ?? [];
  return shorter === undefined || Number(shorter) < Number(longer);
}

/** `undefined`: no limits. */
function contentLimitsIn(value: string): ContentLimits | undefined {
  if (value === 'none') return undefined;
  const [inMinute = 0, minute = 0, inHour = 0, hour = 0] =
    FORM.exec(value)?.slice(1).map(Number) ?? [];
  if (!(minute > 0)) return GITHUB_LIMITS;
  return {
    minute: { requests: inMinute, seconds: minute },
    hour: { requests: inHour, seconds: hour },
  };
}

const AccountVariables = {
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
  ASSIGNEE_LOGIN: trimmedText
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

/** The service and its GitHub App. */
export interface ServiceConfig {
  readonly github: {
    readonly appId: number;
    readonly privateKey: string;
    /** One; two while it is replaced. */
    readonly webhookSecrets: readonly string[];
    /** GitHub Enterprise Server; `undefined` for github.com. */
    readonly enterprise: { readonly host: string; readonly protocol: string } | undefined;
    /** Accounts whose installations are served, in lower case; `*` serves all. */
    readonly allowedOwners: readonly string[];
    /** Logins of bots that may request work, in lower case. */
    readonly allowedBots: readonly string[];
    /** A person's account that stands for the App as an assignee, in lower case. */
    readonly assignee: string | undefined;
    /** Hosts besides GitHub that published texts may link to, including the session pages' host. */
    readonly linkHosts: readonly string[];
    /** The limits for new content that writes keep to; `undefined`: none. */
    readonly contentLimits: ContentLimits | undefined;
    /** In a proof: the one repository whose events are received, from now on. No setting. */
    readonly onlyRepository?: RepositoryName;
  };
  readonly http: {
    readonly host: string;
    readonly port: number;
  };
  readonly pages: {
    readonly host: string;
    readonly port: number;
    /** What opens the pages; `undefined`: one that the service makes and keeps. */
    readonly token: string | undefined;
    /** Where people reach the pages; without it nothing on GitHub links to them. */
    readonly publicUrl: string | undefined;
    readonly proxies: readonly string[];
  };
  readonly store: { readonly databaseUrl: string | undefined; readonly dataDir: string };
  /** Where the operator hears of problems; `undefined`: nowhere. */
  readonly notifyUrl: string | undefined;
  /** After how many days sessions that are over are deleted; `undefined`: never. */
  readonly retentionDays: number | undefined;
  /** How long a running session may take to finish its step when the process is replaced. */
  readonly stopGraceSeconds: number;
  readonly logLevel: string;
  readonly logFormat: 'auto' | 'json' | 'pretty';
}

const WEAK_SECRETS = new Set(['development', 'secret', 'changeme', 'change-me', 'password']);
const MIN_SECRET_LENGTH = 16;
const APP_PAGE = 'on the settings page of your GitHub App';
const TOKEN_HINT = 'Create one with `openssl rand -hex 32`';
const SECRET_HINT = 'Create one with `openssl rand -hex 32` and enter it in your GitHub App too';

const DATABASE_FORM =
  'must have the form `postgres://user:password@host:port/database`. In the user and the password, write `%` as `%25`, `/` as `%2F`, `?` as `%3F`, `#` as `%23`, `@` as `%40`';

const webhookSecret = z
  .string()
  .refine((value) => !WEAK_SECRETS.has(value), `must not be a common word. ${SECRET_HINT}`)
  .refine(
    (value) => value.trim() === value && !hasUnseen(value),
    'has blanks around it or invisible characters in it, which are part of the secret here. Remove them, here and in your GitHub App',
  )
  .min(MIN_SECRET_LENGTH, `must have at least ${MIN_SECRET_LENGTH} characters. ${SECRET_HINT}`)
  .refine((value) => !isGuessable(value), `must not be easy to guess. ${SECRET_HINT}`)
  .refine((value) => !/^https?:\/\//i.test(value), `must not be an address. ${SECRET_HINT}`);

export const ServiceVariables = z.object({
  APP_ID: z
    .string(`missing. It is the "App ID" ${APP_PAGE}`)
    .trim()
    .regex(/^[1-9]\d{0,14}$/, `must be a number. It is the "App ID" ${APP_PAGE}`)
    .transform(Number)
    .describe("The App's ID, from its settings page"),
  PRIVATE_KEY: trimmedText.optional().meta({
    unset: 'required without `PRIVATE_KEY_PATH`',
    description:
      "The App's private key in PEM format, or that in base64; line breaks may be written as `\\n`",
  }),
  PRIVATE_KEY_PATH: trimmedText.optional().describe("File with the App's private key"),
  WEBHOOK_SECRET: z
    .string(`missing. ${SECRET_HINT}`)
    .transform((value) => value.split(/\r?\n/))
    .pipe(z.array(webhookSecret).max(2, `must be a single line, or two while you replace it`))
    .meta({
      unset: 'required without `WEBHOOK_SECRET_FILE`',
      description: `The App's webhook secret; at least ${MIN_SECRET_LENGTH} characters`,
    }),
  ...AccountVariables,
  GHE_HOST: gheHost.optional().meta({
    unset: 'github.com',
    description: 'Host of a GitHub Enterprise Server, or `NAME.ghe.com`',
  }),
  GHE_PROTOCOL: z
    .enum(['https', 'http'], 'must be `https` or `http`')
    .default('https')
    .describe('Protocol of that server: `https` or `http`'),
  CONTENT_LIMITS: contentLimits,
  HOST: listenHost
    .default('127.0.0.1')
    .describe('Address to listen on for webhooks and health checks'),
  PORT: whole(0, 65_535).default(3000).describe('Port for webhooks and health checks'),
  PAGES_HOST: listenHost
    .default('127.0.0.1')
    .describe('Address to listen on for the [session pages](security.md#session-pages)'),
  PAGES_PORT: whole(0, 65_535).default(3001).describe('Port for the session pages'),
  PAGES_TOKEN: trimmedText
    .regex(PAGES_TOKEN, `must be 32 to 128 letters, digits, \`-\` or \`_\`. ${TOKEN_HINT}`)
    .refine((value) => !isGuessable(value), `must not be easy to guess. ${TOKEN_HINT}`)
    .optional()
    .meta({
      unset: 'made at the first start, kept in `DATA_DIR/pages-token`',
      description:
        'Token that opens the session pages. One that is made is part of the link that the service prints at each start; yours is never printed',
    }),
  PUBLIC_URL: baseUrl
    .refine(
      (value) => !['0.0.0.0', '[::]'].includes(new URL(value).hostname),
      'must have the host that people reach, not the address that all listen on, such as `https://pages.example.com`',
    )
    .optional()
    .describe(
      'Where people reach the session pages, for links in comments and for the [sign-in](security.md#sign-in-with-github). These links contain no token: they open in a browser that has opened the printed link, or signs in',
    ),
  TRUSTED_PROXIES: list('')
    .default(['loopback'])
    .refine(
      (proxies) => proxies.every((proxy) => proxy === 'loopback' || isNetwork(proxy)),
      'must be addresses or networks, such as `10.0.3.7,fd00:3::/64`, or `loopback`',
    )
    .describe(
      'Reverse proxies in front of the session pages, comma-separated, as addresses or networks such as `10.0.3.7,fd00:3::/64`. Their `X-Forwarded-For` says whom the limits of requests count; that of others is ignored. `loopback`: those on this machine',
    ),
  LINK_HOSTS: linkHosts
    .default([])
    .describe(
      'Hosts that published texts may link to, besides GitHub and `PUBLIC_URL`, comma-separated; `*.example.com` includes all subdomains. Other links are shown as plain text',
    ),
  DATABASE_URL: trimmedText
    .regex(
      /^postgres(ql)?:\/\//,
      'must be a postgres:// address, such as `postgres://user:password@host:5432/database`',
    )
    .refine((value) => URL.canParse(value), DATABASE_FORM)
    .refine(
      (value) => unlessItFails(() => decodeURIComponent(userOf(value))) !== undefined,
      DATABASE_FORM,
    )
    .optional()
    .describe(
      'PostgreSQL server to use; otherwise an embedded one runs in `DATA_DIR` (Linux and macOS)',
    ),
  DATA_DIR: trimmedText
    .refine(
      (value) => !/^[a-z][a-z\d+.-]*:/i.test(value) && !isOfSystem(value),
      'must be a directory of its own on this machine, such as `/var/lib/issuewright`, and no address',
    )
    .default('data')
    .describe(
      'Directory of the embedded database, which only one process can use, and of [the cache](operations.md#the-cache-of-repositories), which processes on one machine may share',
    ),
  RETENTION_DAYS: whole(7, 36_500).optional().meta({
    unset: 'never',
    description:
      'Days after which [sessions that are over are deleted](operations.md#what-is-deleted-and-when); 7 or more',
  }),
  NOTIFY_URL: webhookUrl
    .optional()
    .describe(
      'Address that gets [a small JSON](operations.md#notifications) when a problem begins, and when it is over',
    ),
  STOP_GRACE_SECONDS: whole(0, 600)
    .default(18)
    .describe(
      'How long a session may take to finish its step after SIGTERM, such as a reply of the model that is paid for, at most 600. [Kill the process 12 s later at the earliest](operations.md#stopping-and-replacing)',
    ),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
      'must be `trace`, `debug`, `info`, `warn`, `error` or `fatal`',
    )
    .default('info')
    .describe(
      '`trace` to `fatal`; the log goes to standard output. As text for people, only `debug` and `trace` show where an error was thrown',
    ),
  LOG_FORMAT: z
    .enum(['auto', 'json', 'pretty'], 'must be `auto`, `json` or `pretty`')
    .default('auto')
    .describe(
      '`json`: a JSON object on each line; `pretty`: for people; `auto`: `pretty` on a terminal, otherwise `json`',
    ),
});

export function readStoreVariables(
  variables: Variables,
  faults: ConfigFault[],
): ServiceConfig['store'] | undefined {
  const names = { DATABASE_URL: true, DATA_DIR: true } as const;
  const read = check(ServiceVariables.pick(names), variables, faults);
  return read && { databaseUrl: read.DATABASE_URL, dataDir: read.DATA_DIR };
}

export const readLogLevel = (variables: Variables, faults: ConfigFault[]): string | undefined =>
  check(ServiceVariables.pick({ LOG_LEVEL: true }), variables, faults)?.LOG_LEVEL;

export function readService(
  variables: Variables,
  faults: ConfigFault[],
): ServiceConfig | undefined {
  const read = check(ServiceVariables, variables, faults);
  const privateKey = readPrivateKey(variables, faults);
  if (read && read.PORT === read.PAGES_PORT && read.PORT !== 0)
    faults.push({
      name: 'PAGES_PORT',
      fault: 'must be another port than PORT: strangers can reach that one',
    });
  if (read === undefined || privateKey === undefined) return undefined;
  const { GHE_HOST: host, GHE_PROTOCOL: protocol } = read;
  return {
    github: {
      appId: read.APP_ID,
      privateKey,
      webhookSecrets: read.WEBHOOK_SECRET,
      enterprise: host === undefined ? undefined : { host, protocol },
      allowedOwners: read.ALLOWED_OWNERS.map((owner) => owner.toLowerCase()),
      allowedBots: (read.ALLOWED_BOTS ?? []).map((login) => login.toLowerCase()),
      assignee: read.ASSIGNEE_LOGIN?.toLowerCase(),
      linkHosts: [...read.LINK_HOSTS, ...hostOf(read.PUBLIC_URL)],
      contentLimits: contentLimitsIn(read.CONTENT_LIMITS),
    },
    http: {
      host: read.HOST,
      port: read.PORT,
    },
    pages: {
      host: read.PAGES_HOST,
      port: read.PAGES_PORT,
      token: read.PAGES_TOKEN,
      publicUrl: read.PUBLIC_URL?.replace(/(?<!\/)\/+$/, ''),
      proxies: read.TRUSTED_PROXIES,
    },
    store: { databaseUrl: read.DATABASE_URL, dataDir: read.DATA_DIR },
    notifyUrl: read.NOTIFY_URL,
    retentionDays: read.RETENTION_DAYS,
    stopGraceSeconds: read.STOP_GRACE_SECONDS,
    logLevel: read.LOG_LEVEL,
    logFormat: read.LOG_FORMAT,
  };
}

const userOf = (address: string): string => {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  return username + password;
};

const hostOf = (address: string | undefined): readonly string[] =>
  address === undefined ? [] : [new URL(address).host];
