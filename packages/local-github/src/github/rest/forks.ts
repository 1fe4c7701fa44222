import { z } from 'zod';
import { forkRepository, forksOf } from '../actions/forks.ts';
import { NETWORK_COUNTS, repositoryPayload } from '../payloads/repository.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { page, parseBody } from './route.ts';

const ForkBody = z.object({
  name: z
    .string()
    .regex(/^[\w.-]+$/)
    .optional(),
});

function list(request: RepositoryRequest) {
  const { world } = request.services;
  return page(request, forksOf(world, request.repository), (one) => repositoryPayload(world, one));
}

function create({ services, repository, user, body }: RepositoryRequest) {
  const { name } = parseBody(ForkBody, body);
  return services.world.exclusively(repository, async () => {
    const fork = await forkRepository(services, repository, user, name);
    const base = repositoryPayload(services.world, repository);
    const own = repositoryPayload(services.world, fork);
    return { status: 202, body: { ...own, ...NETWORK_COUNTS, parent: base, source: base } };
  });
}

export const forkRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/forks', permission: 'metadata:read', handle: list },
  { method: 'POST', path: '/forks', permission: 'administration:write', handle: create },
];
