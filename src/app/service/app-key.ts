// Whether GitHub accepts the key of the App, as the service learns at its start.
import { setTimeout as after } from 'node:timers/promises';
import type { ServiceNeed } from '../../contracts/service.ts';
import { Unauthorized } from '../../github/errors.ts';
import type { GitHub } from '../../github/index.ts';

/** A start waits no longer for this one answer: GitHub may be down. */
const START_MS = 30_000;

/** A key that was accepted once is enough: what GitHub says of it later may be an outage. */
export class AppKeyNeed implements ServiceNeed {
  readonly lack = "GitHub does not accept the App's key";
  readonly #github: Pick<GitHub, 'identity' | 'knownIdentity'>;
  #rejection: Unauthorized | undefined;

  constructor(github: Pick<GitHub, 'identity' | 'knownIdentity'>) {
    this.#github = github;
  }

  readonly check = async (): Promise<void> => {
    if (this.#rejection !== undefined && this.#github.knownIdentity() === undefined)
      throw this.#rejection;
  };

  /** Resolves with whether GitHub rejects the key; with `false` if it does not answer for now. */
  async tryKey(): Promise<boolean> {
    const asked = this.#github.identity().catch((error: unknown) => {
      if (error instanceof Unauthorized) this.#rejection = error;
    });
    await Promise.race([asked, after(START_MS, undefined, { ref: false })]);
    return this.#rejection !== undefined;
  }
}
