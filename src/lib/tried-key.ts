import { sharedNow } from './clock.ts';

const DOUBT_MS = 60 * 60_000;

/**
 * A key, and when a service last accepted it. Services that fail answer 401 to valid keys too, so for an hour that may be an
 * outage. After it the key is taken for wrong, as one that was never accepted is: it may have been revoked.
 */
export class TriedKey {
  #acceptedAt = -Infinity;

  accepted(): void {
    this.#acceptedAt = sharedNow();
  }

  /** Whether a 401 may be an outage. */
  get mayBeValid(): boolean {
    return sharedNow() - this.#acceptedAt < DOUBT_MS;
  }
}
