// What people may see, asked of GitHub again every few minutes.
import type { UserAccess } from '../../contracts/sign-in.ts';

interface Known {
  readonly until: number;
  readonly access: Promise<UserAccess | undefined>;
}

export interface AccessOptions {
  readonly ask: (token: string) => Promise<UserAccess | undefined>;
  /** How long an answer counts. */
  readonly freshMs: number;
  readonly now?: (() => number) | undefined;
}

const MOST = 1000;

/** Answers are shared by all requests of a sign-in. A failure is not remembered, and shows nothing. */
export class KnownAccess {
  readonly #options: AccessOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** `key`: of the sign-in. `undefined`: the token has ended. */
  of(key: string, token: string): Promise<UserAccess | undefined> {
    const now = (this.#options.now ?? Date.now)();
    const known = this.#known.get(key);
    if (known !== undefined && known.until > now) return known.access;
    const access = this.#options.ask(token);
    const fresh: Known = { until: now + this.#options.freshMs, access };
    this.#known.delete(key);
    this.#known.set(key, fresh);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    access.catch(() => {
      if (this.#known.get(key) === fresh) this.#known.delete(key);
    });
    return access;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
