// What the owner of the App can do on its settings page.
import type { Services } from './rest/route.ts';
import type { AppIdentity } from './world.ts';

type Changes = Partial<
  Pick<
    AppIdentity,
    'permissions' | 'events' | 'webhookSecret' | 'clientSecret' | 'callbackUrls' | 'isAssignable'
  >
>;

export class AppOwner {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The App as it is now. */
  get app(): AppIdentity {
    return this.#services.world.app;
  }

  /** Installations keep what their owners have accepted. */
  change(changes: Changes): void {
    Object.assign(this.#services.world.app, changes);
    this.#services.world.changed();
  }

  /** Generates another private key and deletes the first: from now on, nothing that was signed before is accepted. */
  replacePrivateKey(privateKeyPem: string): void {
    this.#services.authentication.useKey(privateKeyPem);
  }

  /** Where webhooks go; empty: nowhere. */
  get webhookUrl(): string {
    return this.#services.webhooks.url;
  }

  set webhookUrl(url: string) {
    this.#services.webhooks.url = url;
    this.#services.world.changed();
  }

  /** What happens when the App is created (rule `app-manifest`). */
  ping(): void {
    this.#services.webhooks.ping();
  }
}
