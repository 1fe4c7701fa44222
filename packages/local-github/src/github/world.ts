// The state that all parts of the local GitHub share.
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { KeyedMutex } from '../../../../src/lib/keyed-mutex.ts';
import type { Attachments } from './attachments.ts';
import type { Repository, User } from './state.ts';
import { timestamp } from './state.ts';
import { GitHubError } from './github-error.ts';
import { Moves } from './moves.ts';
import { Rules } from './behaviours/rules.ts';

export interface AppIdentity {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  webhookSecret: string;
  /** For the sign-in of people; without one there is none. */
  clientSecret: string | undefined;
  /** Where the sign-in may lead back to. */
  callbackUrls: readonly string[];
  permissions: Record<string, 'read' | 'write'>;
  events: readonly string[];
  readonly bot: User;
  /** Issues can be assigned to it, as to few Apps (rule `assignable-apps`). */
  isAssignable?: boolean;
}

export interface Installation {
  readonly id: number;
  readonly account: User;
  readonly createdAt: string;
  /** What the owner has accepted. An App may ask for more later. */
  permissions: Record<string, 'read' | 'write'>;
  /** If they are not those of the App. */
  events?: readonly string[];
  suspendedAt: string | null;
}

const isBot = (login: string): boolean => login.endsWith('[bot]');

/** GitHub's signature of a commit, and the text that it signs. */
export interface CommitSignature {
  readonly signature: string;
  readonly payload: string;
  readonly at: string;
}

export class World {
  url = '';
  /** Grows with every change, so that a page can check cheaply whether it is outdated. */
  version = 0;
  app: AppIdentity;
  readonly users = new Map<string, User>();
  readonly repositories = new Map<string, Repository>();
  /** Former names of repositories, and former places of issues. */
  readonly moves = new Moves();
  readonly installations = new Map<number, Installation>();
  /** By the hash of the commit. Only commits in here are verified. */
  readonly signatures = new Map<string, CommitSignature>();
  /** Which behaviours of GitHub hold here. */
  readonly rules = new Rules();
  readonly usedPermissions = new Set<string>();
  /** Signs the addresses of logs. */
  readonly logKey = randomBytes(32);
  readonly log: Logger | undefined;
  readonly attachments: Attachments;
  readonly #listeners = new Set<() => void>();
  readonly #writes = new KeyedMutex();
  #lastId = 1000;

  constructor(app: Omit<AppIdentity, 'bot'>, attachments: Attachments, log: Logger | undefined) {
    this.attachments = attachments;
    this.app = this.#withBot(app);
    this.log = log;
  }

  #withBot(app: Omit<AppIdentity, 'bot'>): AppIdentity {
    return { ...app, bot: { id: this.nextId(), login: `${app.slug}[bot]`, type: 'Bot' } };
  }

  /** There is one App: a new one takes the place of the former, whose installations end. */
  replaceApp(app: Omit<AppIdentity, 'bot'>): void {
    const { bot } = this.app;
    // What it wrote stays.
    this.users.set(bot.login.toLowerCase(), bot);
    this.app = this.#withBot(app);
    this.installations.clear();
    for (const repository of this.repositories.values()) repository.installationId = undefined;
    this.changed();
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Continues after the ids of an earlier process. */
  resumeIds(lastId: number): void {
    this.#lastId = Math.max(this.#lastId, lastId);
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  user(login: string): User | undefined {
    if (login === this.app.bot.login) return this.app.bot;
    return this.users.get(login.toLowerCase());
  }

  addUser(login: string, type: User['type'] = isBot(login) ? 'Bot' : 'User'): User {
    const known = this.user(login);
    if (known !== undefined) return known;
    const user: User = { id: this.nextId(), login, type };
    this.users.set(login.toLowerCase(), user);
    return user;
  }

  /** The account keeps its number, and what it was given. */
  renameUser(login: string, to: string): void {
    const user = this.user(login);
    if (user === undefined || this.user(to) !== undefined)
      throw new Error(`${login} cannot be renamed to ${to}`);
    this.users.delete(login.toLowerCase());
    user.login = to;
    this.users.set(to.toLowerCase(), user);
    for (const { collaborators } of this.repositories.values()) {
      const role = collaborators.get(login);
      if (role !== undefined) collaborators.set(to, role);
      collaborators.delete(login);
    }
    this.changed();
  }

  /** Throws GitHub's 404 if there is no such repository. */
  repository(owner: string, name: string): Repository {
    const repository = this.repositories.get(`${owner}/${name}`.toLowerCase());
    if (repository === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
    return repository;
  }

  installation(id: number, account: User): Installation {
    const known = this.installations.get(id);
    if (known !== undefined) return known;
    const installation: Installation = {
      id,
      account,
      createdAt: timestamp(),
      permissions: { ...this.app.permissions },
      suspendedAt: null,
    };
    this.installations.set(id, installation);
    return installation;
  }

  changed(): void {
    this.version += 1;
    this.notify();
  }

  /** Notifies listeners of a change that no page shows. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs the writes of a repository one at a time, in the order of the calls. */
  exclusively<T>(repository: Repository, work: () => Promise<T>): Promise<T> {
    return this.#writes.run(repository.fullName, work);
  }
}
