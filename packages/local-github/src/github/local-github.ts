// The public interface of the local GitHub.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { mergeByThemselves } from './actions/auto-merge.ts';
import { recordRepository } from './actions/repositories.ts';
import { add, registerAdditions, type Addition } from './additions.ts';
import { AppOwner } from './app-owner.ts';
import { Attachments } from './attachments.ts';
import { Authentication } from './auth.ts';
import type { Rules } from './behaviours/rules.ts';
import { Ci } from './ci.ts';
import { Faults } from './faults.ts';
import { GITHUB_SIGNATURE } from './git/git.ts';
import { createHttpServer, type HttpParts, type RequestRecord } from './http-server.ts';
import { Installations } from './installations.ts';
import { Limits, type Refusal } from './limits.ts';
import { Person } from './people.ts';
import { observerOfProcess, type Observer } from './observer.ts';
import { RepositoryGit } from './git/repository.ts';
import type { LocalGitHubOptions, NewRepository } from './options.ts';
import { Registrations } from './registrations.ts';
import type { Services } from './rest/route.ts';
import type { Repository } from './state.ts';
import { waitFor, type Wait } from './wait-for.ts';
import type { Delivery } from './webhooks.ts';
import { Webhooks } from './webhooks.ts';
import { World } from './world.ts';
import { WorldFile } from './world-file.ts';

/** What an App has by default. */
export const PERMISSIONS = {
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
} as const;
export const EVENTS = [
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'push',
];

export class LocalGitHub {
  readonly faults: Faults;
  readonly installations: Installations;
  readonly appOwner: AppOwner;
  /** The requests that were too many for GitHub's limits, oldest first. */
  readonly refusals: readonly Refusal[];
  /** All answered requests, oldest first, including pages and git. */
  readonly requests: RequestRecord[];
  readonly #directory: string;
  readonly #services: Services;
  readonly #server: FastifyInstance;
  readonly #observer: Observer | undefined;

  constructor(parts: Omit<HttpParts, 'save'> & { directory: string; server: FastifyInstance }) {
    this.#directory = parts.directory;
    this.#services = parts.services;
    this.#server = parts.server;
    this.#observer = parts.observer;
    this.faults = parts.faults;
    this.installations = new Installations(parts.services);
    this.appOwner = new AppOwner(parts.services);
    this.requests = parts.requests;
    this.refusals = parts.limits?.refusals ?? [];
  }

  /** `http://127.0.0.1:PORT` */
  get url(): string {
    return this.#services.world.url;
  }

  /** Turns single behaviours of GitHub wrong, to see who notices. */
  get rules(): Rules {
    return this.#services.world.rules;
  }

  /** Every permission that installation tokens have used so far, such as `issues:write`. */
  get usedPermissions(): Set<string> {
    return this.#services.world.usedPermissions;
  }

  /** What happens after three days (rule `deliveries-for-three-days`). */
  forgetDeliveries(): void {
    this.#services.webhooks.deliveries.splice(0);
  }

  get deliveries(): readonly Delivery[] {
    return this.#services.webhooks.deliveries;
  }

  /** Resolves when every event so far has been delivered. */
  webhooksSent(): Promise<void> {
    return this.#services.webhooks.sent();
  }

  /** Creates a bare repository. Its default branch `main` has one commit, if there are files. */
  async createRepository(wanted: NewRepository): Promise<Repository> {
    const { world } = this.#services;
    const owner = world.addUser(wanted.owner, 'Organization');
    for (const login of Object.keys(wanted.collaborators)) world.addUser(login);
    const installationId =
      wanted.installationId === null ? undefined : (wanted.installationId ?? 1);
    if (installationId !== undefined) world.installation(installationId, owner);
    const git = new RepositoryGit(path.join(this.#directory, owner.login, `${wanted.name}.git`));
    await git.create('main', wanted.files, GITHUB_SIGNATURE);
    return recordRepository(world, {
      owner,
      name: wanted.name,
      git,
      defaultBranch: 'main',
      collaborators: new Map(Object.entries(wanted.collaborators)),
      installationId,
    });
  }

  /** Adds what `issuewright github add` is asked for. Resolves with what people read. */
  add(addition: Addition): Promise<string> {
    return add(this.#services, this.#directory, addition);
  }

  get hasRepositories(): boolean {
    return this.#services.world.repositories.size > 0;
  }

  /** Throws if there is none. */
  repository(owner: string, name: string): Repository {
    return this.#services.world.repository(owner, name);
  }

  as(login: string): Person {
    const user = this.#services.world.user(login);
    if (user === undefined) throw new Error(`the local GitHub has no user ${login}`);
    return new Person(this.#services, user);
  }

  /** Plays the CI of a repository. */
  ci(repository: Repository): Ci {
    return new Ci(this.#services, repository);
  }

  /** Delivers the event again with the same GUID. Resolves when it is answered. */
  async redeliver(guid: string): Promise<void> {
    await this.#services.webhooks.redeliver(this.#delivery(guid));
  }

  /** Delivers the event again with another GUID, as a second hook would. Resolves when it is answered. */
  async deliverAgainWithOtherGuid(guid: string): Promise<void> {
    await this.#services.webhooks.deliverAgainWithOtherGuid(this.#delivery(guid));
  }

  /** Expires all installation tokens that were issued so far. */
  expireTokens(): void {
    this.#services.authentication.expireTokens();
  }

  /** Someone opens an account. */
  addUser(login: string): void {
    this.#services.world.addUser(login);
  }

  /** Someone gives their account another login; the old one is free then. */
  renameUser(login: string, to: string): void {
    this.#services.world.renameUser(login, to);
  }

  /** The person takes back what they authorized: tokens of their sign-ins end. */
  revokeSignIns(login: string): void {
    this.#services.authentication.userSignIn.revokeAllOf(login);
  }

  /** Calls the listener after every change. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    return this.#services.world.onChange(listener);
  }

  /**
   * Resolves with the first value of `predicate` that is not undefined, null or false. Calls it after every
   * change. Rejects after `timeoutMs` (four minutes by default) with an error that names `what`.
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
    // The last changes are saved at the end of their turn.
    await nextTurn();
    this.#observer?.closed();
  }

  #delivery(guid: string): Delivery {
    const delivery = this.deliveries.find((one) => one.guid === guid);
    if (delivery === undefined) throw new Error(`there was no delivery ${guid}`);
    return delivery;
  }
}

export async function startLocalGitHub(options: LocalGitHubOptions): Promise<LocalGitHub> {
  const { permissions = PERMISSIONS, events = EVENTS, webhookUrl = '', ...app } = options.app;
  const { clientSecret, callbackUrls = [] } = app;
  await mkdir(options.directory, { recursive: true });
  // No login begins with a dot.
  const attachments = new Attachments(path.join(options.directory, '.attachments'));
  const world = new World(
    { ...app, clientSecret, callbackUrls, permissions, events },
    attachments,
    options.log,
  );
  const observer = observerOfProcess();
  const webhooks = new Webhooks(world, webhookUrl, observer);
  const authentication = new Authentication(world, app.privateKeyPem);
  const parties = { world, webhooks, authentication };
  const registrations = new Registrations(parties, options.onNewApp);
  const services: Services = { ...parties, registrations };
  const file =
    options.worldFile === undefined
      ? undefined
      : new WorldFile(options.worldFile, options.directory, services);
  file?.load();
  for (const { login } of options.users) world.addUser(login);
  world.onChange(() => file?.changed());
  mergeByThemselves(services);
  const faults = new Faults(() => world.repositories.values());
  const limits = options.limits && new Limits(options.limits);
  const requests: RequestRecord[] = [];
  const { apiVersions } = options;
  const parts = { services, faults, limits, requests, apiVersions, observer };
  const server = createHttpServer({ ...parts, save: () => file?.save() });
  if (options.additionKey !== undefined)
    registerAdditions(server, services, options.directory, options.additionKey);
  world.url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  return new LocalGitHub({ ...parts, directory: options.directory, server });
}
