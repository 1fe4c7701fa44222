import { ProbotOctokit } from 'probot';
import type { Logger } from 'pino';
import { fetchWhole, linkedParameter } from './whole-responses.ts';
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

// The version of GitHub's REST API that all requests are made for. Without it, GitHub answers in whatever version is its default
// then, and each version may lack what an older one had (docs.github.com, "API Versions").

export const API_VERSION = '2022-11-28';
const HEADER = 'x-github-api-version';

/** Servers that do not know this version, by the address of their API, such as an Enterprise Server before 3.9. */
const without = new Set<string>();

/**
 * A plugin of octokit: every request says its version. A server that answers 400 to one is asked again without, and never gets
 * a version again if it then accepts the request. Nothing was done on a 400, so this repeats no write.
 */
function withApiVersion({ hook }: Pick<ProbotOctokit, 'hook'>): void {
  hook.wrap('request', async (send, options) => {
    const { baseUrl, headers } = options;
    if (without.has(baseUrl)) return send(options);
    // In place: inner hooks ignore other options.
    options.headers = { ...headers, [HEADER]: API_VERSION };
    try {
      return await send(options);
    } catch (denied) {
      if (statusOf(denied) !== BAD_REQUEST) throw denied;
      options.headers = headers;
      try {
        const answer = await send(options);
        without.add(baseUrl);
        return answer;
      } catch (error) {
        // Such as a token that it does not accept. Anything else says less than the first answer.
        throw isDenial(error) ? error : denied;
      }
    }
  });
}

const BAD_REQUEST = 400;

const statusOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'status' in thrown ? thrown.status : undefined;

function isDenial(thrown: unknown): boolean {
  const status = statusOf(thrown);
  return typeof status === 'number' && status > BAD_REQUEST && status < 500;
}
