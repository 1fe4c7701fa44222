import { z } from 'zod';
import { createStatus } from '../actions/statuses.ts';
import { combinedState, latestStatuses } from '../checks/state.ts';
import { simpleStatusPayload, statusPayload } from '../payloads/status.ts';
import { apiUrl, repositoryPayload } from '../payloads/repository.ts';
import { commitNamed } from './history.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, page, parseBody } from './route.ts';

const NewStatus = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  context: z.string().optional(),
  description: z.string().nullish(),
  target_url: z.url({ protocol: /^https?$/ }).nullish(),
});

async function create({ services, repository, user, params, body }: RepositoryRequest) {
  const wanted = parseBody(NewStatus, body);
  const sha = params['sha'] ?? '';
  const status = await createStatus(services, repository, user, sha, wanted);
  return created(statusPayload(services.world, repository, status));
}

/** Newest first (rule `newest-first`). */
async function list(request: RepositoryRequest) {
  const { services, repository, params } = request;
  const sha = await commitNamed(repository, params['ref'] ?? '');
  const statuses = repository.checks.statuses.filter((one) => one.sha === sha).toReversed();
  return page(request, statuses, (one) => statusPayload(services.world, repository, one));
}

async function combined(request: RepositoryRequest) {
  const { services, repository, params } = request;
  const sha = await commitNamed(repository, params['ref'] ?? '');
  const statuses = latestStatuses(repository.checks, sha);
  const answer = page(request, statuses, (one) =>
    simpleStatusPayload(services.world, repository, one),
  );
  const url = `${apiUrl(services.world, repository)}/commits/${sha}`;
  const body = {
    state: combinedState(statuses),
    statuses: answer.body,
    sha,
    total_count: statuses.length,
    repository: repositoryPayload(services.world, repository),
    commit_url: url,
    url: `${url}/status`,
  };
  return { ...answer, body };
}

const permission = 'statuses:read';

export const statusRoutes: readonly RepositoryRoute[] = [
  {
    method: 'POST',
    path: '/statuses/:sha',
    permission: 'statuses:write',
    role: 'write',
    handle: create,
  },
  { method: 'GET', path: '/commits/:ref/statuses', permission, handle: list },
  { method: 'GET', path: '/commits/:ref/status', permission, handle: combined },
];
