/** Headers by their names in lower case. */
type Headers = Readonly<Record<string, unknown>>;

/** If GitHub does not say how long to wait (rule `wait-without-retry-after` of docs/github-rules.md). */
const SECONDARY_LIMIT_MS = 60_000;

/** Milliseconds that GitHub asks to wait; `undefined` if the answer is not a rate limit. `said`: its words. */
export function rateLimitWait(status: number, headers: Headers, said: string): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const retryAfter = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && retryAfter >= 0) return retryAfter * 1000;
  if (Number(headers['x-ratelimit-remaining'] ?? Number.NaN) === 0) {
    const reset = Number(headers['x-ratelimit-reset']) * 1000;
    // By GitHub's clock, which the answer has too.
    const now = Date.parse(String(headers['date'])) || Date.now();
    return Number.isFinite(reset) ? Math.max(reset - now, 1000) : SECONDARY_LIMIT_MS;
  }
  const named = /rate limit|abuse detection/i.test(said);
  return named || status === 429 ? SECONDARY_LIMIT_MS : undefined;
}
