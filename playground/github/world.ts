// The one object that every part of the local GitHub shares.
import type { Logger } from 'pino';
import type { Repository, User } from './state.ts';
import { timestamp } from './state.ts';
import { GitHubError } from './github-error.ts';
import { Moves } from './moves.ts';

export interface AppIdentity {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly webhookSecret: string;
  readonly permissions: Record<string, 'read' | 'write'>;
  readonly events: readonly string[];
  readonly bot: User;
}

export interface Installation {
  readonly id: number;
  readonly account: User;
  readonly createdAt: string;
  /** What its owner has accepted; an App may ask for more than that later on. */
  permissions: Record<string, 'read' | 'write'>;
  suspendedAt: string | null;
}

const isBot = (login: string): boolean => login.endsWith('[bot]');

export class World {
  url = '';
  /** Grows with every change, so that a page can see cheaply that it is out of date. */
  version = 0;
  readonly app: AppIdentity;
  readonly users = new Map<string, User>();
  readonly repositories = new Map<string, Repository>();
  /** Where a repository was known by another name before, and an issue in another repository. */
  readonly moves = new Moves();
  readonly installations = new Map<number, Installation>();
  readonly usedPermissions = new Set<string>();
  readonly log: Logger | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #locks = new Map<string, Promise<unknown>>();
  #lastId = 1000;

  constructor(app: Omit<AppIdentity, 'bot'>, log: Logger | undefined) {
    this.app = { ...app, bot: { id: this.nextId(), login: `${app.slug}[bot]`, type: 'Bot' } };
    this.log = log;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Goes on after the ids that were given before this process. */
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

  /** Throws GitHub's 404 when there is no such repository. */
  repository(owner: string, name: string): Repository {
    const repository = this.repositories.get(`${owner}/${name}`.toLowerCase());
    if (repository === undefined) throw new GitHubError(404, 'Not Found');
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

  /** Wakes whoever waits, for something that no page shows. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs `work` alone among all writes of the repository, in the order of the calls. */
  exclusively<T>(repository: Repository, work: () => Promise<T>): Promise<T> {
    const before = this.#locks.get(repository.fullName) ?? Promise.resolve();
    const result = before.then(work, work);
    this.#locks.set(
      repository.fullName,
      result.catch(() => undefined),
    );
    return result;
  }
}
