import { createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { z } from 'zod';
import { messageOf } from './lib/errors.ts';
import { PROVIDER_NAMES } from './models/index.ts';

/** The settings of the operator, from the environment alone; handed down in parts by main.ts. */
export interface Config {
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
  readonly models: {
    /** The models offered, as `provider:name`; the first is the default. */
    readonly offered: readonly [string, ...string[]];
    readonly openai: { readonly apiKey: string | undefined; readonly baseUrl: string | undefined };
  };
  readonly limits: {
    readonly turns: number;
    readonly minutes: number;
    readonly outputTokens: number;
  };
  readonly logLevel: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting that is missing or wrong, and where to get a right one. */
export interface ConfigFault {
  readonly name: string;
  readonly fault: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(({ name, fault }) => `${name}: ${fault}`).join('\n'));
    this.faults = faults;
  }
}

const WEAK_SECRETS = new Set(['development', 'secret', 'changeme', 'change-me', 'password']);
const MIN_SECRET_LENGTH = 16;
const APP_PAGE = 'on the settings page of your GitHub App';
const SECRET_HINT = '`openssl rand -hex 32` makes a good one; enter the same at your GitHub App';

const text = z.string().trim();
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const url = z.url({ protocol: /^https?$/, error: 'not an http(s) address' });
const list = (missing: string) =>
  z
    .string(missing)
    .transform((value) => value.split(',').map((item) => item.trim()))
    .refine((items) => items.every((item) => item !== ''), 'has an empty item between its commas');

const Variables = z.object({
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
  MODEL: list('missing. Name a model as `provider:name`, such as `openai:gpt-5.2`'),
  OPENAI_API_KEY: text.optional(),
  OPENAI_BASE_URL: url.optional(),
  GHE_HOST: text.optional(),
  GHE_PROTOCOL: z.enum(['https', 'http']).default('https'),
  HOST: text.default('127.0.0.1'),
  PORT: whole(0, 65_535).default(3000),
  PUBLIC_URL: url.optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'not a postgres:// address')
    .optional(),
  DATA_DIR: text.default('data'),
  AGENT_MAX_ITERATIONS: whole(1, 1000).default(50),
  AGENT_MAX_MINUTES: whole(1, 1440).default(60),
  AGENT_MAX_TOKENS: whole(256, 1_000_000).default(32_000),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info'),
});

type Variables = z.infer<typeof Variables>;

/** The process's environment, with what an `.env` file beside package.json adds to it. */
export function processEnvironment(): Environment {
  if (existsSync('.env')) loadEnvFile('.env');
  return process.env;
}

/**
 * Reads the settings. All faults are found at once.
 * @throws {ConfigError} naming each setting that is missing or wrong
 */
export function readConfig(environment: Environment): Config {
  // An empty variable is an unset one: `docker compose` passes those on.
  const given = Object.entries(environment).filter(([, value]) => value?.trim());
  const variables = Object.fromEntries(given);
  const parsed = Variables.safeParse(variables);
  const faults = parsed.success ? [] : firstOfEach(parsed.error.issues.map(faultOf));
  const privateKey = readPrivateKey(variables, faults);
  const offered = offeredModels(variables, faults);
  if (!parsed.success || faults.length > 0 || privateKey === undefined || offered === undefined) {
    throw new ConfigError(faults);
  }
  return assembled(parsed.data, privateKey, offered);
}

/** One fault a setting is enough: the next shows when that is mended. */
const firstOfEach = (faults: readonly ConfigFault[]): ConfigFault[] =>
  faults.filter(({ name }, at) => faults.findIndex((other) => other.name === name) === at);

const faultOf = ({ path, message }: { path: PropertyKey[]; message: string }): ConfigFault => ({
  name: String(path[0]),
  fault: message,
});

function readPrivateKey(environment: Environment, faults: ConfigFault[]): string | undefined {
  const { PRIVATE_KEY: inline, PRIVATE_KEY_PATH: path } = environment;
  if (inline?.trim()) return checkedKey('PRIVATE_KEY', inline.replaceAll('\\n', '\n'), faults);
  if (path?.trim()) {
    try {
      return checkedKey('PRIVATE_KEY_PATH', readFileSync(path, 'utf8'), faults);
    } catch (error) {
      faults.push({ name: 'PRIVATE_KEY_PATH', fault: `cannot be read: ${messageOf(error)}` });
      return undefined;
    }
  }
  const fault = `missing. "Generate a private key" ${APP_PAGE} and name the file in PRIVATE_KEY_PATH`;
  faults.push({ name: 'PRIVATE_KEY', fault });
  return undefined;
}

function checkedKey(name: string, pem: string, faults: ConfigFault[]): string | undefined {
  try {
    createPrivateKey(pem);
    return pem;
  } catch {
    faults.push({ name, fault: 'not a PEM private key ("-----BEGIN RSA PRIVATE KEY-----" …)' });
    return undefined;
  }
}

type Offered = Config['models']['offered'];

function offeredModels(
  { MODEL: model, OPENAI_API_KEY: key, OPENAI_BASE_URL: baseUrl }: Environment,
  faults: ConfigFault[],
): Offered | undefined {
  if (key === undefined && baseUrl === undefined) {
    const fault = 'missing. Make one at your provider, or name your own server in OPENAI_BASE_URL';
    faults.push({ name: 'OPENAI_API_KEY', fault });
  }
  const [first, ...rest] = (model ?? '').split(',').map((name) => name.trim());
  if (first === undefined || first === '') return undefined;
  for (const name of [first, ...rest]) {
    const provider = name.slice(0, Math.max(0, name.indexOf(':')));
    if (!PROVIDER_NAMES.includes(provider) || name.endsWith(':')) {
      const known = PROVIDER_NAMES.map((known) => `\`${known}:…\``).join(', ');
      faults.push({ name: 'MODEL', fault: `"${name}" is not one of ${known}` });
    }
  }
  return [first, ...rest];
}

function assembled(variables: Variables, privateKey: string, offered: Offered): Config {
  const { GHE_HOST: host, GHE_PROTOCOL: protocol } = variables;
  return {
    github: {
      appId: variables.APP_ID,
      privateKey,
      webhookSecret: variables.WEBHOOK_SECRET,
      enterprise: host === undefined ? undefined : { host, protocol },
      allowedOwners: variables.ALLOWED_OWNERS.map((owner) => owner.toLowerCase()),
    },
    http: {
      host: variables.HOST,
      port: variables.PORT,
      publicUrl: variables.PUBLIC_URL?.replace(/\/+$/, ''),
    },
    store: { databaseUrl: variables.DATABASE_URL, dataDir: variables.DATA_DIR },
    models: {
      offered,
      openai: { apiKey: variables.OPENAI_API_KEY, baseUrl: variables.OPENAI_BASE_URL },
    },
    limits: {
      turns: variables.AGENT_MAX_ITERATIONS,
      minutes: variables.AGENT_MAX_MINUTES,
      outputTokens: variables.AGENT_MAX_TOKENS,
    },
    logLevel: variables.LOG_LEVEL,
  };
}
