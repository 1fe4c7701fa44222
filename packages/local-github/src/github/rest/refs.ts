import { z } from 'zod';
import { changeRef } from '../actions/refs.ts';
import type { RefFacts } from '../git/refs.ts';
import { GitHubError } from '../github-error.ts';
import { refPayload } from '../payloads/git-data.ts';
import { callerOf } from './access.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, noContent, ok, page, parseBody } from './route.ts';

const NewRef = z.object({ ref: z.string(), sha: z.string() });
const RefChange = z.object({ sha: z.string(), force: z.boolean().default(false) });

async function findRef({ repository, params }: RepositoryRequest): Promise<RefFacts> {
  const ref = `refs/${params['*'] ?? ''}`;
  const found = (await repository.git.refs(ref)).find(({ name }) => name === ref);
  if (found === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return found;
}

async function read(request: RepositoryRequest) {
  return ok(refPayload(request.services.world, request.repository, await findRef(request)));
}

async function list(request: RepositoryRequest) {
  const { services, repository, params } = request;
  const refs = await repository.git.refs();
  const matching = refs.filter(({ name }) => name.startsWith(`refs/${params['*'] ?? ''}`));
  return page(request, matching, (one) => refPayload(services.world, repository, one));
}

async function create(request: RepositoryRequest) {
  const { services, repository } = request;
  const { ref, sha } = parseBody(NewRef, request.body);
  if (ref.split('/').length < 3 || !ref.startsWith('refs/'))
    throw new GitHubError(
      'ref-in-full',
      422,
      "Reference name must start with 'refs/' and contain at least three slash-separated components.",
    );
  if ((await repository.git.refs(ref)).some(({ name }) => name === ref))
    throw new GitHubError('ref-exists', 422, 'Reference already exists');
  if (!(await repository.git.isRefName(ref)))
    throw new GitHubError('ref-name', 422, `${ref} is not a valid ref name.`);
  await changeRef(services, repository, callerOf(request), { ref, sha, force: false });
  const params = { '*': ref.slice('refs/'.length) };
  return created((await read({ ...request, params })).body);
}

async function change(request: RepositoryRequest) {
  const { services, repository, params } = request;
  const { sha, force } = parseBody(RefChange, request.body);
  const ref = `refs/${params['*'] ?? ''}`;
  if (!(await repository.git.refs(ref)).some(({ name }) => name === ref))
    throw new GitHubError('ref-does-not-exist', 422, 'Reference does not exist');
  await changeRef(services, repository, callerOf(request), { ref, sha, force });
  return read(request);
}

async function remove(request: RepositoryRequest) {
  const { services, repository, params } = request;
  const ref = `refs/${params['*'] ?? ''}`;
  await changeRef(services, repository, callerOf(request), { ref, sha: undefined, force: true });
  return noContent;
}

const permission = 'contents:read';
const write = { permission: 'contents:write', role: 'write' } as const;

export const refRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/git/ref/*', permission, handle: read },
  { method: 'GET', path: '/git/matching-refs/*', permission, handle: list },
  { method: 'POST', path: '/git/refs', ...write, handle: create },
  { method: 'PATCH', path: '/git/refs/*', ...write, handle: change },
  { method: 'DELETE', path: '/git/refs/*', ...write, handle: remove },
];
