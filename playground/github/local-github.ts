// The local GitHub as its users see it.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Authentication } from './auth.ts';
import { Faults } from './faults.ts';
import { GITHUB_SIGNATURE } from './git/git.ts';
import type { RequestRecord } from './http-server.ts';
import { createHttpServer } from './http-server.ts';
import { Installations } from './installations.ts';
import { Person } from './people.ts';
import { RepositoryGit } from './git/repository.ts';
import type { Services } from './rest/route.ts';
import type { Repository, Role } from './state.ts';
import { timestamp } from './state.ts';
import { waitFor, type Wait } from './wait-for.ts';
import type { Delivery } from './webhooks.ts';
import { Webhooks } from './webhooks.ts';
import { World } from './world.ts';
import { WorldFile } from './world-file.ts';

export interface LocalGitHubOptions {
  /** Where the bare repositories live; made when it is missing. */
  readonly directory: string;
  /** Keeps everything but git between processes; read at the start if it is there. */
  readonly worldFile?: string;
  readonly app: {
    readonly id: number;
    readonly slug: string;
    readonly name: string;
    readonly privateKeyPem: string;
    readonly webhookSecret: string;
    /** May be set later by `setWebhookUrl`; without one, deliveries find nobody. */
    readonly webhookUrl?: string;
    /** What every installation grants. */
    readonly permissions?: Record<string, 'read' | 'write'>;
    /** The events that the App hears of. */
    readonly events?: readonly string[];
  };
  readonly users: readonly { readonly login: string }[];
  readonly log?: Logger;
  /** 0, a free one, when left out. */
  readonly port?: number;
}

export interface NewRepository {
  readonly owner: string;
  readonly name: string;
  readonly files: Record<string, string>;
  /** Roles by login; people who are new are made. */
  readonly collaborators: Record<string, Role>;
  /** The App is installed on the repository under this id; 1 when left out, nowhere when null. */
  readonly installationId?: number | null;
}

const PERMISSIONS = {
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
} as const;
const EVENTS = ['issues', 'issue_comment', 'pull_request', 'pull_request_review'];

export class LocalGitHub {
  readonly faults: Faults;
  readonly installations: Installations;
  /** All requests that were answered, oldest first; pages and git included. */
  readonly requests: RequestRecord[];
  readonly #directory: string;
  readonly #services: Services;
  readonly #server: FastifyInstance;

  constructor(parts: {
    directory: string;
    services: Services;
    faults: Faults;
    server: FastifyInstance;
    requests: RequestRecord[];
  }) {
    this.#directory = parts.directory;
    this.#services = parts.services;
    this.#server = parts.server;
    this.faults = parts.faults;
    this.installations = new Installations(parts.services);
    this.requests = parts.requests;
  }

  /** `http://127.0.0.1:PORT` */
  get url(): string {
    return this.#services.world.url;
  }

  /** Every permission that an installation token was needed for so far, such as `issues:write`. */
  get usedPermissions(): Set<string> {
    return this.#services.world.usedPermissions;
  }

  get deliveries(): readonly Delivery[] {
    return this.#services.webhooks.deliveries;
  }

  setWebhookUrl(url: string): void {
    this.#services.webhooks.url = url;
  }

  /** A bare repository whose default branch `main` has one commit. */
  async createRepository(wanted: NewRepository): Promise<Repository> {
    const { world } = this.#services;
    const owner = world.addUser(wanted.owner, 'Organization');
    for (const login of Object.keys(wanted.collaborators)) world.addUser(login);
    const installationId =
      wanted.installationId === null ? undefined : (wanted.installationId ?? 1);
    if (installationId !== undefined) world.installation(installationId, owner);
    const git = new RepositoryGit(path.join(this.#directory, owner.login, `${wanted.name}.git`));
    await git.create('main', wanted.files, GITHUB_SIGNATURE);
    const repository: Repository = {
      id: world.nextId(),
      owner,
      name: wanted.name,
      fullName: `${owner.login}/${wanted.name}`,
      defaultBranch: 'main',
      createdAt: timestamp(),
      pushedAt: timestamp(),
      archived: false,
      installationId,
      nextNumber: 1,
      collaborators: new Map(Object.entries(wanted.collaborators)),
      labels: [],
      issues: [],
      comments: [],
      reviews: [],
      reviewComments: [],
      git,
    };
    world.repositories.set(repository.fullName.toLowerCase(), repository);
    world.changed();
    return repository;
  }

  get hasRepositories(): boolean {
    return this.#services.world.repositories.size > 0;
  }

  /** Throws when there is none. */
  repository(owner: string, name: string): Repository {
    return this.#services.world.repository(owner, name);
  }

  as(login: string): Person {
    const user = this.#services.world.user(login);
    if (user === undefined) throw new Error(`the local GitHub has no user ${login}`);
    return new Person(this.#services, user);
  }

  /** Delivers the event again under the same GUID; resolves when it was answered. */
  async redeliver(guid: string): Promise<void> {
    await this.#services.webhooks.redeliver(this.#delivery(guid));
  }

  /** Delivers the event again as a second hook would; resolves when it was answered. */
  async deliverAgainWithOtherGuid(guid: string): Promise<void> {
    await this.#services.webhooks.deliverAgainWithOtherGuid(this.#delivery(guid));
  }

  /** Ends the life of every installation token that was given out so far. */
  expireTokens(): void {
    this.#services.authentication.expireTokens();
  }

  /** Calls back after every change of anything. Returns the function that ends this. */
  onChange(listener: () => void): () => void {
    return this.#services.world.onChange(listener);
  }

  /**
   * Resolves with what `predicate` returns as soon as that is neither undefined nor false. Asks
   * after every change. Rejects, naming `what`, after `timeoutMs` (10 s when left out).
   */
  waitFor<T>(
    predicate: () => T | Promise<T>,
    options: Wait,
  ): Promise<Exclude<T, undefined | false | null>> {
    return waitFor((listener) => this.onChange(listener), predicate, options);
  }

  async close(): Promise<void> {
    this.faults.close();
    await this.#services.webhooks.close();
    await this.#server.close();
  }

  #delivery(guid: string): Delivery {
    const delivery = this.deliveries.find((one) => one.guid === guid);
    if (delivery === undefined) throw new Error(`there was no delivery ${guid}`);
    return delivery;
  }
}

export async function startLocalGitHub(options: LocalGitHubOptions): Promise<LocalGitHub> {
  const { permissions = PERMISSIONS, events = EVENTS, webhookUrl = '', ...app } = options.app;
  await mkdir(options.directory, { recursive: true });
  const world = new World({ ...app, permissions, events }, options.log);
  const webhooks = new Webhooks(world, webhookUrl);
  const authentication = new Authentication(world, app.privateKeyPem);
  const services: Services = { world, webhooks, authentication };
  const file =
    options.worldFile === undefined
      ? undefined
      : new WorldFile(options.worldFile, options.directory, services);
  file?.load();
  for (const { login } of options.users) world.addUser(login);
  world.onChange(() => file?.changed());
  const faults = new Faults(() => world.repositories.values());
  const requests: RequestRecord[] = [];
  const server = createHttpServer({ services, faults, requests, save: () => file?.save() });
  world.url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  return new LocalGitHub({ directory: options.directory, services, faults, server, requests });
}
