import type { Measurements } from '../lib/measurements.ts';

type Limit = Measurements['github_limit'];

const MOST = 1_000;

/** What GitHub said of its limit to each installation, until the hour is over. */
export class LowestLimit {
  readonly #byInstallation = new Map<number, Limit>();

  hear(limit: Limit): void {
    const { installation } = limit;
    this.#byInstallation.delete(installation);
    this.#byInstallation.set(installation, limit);
    const [oldest] = this.#byInstallation.keys();
    if (this.#byInstallation.size > MOST && oldest !== undefined)
      this.#byInstallation.delete(oldest);
  }

  /** `undefined` if GitHub has said nothing in this hour. `now`: milliseconds since the epoch. */
  lowest(now: number): number | undefined {
    const left = [...this.#byInstallation.values()]
      .filter(({ resetAt }) => resetAt > now)
      .map(({ requests }) => requests);
    return left.length === 0 ? undefined : Math.min(...left);
  }
}
