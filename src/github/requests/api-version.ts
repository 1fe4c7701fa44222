// The version of GitHub's REST API that all requests are made for. Without it, GitHub answers in whatever version is its default
// then, and each version may lack what an older one had (docs.github.com, "API Versions").
import type { ProbotOctokit } from 'probot';

export const API_VERSION = '2022-11-28';
const HEADER = 'x-github-api-version';

/** Servers that do not know this version, by the address of their API, such as an Enterprise Server before 3.9. */
const without = new Set<string>();

/**
 * A plugin of octokit: every request says its version. A server that answers 400 to one is asked again without, and never gets
 * a version again if it then accepts the request. Nothing was done on a 400, so this repeats no write.
 */
export function withApiVersion({ hook }: Pick<ProbotOctokit, 'hook'>): void {
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
