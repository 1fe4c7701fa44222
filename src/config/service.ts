import { z } from 'zod';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { linkHosts, list, text, url, whole } from './fields.ts';
import { readPrivateKey } from './private-key.ts';

/** The service on its machine, and the GitHub App that it is. */
export interface ServiceConfig {
  readonly github: {
    readonly appId: number;
    readonly privateKey: string;
    readonly webhookSecret: string;
    /** GitHub Enterprise Server; `undefined` for github.com. */
    readonly enterprise: { readonly host: string; readonly protocol: string } | undefined;
    /** Accounts whose installations are served, in lower case; `*` serves all. */
    readonly allowedOwners: readonly string[];
    /** Logins of bots that may ask for work, in lower case. */
    readonly allowedBots: readonly string[];
    /** Hosts that links in published texts may lead to besides GitHub's, the session pages' included. */
    readonly linkHosts: readonly string[];
    /** Whether what is written keeps to the limits of github.com for new content. */
    readonly limitsContent: boolean;
  };
  readonly http: {
    readonly host: string;
    readonly port: number;
    /** Where people reach the session pages; without it nothing links to them. */
    readonly publicUrl: string | undefined;
  };
  readonly store: { readonly databaseUrl: string | undefined; readonly dataDir: string };
  readonly logLevel: string;
}

const WEAK_SECRETS = new Set(['development', 'secret', 'changeme', 'change-me', 'password']);
const MIN_SECRET_LENGTH = 16;
const APP_PAGE = 'on the settings page of your GitHub App';
const SECRET_HINT = '`openssl rand -hex 32` makes a good one; enter the same at your GitHub App';

export const ServiceVariables = z.object({
  APP_ID: z
    .string(`missing. It is the "App ID" ${APP_PAGE}`)
    .regex(/^\d+$/, `not a number. It is the "App ID" ${APP_PAGE}`)
    .transform(Number)
    .describe("The App's id, from its settings page"),
  PRIVATE_KEY: text.optional().meta({
    unset: 'required without `PRIVATE_KEY_PATH`',
    description: "The App's private key: PEM, its line breaks may be written as `\\n`",
  }),
  PRIVATE_KEY_PATH: text.optional().describe('The file that holds it'),
  WEBHOOK_SECRET: z
    .string(`missing. ${SECRET_HINT}`)
    .refine((value) => !WEAK_SECRETS.has(value), `a word that everybody knows. ${SECRET_HINT}`)
    .min(MIN_SECRET_LENGTH, `shorter than ${MIN_SECRET_LENGTH} characters. ${SECRET_HINT}`)
    .describe(`The secret that is entered at the App; ${MIN_SECRET_LENGTH} characters or more`),
  ALLOWED_OWNERS: list(
    'missing. Name the accounts whose repositories may spend your model budget, such as `your-org,your-login`',
  ).describe(
    'Accounts whose repositories are served, separated by commas; `*` serves all. Others are ignored and logged once',
  ),
  ALLOWED_BOTS: list('')
    .optional()
    .describe(
      'Bots that may ask for work as people do, by login (`some-bot[bot]`), separated by commas; all others are not listened to',
    ),
  GHE_HOST: text.optional().meta({
    unset: 'github.com',
    description: 'A GitHub Enterprise Server',
  }),
  GHE_PROTOCOL: z
    .enum(['https', 'http'], 'neither `https` nor `http`')
    .default('https')
    .describe('How that server is spoken to: `https` or `http`'),
  CONTENT_LIMITS: z
    .enum(['github', 'none'], 'neither `github` nor `none`')
    .default('github')
    .describe(
      'With `github` each installation writes no more than 80 times a minute and 500 times an hour, as github.com asks; `none` is for an Enterprise Server that sets no limits',
    ),
  HOST: text.default('127.0.0.1').describe('The address that it listens on'),
  PORT: whole(0, 65_535).default(3000).describe('The port'),
  PUBLIC_URL: url
    .optional()
    .describe(
      'Where people reach the session pages; the status comment links there. The pages answer on loopback only for now (an SSH tunnel, say; in a container, not beyond it)',
    ),
  LINK_HOSTS: linkHosts
    .default([])
    .describe(
      'Hosts that links and images in published texts may lead to besides GitHub and `PUBLIC_URL`, separated by commas; `*.example.com` stands for all below it. Others are shown as plain text',
    ),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'not a postgres:// address')
    .optional()
    .describe('PostgreSQL to use; without it one is embedded in `DATA_DIR` (Linux and macOS)'),
  DATA_DIR: text.default('data').describe('The embedded database; one process owns it'),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
      'not `trace`, `debug`, `info`, `warn`, `error` or `fatal`',
    )
    .default('info')
    .describe('`trace` to `fatal`; the log is JSON lines on standard output'),
});

export function readStoreVariables(
  variables: Variables,
  faults: ConfigFault[],
): ServiceConfig['store'] | undefined {
  const names = { DATABASE_URL: true, DATA_DIR: true } as const;
  const read = check(ServiceVariables.pick(names), variables, faults);
  return read && { databaseUrl: read.DATABASE_URL, dataDir: read.DATA_DIR };
}

export function readService(
  variables: Variables,
  faults: ConfigFault[],
): ServiceConfig | undefined {
  const read = check(ServiceVariables, variables, faults);
  const privateKey = readPrivateKey(variables, faults);
  if (read === undefined || privateKey === undefined) return undefined;
  const { GHE_HOST: host, GHE_PROTOCOL: protocol } = read;
  return {
    github: {
      appId: read.APP_ID,
      privateKey,
      webhookSecret: read.WEBHOOK_SECRET,
      enterprise: host === undefined ? undefined : { host, protocol },
      allowedOwners: read.ALLOWED_OWNERS.map((owner) => owner.toLowerCase()),
      allowedBots: (read.ALLOWED_BOTS ?? []).map((login) => login.toLowerCase()),
      linkHosts: [...read.LINK_HOSTS, ...hostOf(read.PUBLIC_URL)],
      limitsContent: read.CONTENT_LIMITS === 'github',
    },
    http: {
      host: read.HOST,
      port: read.PORT,
      publicUrl: read.PUBLIC_URL?.replace(/\/+$/, ''),
    },
    store: { databaseUrl: read.DATABASE_URL, dataDir: read.DATA_DIR },
    logLevel: read.LOG_LEVEL,
  };
}

const hostOf = (address: string | undefined): readonly string[] =>
  address === undefined ? [] : [new URL(address).host];
