import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { startLocalGitHub, type LocalGitHub } from './github/local-github.ts';
import { startModelServer, type ModelServer } from './model/server.ts';
import type { Script } from './model/script.ts';
import { ServiceProcess } from './service-process.ts';

export interface StageOptions {
  /** For the bare repositories and the service's data. */
  readonly directory: string;
  /** The account that owns the repositories, and that the service serves. */
  readonly owner: string;
  readonly people: readonly string[];
  readonly scripts: readonly Script[];
  /** Added to the service's environment, or replaces parts of it. Must contain `PATH`. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A local GitHub, a scripted model, and the service between them. */
export interface Stage {
  readonly github: LocalGitHub;
  readonly model: ModelServer;
  /** The address of the service. It stays the same when the service restarts. */
  readonly serviceUrl: string;
  readonly webhookSecret: string;
  /** `environment` is merged over that of the stage. */
  startService(environment?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
  /** The log of all services so far. */
  log(): string;
  /** Stops everything. */
  close(): Promise<void>;
}

const APP = { id: 1, slug: 'issuewright', name: 'Issuewright' };

export async function openStage(options: StageOptions): Promise<Stage> {
  const app = { ...APP, privateKeyPem: newPrivateKey(), webhookSecret: newSecret() };
  const serviceUrl = `http://127.0.0.1:${await freePort()}`;
  const github = await startLocalGitHub({
    directory: path.join(options.directory, 'repositories'),
    app: { ...app, webhookUrl: `${serviceUrl}/api/github/webhooks` },
    users: options.people.map((login) => ({ login })),
  });
  const model = await startModelServer({ scripts: [...options.scripts] });
  const services: ServiceProcess[] = [];
  const environment = {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKeyPem,
    WEBHOOK_SECRET: app.webhookSecret,
    ALLOWED_OWNERS: options.owner,
    GHE_HOST: new URL(github.url).host,
    GHE_PROTOCOL: 'http',
    CONTENT_LIMITS: 'none',
    HOST: '127.0.0.1',
    PORT: new URL(serviceUrl).port,
    PUBLIC_URL: serviceUrl,
    DATA_DIR: path.join(options.directory, 'data'),
    MODEL: 'openai:scripted',
    OPENAI_API_KEY: 'sk-no-key-is-needed-here',
    OPENAI_BASE_URL: `${model.url}/v1`,
    ...options.environment,
  };
  return {
    github,
    model,
    serviceUrl,
    webhookSecret: app.webhookSecret,
    startService: async (changes = {}) => {
      const service = await ServiceProcess.start({ ...environment, ...changes });
      services.push(service);
      return service;
    },
    log: () => services.map(({ log }) => log).join('\n'),
    close: async () => {
      await Promise.all(services.map((service) => service.stop()));
      await Promise.all([github.close(), model.close()]);
    },
  };
}

const newSecret = (): string => randomBytes(32).toString('hex');

const newPrivateKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}
