// GitHub's limits for an installation: requests an hour, points and new content. Off by default.
import { GitHubError } from './github-error.ts';

export interface LimitSettings {
  /** A minute and an hour are shorter by this factor; 1 by default. */
  readonly timesFaster?: number;
  /** Requests an hour; 5,000 by default. */
  readonly requests?: number;
}

/** What a request counts as. */
export type Weight = 'read' | 'write' | 'content';

export interface Refusal {
  readonly limit: 'requests' | 'points' | 'content' | 'concurrency';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const REQUESTS = 5_000;
const CONTENT = { minute: 80, hour: 500 };
const POINTS_A_MINUTE = 900;
const CONCURRENT = 100;
const POINTS: Readonly<Record<Weight, number>> = { read: 1, write: 5, content: 5 };

const DOCS = 'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api';
const SECONDARY = `${DOCS}#about-secondary-rate-limits`;
const CONTENT_WORDS =
  'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.';
const SECONDARY_WORDS =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';

interface Used {
  /** The hour that the primary limit counts in begins with its first request. */
  resetAt: number;
  requests: number;
  open: number;
  readonly points: { readonly at: number; readonly points: number }[];
  readonly content: number[];
}

/** Counts what each installation does, and refuses what is too much. */
export class Limits {
  readonly refusals: Refusal[] = [];
  readonly #settings: LimitSettings;
  readonly #used = new Map<number, Used>();
  readonly #minuteMs: number;
  readonly #hourMs: number;

  constructor(settings: LimitSettings) {
    this.#settings = settings;
    this.#minuteMs = MINUTE_MS / (settings.timesFaster ?? 1);
    this.#hourMs = HOUR_MS / (settings.timesFaster ?? 1);
  }

  /** Counts a request, or throws GitHub's 403 or 429. Call `end` once it is answered. */
  begin(installation: number, weight: Weight): void {
    const now = Date.now();
    const used = this.#usedBy(installation, now);
    if (used.requests >= this.#most) throw this.#primary(installation, now);
    const points = used.points.reduce((sum, one) => sum + one.points, 0) + POINTS[weight];
    if (used.open >= CONCURRENT) throw this.#secondary('concurrency', 403, SECONDARY_WORDS, now);
    if (points > POINTS_A_MINUTE) throw this.#secondary('points', 429, SECONDARY_WORDS, now);
    if (weight === 'content' && this.#hasTooMuchContent(used, now))
      throw this.#secondary('content', 403, CONTENT_WORDS, now);
    used.requests += 1;
    used.open += 1;
    used.points.push({ at: now, points: POINTS[weight] });
    if (weight === 'content') used.content.push(now);
  }

  /** A conditional request whose answer is 304 does not count as a request. */
  end(installation: number, status: number): void {
    const used = this.#usedBy(installation, Date.now());
    used.open -= 1;
    if (status === 304) used.requests -= 1;
  }

  headers(installation: number): Record<string, string> {
    const used = this.#usedBy(installation, Date.now());
    return {
      'x-ratelimit-limit': String(this.#most),
      'x-ratelimit-remaining': String(Math.max(0, this.#most - used.requests)),
      'x-ratelimit-used': String(used.requests),
      'x-ratelimit-reset': String(Math.ceil(used.resetAt / 1000)),
      'x-ratelimit-resource': 'core',
    };
  }

  /** As `GET /rate_limit` tells it. */
  usage(installation: number) {
    const { requests, resetAt } = this.#usedBy(installation, Date.now());
    const remaining = Math.max(0, this.#most - requests);
    const reset = Math.ceil(resetAt / 1000);
    return { limit: this.#most, used: requests, remaining, reset, resource: 'core' };
  }

  get #most(): number {
    return this.#settings.requests ?? REQUESTS;
  }

  #usedBy(installation: number, now: number): Used {
    const known = this.#used.get(installation);
    if (known === undefined) {
      const fresh = { resetAt: now + this.#hourMs, requests: 0, open: 0, points: [], content: [] };
      this.#used.set(installation, fresh);
      return fresh;
    }
    if (known.resetAt <= now) {
      known.resetAt = now + this.#hourMs;
      known.requests = 0;
    }
    dropBefore(known.points, ({ at }) => at > now - this.#minuteMs);
    dropBefore(known.content, (at) => at > now - this.#hourMs);
    return known;
  }

  #hasTooMuchContent({ content }: Used, now: number): boolean {
    const inMinute = content.filter((at) => at > now - this.#minuteMs).length;
    return inMinute >= CONTENT.minute || content.length >= CONTENT.hour;
  }

  #primary(installation: number, at: number): GitHubError {
    this.refusals.push({ limit: 'requests', at });
    return new GitHubError(
      'primary-limit',
      403,
      `API rate limit exceeded for installation ID ${installation}.`,
      undefined,
      {},
      DOCS,
    );
  }

  #secondary(limit: Refusal['limit'], status: number, words: string, at: number): GitHubError {
    this.refusals.push({ limit, at });
    const wait = { 'retry-after': String(Math.ceil(this.#minuteMs / 1000)) };
    return new GitHubError('secondary-limits', status, words, undefined, wait, SECONDARY);
  }
}

/** Drops the items at the beginning that are not wanted any more. */
function dropBefore<T>(items: T[], isWanted: (item: T) => boolean): void {
  const first = items.findIndex(isWanted);
  items.splice(0, first === -1 ? items.length : first);
}
