import { ProbotOctokit } from 'probot';
import type { Logger } from 'pino';
import { govern, type RequestPolicy, type TokenSource } from './request-policy.ts';

/**
 * Probot's octokit without its throttling and retry plugins: the one spaces content by seconds, the
 * other sends a POST up to four times. `govern` takes their place.
 */
export const Octokit = ProbotOctokit.defaults((options: object) => ({
  ...options,
  throttle: { enabled: false },
  retry: { enabled: false },
}));

export interface ClientOptions {
  /** `https://api.github.com`, or `…/api/v3` of a GitHub Enterprise Server. */
  readonly baseUrl: string;
  readonly log: Logger;
  readonly policy: RequestPolicy;
  /** Without one, requests are made as nobody. */
  readonly token?: TokenSource | undefined;
}

/** An octokit under the policy. Its log says nothing: octokit would log the bodies of requests. */
export function createClient({ baseUrl, log, policy, token }: ClientOptions): ProbotOctokit {
  const octokit = new Octokit({ baseUrl, log: silenced(log) });
  govern(octokit, policy, token);
  return octokit;
}

export const silenced = (log: Logger): Logger => log.child({}, { level: 'silent' });
