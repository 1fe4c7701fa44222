// GitHub's redirects. `fetch` must not follow them: it would turn a write into a read, and treat an issue
// that moved to another repository as one of ours.
import type { ProbotOctokit } from 'probot';
import { Moved } from '../errors.ts';

type WrapHook = Parameters<typeof ProbotOctokit.prototype.hook.wrap<'request'>>[1];
type Send = Parameters<WrapHook>[0];
type Options = Parameters<WrapHook>[1];
type Answer = Awaited<ReturnType<Send>>;

const BY_NAME = '/repos/{owner}/{repo}';

/**
 * Sends a request. If GitHub redirects to the same repository by its id, the repository or the branch was renamed, and
 * the request is sent there. Changes `options` in place.
 * With `request: { returnsRedirect: true }`, the answer is for the caller, who may not send our token there.
 * @throws {Moved} if the redirect leads anywhere else
 */
export async function sendAndFollow(
  send: Send,
  options: Options,
  repositoryId: number | undefined,
): Promise<Answer> {
  options.request = { ...options.request, redirect: 'manual' };
  const first = await send(options);
  if (!isRedirect(first) || options.request['returnsRedirect'] === true) return first;
  const isOwn = repositoryId !== undefined && repositoryIn(first) === repositoryId;
  if (!isOwn || !options.url.includes(BY_NAME)) throw moved(options, first);
  options.url = options.url.replace(BY_NAME, `/repositories/${repositoryId}`);
  for (const name of ['owner', 'repo']) Reflect.deleteProperty(options, name);
  // Of a branch that was renamed (rule `renamed-branch`).
  const [, branch] = /\/branches\/([^/?]{1,1000})$/.exec(first.headers.location ?? '') ?? [];
  if (branch !== undefined) Object.assign(options, { branch: decodeURIComponent(branch) });
  const second = await send(options);
  if (isRedirect(second)) throw moved(options, second);
  return second;
}

const isRedirect = ({ status }: Answer): boolean => status >= 300 && status < 400;

function repositoryIn({ headers }: Answer): number {
  const [, id] = /\/repositories\/(\d{1,15})(?=[/?]|$)/.exec(headers.location ?? '') ?? [];
  return Number(id);
}

const moved = ({ method, url }: Options, { status }: Answer): Moved =>
  new Moved(
    `It was moved to another repository, so request the work there. (GitHub's ${method} ${url} returned ${status}.)`,
    status,
  );
