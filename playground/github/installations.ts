// What the owner of an account can do to the App's installation. Each action sends an event to the App.
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

  /** The owner accepts all permissions that the App asks for. */
  acceptPermissions(id: number): void {
    this.#find(id).permissions = { ...this.#services.world.app.permissions };
    this.#tell('installation', id, { action: 'new_permissions_accepted' });
  }

  /** Removes the installation from all of its repositories and invalidates its tokens. */
  uninstall(id: number): void {
    const { world } = this.#services;
    const installation = this.#find(id);
    world.installations.delete(id);
    for (const repository of world.repositories.values())
      if (repository.installationId === id) repository.installationId = undefined;
    this.#services.webhooks.emitInstallation('installation', installation, { action: 'deleted' });
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

  #tellOfRepository(action: 'added' | 'removed', id: number, repository: Repository): void {
    const short = repositoryPayload(this.#services.world, repository);
    const one = [{ id: short.id, name: short.name, full_name: short.full_name }];
    this.#tell('installation_repositories', id, {
      action,
      repository_selection: 'selected',
      repositories_added: action === 'added' ? one : [],
      repositories_removed: action === 'removed' ? one : [],
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
