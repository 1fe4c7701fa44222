import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { EVENTS, PERMISSIONS, startLocalGitHub, type LocalGitHub } from './github/local-github.ts';
import { clientIdOf } from './github/user-sign-in.ts';
import type { LimitSettings } from './github/limits.ts';
import { freePort } from './free-port.ts';
import { startModelServer, type ModelServer } from './model/server.ts';
import type { Script } from './model/script.ts';
import { ServiceProcess } from './service-process.ts';
import { newPrivateKey } from './private-key.ts';

export interface StageOptions {
  /** For the bare repositories and the service's data. */
  readonly directory: string;
  /** The account that owns the repositories, and that the service serves. */
  readonly owner: string;
  readonly people: readonly string[];
  /** Of the App and its installations; by default those that the App cannot do without. */
  readonly permissions?: Record<string, 'read' | 'write'>;
  /** That the App subscribes to, besides those that it always does. */
  readonly events?: readonly string[];
  /** Of the App; if omitted, a new one. */
  readonly privateKeyPem?: string;
  readonly scripts: readonly Script[];
  /** Of the local GitHub; none if omitted. */
  readonly limits?: LimitSettings;
  /** Added to the service's environment, or replaces parts of it. Must contain `PATH`. */
  readonly environment: Readonly<Record<string, string>>;
  /** The services write their log to this file. */
  readonly logFile?: string | undefined;
  /** Where the services start; by default where this process did, with its `.env` file. */
  readonly cwd?: string;
}

/** A local GitHub, a scripted model, and the service between them. */
export interface Stage {
  readonly github: LocalGitHub;
  readonly model: ModelServer;
  /** The address of the service. It stays the same when the service restarts. */
  readonly serviceUrl: string;
  /** The address of the session pages, and the link that opens them. */
  readonly pagesUrl: string;
  readonly pagesLink: string;
  readonly webhookSecret: string;
  /** Settings with which people sign in on the session pages with GitHub; the service has none of them by default. */
  readonly signIn: Readonly<Record<'CLIENT_ID' | 'CLIENT_SECRET', string>>;
  /** The settings of the service. */
  readonly environment: Readonly<Record<string, string>>;
  /** The HTML of a session page, such as `/sessions`. */
  readPage(path: string): Promise<string>;
  /** `environment` is merged over that of the stage. */
  startService(
    environment?: Readonly<Record<string, string>>,
    command?: 'start' | 'serve' | 'work',
  ): Promise<ServiceProcess>;
  /** Kills all services, also one that is not ready yet, as a power cut would. */
  kill(): Promise<void>;
  /** The log of all services so far. */
  log(): string;
  /** Stops everything. */
  close(): Promise<void>;
}

const APP = { id: 1, slug: 'issuewright', name: 'Issuewright' };

export async function openStage(options: StageOptions): Promise<Stage> {
  const app = newApp(options);
  const serviceUrl = `http://127.0.0.1:${await freePort()}`;
  const pagesUrl = `http://127.0.0.1:${await freePort()}`;
  const pagesToken = newSecret();
  const github = await startLocalGitHub({
    directory: path.join(options.directory, 'repositories'),
    app: { ...app, ...grantedBy(options), ...addressesOf(serviceUrl, pagesUrl) },
    ...worldOf(options),
  });
  const model = await startModelServer({ scripts: [...options.scripts] });
  const services: ServiceProcess[] = [];
  const environment = {
    ...environmentOf(app, options),
    GHE_HOST: new URL(github.url).host,
    PORT: new URL(serviceUrl).port,
    PAGES_PORT: new URL(pagesUrl).port,
    PAGES_TOKEN: pagesToken,
    PUBLIC_URL: pagesUrl,
    OPENAI_BASE_URL: `${model.url}/v1`,
    ...options.environment,
  };
  return {
    github,
    model,
    serviceUrl,
    pagesUrl,
    pagesLink: `${pagesUrl}/?token=${pagesToken}`,
    readPage: (page) => readPage(`${pagesUrl}${page}`, pagesToken),
    webhookSecret: app.webhookSecret,
    signIn: { CLIENT_ID: clientIdOf(app), CLIENT_SECRET: app.clientSecret },
    environment,
    startService: async (changes = {}, command = 'start') => {
      const given = { ...environment, ...changes };
      const service = ServiceProcess.spawn(given, command, [], options.logFile, options.cwd);
      services.push(service);
      await service.untilReady();
      return service;
    },
    kill: async () => {
      await Promise.all(services.map((service) => service.kill()));
    },
    log: () => services.map(({ log }) => log).join('\n'),
    close: async () => {
      await Promise.all(services.map((service) => service.stop()));
      await Promise.all([github.close(), model.close()]);
    },
  };
}

async function readPage(url: string, token: string): Promise<string> {
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text();
}

const newApp = ({ privateKeyPem = newPrivateKey() }: StageOptions) => ({
  ...APP,
  privateKeyPem,
  webhookSecret: newSecret(),
  clientSecret: newSecret(),
});

const addressesOf = (serviceUrl: string, pagesUrl: string) => ({
  webhookUrl: `${serviceUrl}/api/github/webhooks`,
  callbackUrls: [`${pagesUrl}/sign-in/callback`],
});

const worldOf = ({ people, limits }: StageOptions) => ({
  users: people.map((login) => ({ login })),
  limits,
});

const grantedBy = ({ permissions = PERMISSIONS, events = [] }: StageOptions) => ({
  permissions,
  events: [...EVENTS, ...events],
});

/** The settings of the service that depend on no address. */
const environmentOf = (
  app: { readonly id: number; readonly privateKeyPem: string; readonly webhookSecret: string },
  { owner, directory }: StageOptions,
): Record<string, string> => ({
  APP_ID: String(app.id),
  PRIVATE_KEY: app.privateKeyPem,
  WEBHOOK_SECRET: app.webhookSecret,
  ALLOWED_OWNERS: owner,
  GHE_PROTOCOL: 'http',
  CONTENT_LIMITS: 'none',
  HOST: '127.0.0.1',
  DATA_DIR: path.join(directory, 'data'),
  MODEL: 'openai:scripted',
  OPENAI_API_KEY: 'sk-no-key-is-needed-here',
});

const newSecret = (): string => randomBytes(32).toString('hex');
