import { z } from 'zod';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { list, text, url, whole } from './fields.ts';
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
    .transform(Number),
  PRIVATE_KEY: text.optional(),
  PRIVATE_KEY_PATH: text.optional(),
  WEBHOOK_SECRET: z
    .string(`missing. ${SECRET_HINT}`)
    .refine((value) => !WEAK_SECRETS.has(value), `a word that everybody knows. ${SECRET_HINT}`)
    .min(MIN_SECRET_LENGTH, `shorter than ${MIN_SECRET_LENGTH} characters. ${SECRET_HINT}`),
  ALLOWED_OWNERS: list(
    'missing. Name the accounts whose repositories may spend your model budget, such as `your-org,your-login`',
  ),
  GHE_HOST: text.optional(),
  GHE_PROTOCOL: z.enum(['https', 'http'], 'neither `https` nor `http`').default('https'),
  HOST: text.default('127.0.0.1'),
  PORT: whole(0, 65_535).default(3000),
  PUBLIC_URL: url.optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'not a postgres:// address')
    .optional(),
  DATA_DIR: text.default('data'),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
      'not `trace`, `debug`, `info`, `warn`, `error` or `fatal`',
    )
    .default('info'),
});

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
