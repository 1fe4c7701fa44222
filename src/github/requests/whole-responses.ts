// An answer of GitHub counts only if all of it arrived and it is what was asked for. A connection can break in the middle of
// the body, and a proxy can answer in GitHub's place.
import { ResponseLost } from '../errors.ts';

/**
 * `fetch`, which fails if the connection breaks, or the time is up, before the whole body is there. Octokit's own reading of the body
 * takes what has arrived by then for the answer (`getResponseData` in @octokit/request).
 */
export async function fetchWhole(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.body === null) return response;
  const { status, statusText, headers, url } = response;
  const whole = new Response(await response.arrayBuffer(), { status, statusText, headers });
  return Object.defineProperty(whole, 'url', { value: url });
}

type ExpectedForm = 'list' | readonly string[] | { readonly listOr: readonly string[] };

/**
 * What tells the answer to a read from any other: `list`, or names that GitHub's schema requires and that are read here. A
 * test compares the routes with those that are asked for, and the names with the schema.
 */
export const EXPECTED: ReadonlyMap<string, ExpectedForm> = new Map<string, ExpectedForm>([
  ['/app', ['id', 'slug']],
  ['/app/hook/config', []],
  ['/app/hook/deliveries', 'list'],
  ['/app/hook/deliveries/{delivery_id}', ['request']],
  ['/app/installations', 'list'],
  ['/app/installations/{installation_id}', ['permissions']],
  ['/installation/repositories', ['repositories']],
  ['/repos/{owner}/{repo}', ['id']],
  ['/repos/{owner}/{repo}/branches', 'list'],
  ['/repos/{owner}/{repo}/branches/{branch}', ['name']],
  ['/repos/{owner}/{repo}/check-runs/{check_run_id}', ['id']],
  ['/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations', 'list'],
  ['/repos/{owner}/{repo}/collaborators/{username}/permission', ['permission']],
  ['/repos/{owner}/{repo}/commits', 'list'],
  ['/repos/{owner}/{repo}/commits/{ref}', ['sha']],
  ['/repos/{owner}/{repo}/commits/{ref}/check-runs', ['check_runs']],
  ['/repos/{owner}/{repo}/compare/{basehead}', ['commits']],
  ['/repos/{owner}/{repo}/contents/{path}', { listOr: ['type'] }],
  ['/repos/{owner}/{repo}/git/blobs/{file_sha}', ['content']],
  ['/repos/{owner}/{repo}/git/ref/{ref}', ['object']],
  ['/repos/{owner}/{repo}/hooks', 'list'],
  ['/repos/{owner}/{repo}/issues', 'list'],
  ['/repos/{owner}/{repo}/issues/comments', 'list'],
  ['/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', 'list'],
  ['/repos/{owner}/{repo}/issues/events', 'list'],
  ['/repos/{owner}/{repo}/issues/{issue_number}', ['state']],
  ['/repos/{owner}/{repo}/issues/{issue_number}/comments', 'list'],
  ['/repos/{owner}/{repo}/issues/{issue_number}/events', 'list'],
  ['/repos/{owner}/{repo}/issues/{issue_number}/sub_issues', 'list'],
  ['/repos/{owner}/{repo}/labels', 'list'],
  ['/repos/{owner}/{repo}/labels/{name}', ['name']],
  ['/repos/{owner}/{repo}/pulls', 'list'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}', ['state']],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/comments', 'list'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/reviews', 'list'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', ['id']],
  ['/repos/{owner}/{repo}/rules/branches/{branch}', 'list'],
  ['/repos/{owner}/{repo}/rulesets/{ruleset_id}', ['id']],
  ['/user', []],
  ['/user/installations', ['installations']],
  ['/user/installations/{installation_id}/repositories', ['repositories']],
  ['/user/{account_id}', ['id']],
  ['/users/{username}', ['id']],
]);

/** The endpoint that renders Markdown: it writes nothing and responds with HTML. */
export const RENDERING = '/markdown';

/** The same routes by the id of the repository, to which a renamed one is redirected. */
const BY_ID = /^\/repositories\/[^/]+/;

interface Request {
  readonly method: string;
  readonly url: string;
}

interface ReceivedResponse {
  readonly status: number;
  readonly data: unknown;
}

/** @throws {ResponseLost} for an answer that is none to this request */
export function assertWhole({ status, data }: ReceivedResponse, request: Request): void {
  if (status === 204 || status === 302 || isExpected(data, request)) return;
  const { method, url } = request;
  throw new ResponseLost(
    `GitHub's response to ${method} ${url} was incomplete or no answer to it. If this continues, something between this machine and GitHub answers in its place, such as a proxy.`,
  );
}

function isExpected(data: unknown, { method, url }: Request): boolean {
  if (url === RENDERING) return typeof data === 'string';
  // Of truncated JSON, octokit makes a text.
  if (typeof data !== 'object' || data === null) return false;
  if (url.endsWith('/graphql')) return 'data' in data || 'errors' in data;
  const expected =
    method === 'GET' ? EXPECTED.get(url.replace(BY_ID, '/repos/{owner}/{repo}')) : undefined;
  if (expected === undefined) return true;
  if (expected === 'list') return Array.isArray(data);
  if ('listOr' in expected) return Array.isArray(data) || has(data, expected.listOr);
  return !Array.isArray(data) && has(data, expected);
}

const has = (data: object, names: readonly string[]): boolean =>
  names.every((name) => name in data);

interface FailedAnswer {
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

/** Whether an error answer says that it is JSON, and is none: its words are lost, which may say to wait. */
export const isBroken = ({ headers, data }: FailedAnswer): boolean =>
  typeof data === 'string' && String(headers['content-type']).startsWith('application/json');

/**
 * A parameter of the address to which a `Link` header leads, such as `page` of `<https://…?page=3>; rel="last"`.
 * (docs.github.com, "Using pagination in the REST API")
 */
export function linkedParameter(
  link: string | undefined,
  relation: 'next' | 'last',
  parameter: string,
): string | undefined {
  const found = link?.split(',').find((each) => each.includes(`rel="${relation}"`));
  const [, address = ''] = /<([^<>]*)>/.exec(found ?? '') ?? [];
  return URL.parse(address)?.searchParams.get(parameter) ?? undefined;
}
