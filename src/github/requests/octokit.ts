import { ProbotOctokit } from 'probot';
import type { Logger } from 'pino';
import { withApiVersion } from './api-version.ts';
import { linkedParameter } from './link-header.ts';
import { fetchWhole } from './whole-responses.ts';
import { applyRequestPolicy, type RequestPolicy, type TokenSource } from './request-policy.ts';

/**
 * Probot's octokit without its throttling plugin, which spaces writes by seconds, and its retry plugin,
 * which sends a POST up to four times. `applyRequestPolicy` replaces them.
 */
export const Octokit = ProbotOctokit.plugin(withoutClientOfEvent, withApiVersion).defaults(
  (options: { readonly request?: object }) => ({
    ...options,
    request: { ...options.request, fetch: fetchWhole },
    throttle: { enabled: false },
    retry: { enabled: false },
  }),
);

/** Probot would make a client for each delivery, which takes longer than all else that it does. No handler uses it. */
function withoutClientOfEvent(octokit: { readonly auth: (options?: unknown) => Promise<unknown> }) {
  const { auth } = octokit;
  const isOfEvent = (options: unknown): boolean =>
    typeof options === 'object' &&
    options !== null &&
    'type' in options &&
    options.type === 'event-octokit';
  return {
    auth: async (options?: unknown) => (isOfEvent(options) ? octokit : auth(options)),
  };
}

export interface ClientOptions {
  /** `https://api.github.com`, or `…/api/v3` of a GitHub Enterprise Server. */
  readonly baseUrl: string;
  readonly log: Logger;
  readonly policy: RequestPolicy;
  /** If omitted, requests are unauthenticated. */
  readonly token?: TokenSource | undefined;
}

/** Creates an octokit with the request policy. Its log is off, since octokit logs request bodies. */
export function createClient({ baseUrl, log, policy, token }: ClientOptions): ProbotOctokit {
  const octokit = new Octokit({ baseUrl, log: silenced(log) });
  applyRequestPolicy(octokit, policy, token);
  return octokit;
}

export const silenced = (log: Logger): Logger => log.child({}, { level: 'silent' });

/** The parameters of octokit that name a repository. */
export const ownerAndRepo = ({
  repository,
}: {
  readonly repository: { readonly owner: string; readonly name: string };
}): { readonly owner: string; readonly repo: string } => ({
  owner: repository.owner,
  repo: repository.name,
});

interface Page<T> {
  readonly data: readonly T[];
  readonly headers: { readonly link?: string | undefined };
}

/**
 * The pages of a list that GitHub sorts oldest first, beginning with the newest page: at most `limit`
 * pages, plus the first, whose headers say how many pages there are.
 */
export async function* newestPages<T>(
  limit: number,
  fetchPage: (page: number) => Promise<Page<T>>,
): AsyncGenerator<readonly T[]> {
  const first = await fetchPage(1);
  const last = Number(linkedParameter(first.headers.link, 'last', 'page') ?? 1);
  for (let page = last; page > Math.max(1, last - limit); page -= 1)
    yield (await fetchPage(page)).data;
  yield first.data;
}
