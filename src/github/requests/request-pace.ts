// GitHub's limits for all requests of an installation: so many in an hour, by its own headers, and so many points in a
// minute (docs.github.com, "Rate limits for the REST API").

/** What GitHub said of an installation in this process, which counts the requests of all. */
export interface Pace {
  /** Until when nothing may be sent. Milliseconds since the epoch, as the other times. */
  until: number;
  /** When the next request may be sent while few are left. */
  nextAt: number;
  left: { readonly share: number; readonly requests: number; readonly resetAt: number } | undefined;
}

export const newPace = (): Pace => ({ until: 0, nextAt: 0, left: undefined });

type Headers = Readonly<Record<string, string | number | undefined>>;

/** Keeps what the headers of an answer say. */
export function hearLimits(pace: Pace, headers: Headers): void {
  const limit = Number(headers['x-ratelimit-limit']);
  const requests = Number(headers['x-ratelimit-remaining']);
  const resetAt = Number(headers['x-ratelimit-reset']) * 1000;
  if (headers['x-ratelimit-resource'] !== 'core' || !(limit > 0 && requests >= 0 && resetAt > 0))
    return;
  pace.left = { share: requests / limit, requests, resetAt };
}

/** Once no more than this share of the hour's requests is left, they are spread over the rest of the hour. */
const FEW = 0.2;
/** Milliseconds between two of them at most. */
const LONGEST_MS = 60_000;

/**
 * Takes the next turn, and returns the milliseconds until then: 0 unless few requests are left in this hour. A turn that
 * is later than `patienceMs` is not taken.
 */
export function takeTurn(pace: Pace, patienceMs: number, now = Date.now()): number {
  const { left } = pace;
  if (left === undefined || left.share > FEW || left.resetAt <= now) return 0;
  const at = Math.min(Math.max(now, pace.nextAt), left.resetAt);
  if (at - now > patienceMs) return at - now;
  const apart = (left.resetAt - now) / Math.max(1, left.requests);
  pace.nextAt = at + Math.min(apart, LONGEST_MS);
  return at - now;
}

/** Of the limit for a minute. */
export const pointsOf = (method: string): number => (method === 'GET' ? 1 : 5);
