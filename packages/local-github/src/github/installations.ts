// What the owner of an account can do to the App's installation. Each action sends an event to the App.
import { moveRepository } from './actions/moves.ts';
import { repositoryPayload } from './payloads/repository.ts';
import type { Services } from './rest/route.ts';
import type { Repository } from './state.ts';
import { timestamp } from './state.ts';
import type { Installation } from './world.ts';

type Level = 'read' | 'write';

export class Installations {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** A suspended installation gets no tokens (403) and no events, and its tokens are invalid (401). */
  suspend(id: number): void {
    this.#find(id).suspendedAt = timestamp();
    this.#tell('installation', id, { action: 'suspend' });
  }

  unsuspend(id: number): void {
    this.#find(id).suspendedAt = null;
    this.#tell('installation', id, { action: 'unsuspend' });
  }

  /** Like an App that asks for more than its owner has accepted yet. Sends no event. */
  grant(id: number, permissions: Record<string, Level>): void {
    this.#find(id).permissions = { ...permissions };
  }

  /** The same, and tokens that were issued before lose what it has no more. *Unproven*: whether they do on GitHub. */
  withdraw(id: number, permissions: Record<string, Level>): void {
    this.grant(id, permissions);
    this.#services.authentication.withdraw(this.#find(id));
  }

  /** Like an installation without the events that the App asks for; `undefined`: it has them. */
  setEvents(id: number, events: readonly string[] | undefined): void {
    const { events: _before, ...rest } = this.#find(id);
    this.#services.world.installations.set(id, events === undefined ? rest : { ...rest, events });
  }

  /** One of its tokens, such as the App that runs workflows gets it for each. Returns the token. */
  token(id: number, permissions: Record<string, Level>): string {
    return this.#services.authentication.mint(this.#find(id), permissions, undefined).token;
  }

  /** The owner accepts all permissions that the App asks for (rule `accepted-permissions`). */
  acceptPermissions(id: number): void {
    this.#find(id).permissions = { ...this.#services.world.app.permissions };
    this.#tell('installation', id, { action: 'new_permissions_accepted' });
  }

  /** Installs the App on repositories of one owner, under a new number. */
  install(repositories: readonly Repository[], id: number): void {
    const { world } = this.#services;
    const [first] = repositories;
    if (first === undefined || world.installations.has(id))
      throw new Error('an installation has repositories, and a number of its own');
    world.installation(id, first.owner);
    for (const repository of repositories) repository.installationId = id;
    this.#tell('installation', id, {
      action: 'created',
      repositories: repositories.map(this.#short),
      requester: null,
    });
  }

  /** Removes the installation from all of its repositories and invalidates its tokens. */
  uninstall(id: number): void {
    const { world } = this.#services;
    const installation = this.#find(id);
    world.installations.delete(id);
    const repositories = [...world.repositories.values()].filter(
      ({ installationId }) => installationId === id,
    );
    for (const repository of repositories) repository.installationId = undefined;
    this.#services.webhooks.emitInstallation('installation', installation, {
      action: 'deleted',
      repositories: repositories.map(this.#short),
    });
  }

  remove(repository: Repository): void {
    const id = repository.installationId ?? 0;
    repository.installationId = undefined;
    this.#tellOfRepository('removed', id, repository);
  }

  add(repository: Repository, id: number): void {
    repository.installationId = id;
    this.#tellOfRepository('added', id, repository);
  }

  /** Its owner gives the repository to another account, without the App. Collaborators stay (rule `collaborators-stay`). */
  transfer(repository: Repository, to: string): void {
    const { world } = this.#services;
    moveRepository(world, repository, { owner: world.addUser(to) });
    this.remove(repository);
  }

  readonly #short = (repository: Repository) => {
    const { id, node_id, name, full_name } = repositoryPayload(this.#services.world, repository);
    return { id, node_id, name, full_name, private: false };
  };

  #tellOfRepository(action: 'added' | 'removed', id: number, repository: Repository): void {
    const one = [this.#short(repository)];
    this.#tell('installation_repositories', id, {
      action,
      repository_selection: 'selected',
      repositories_added: action === 'added' ? one : [],
      repositories_removed: action === 'removed' ? one : [],
      requester: null,
    });
  }

  #tell(event: string, id: number, fields: Record<string, unknown>): void {
    this.#services.world.changed();
    this.#services.webhooks.emitInstallation(event, this.#find(id), fields);
  }

  #find(id: number): Installation {
    const installation = this.#services.world.installations.get(id);
    if (installation === undefined) throw new Error(`there is no installation ${id}`);
    return installation;
  }
}
