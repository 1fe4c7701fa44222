// The labels of a repository.
import { z } from 'zod';
import { labelNamed } from '../actions/labels.ts';
import { GitHubError } from '../github-error.ts';
import { labelPayload } from '../payloads/repository.ts';
import type { Label } from '../state.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, ok, page, parseBody } from './route.ts';

const present = ({ services, repository }: RepositoryRequest, label: Label) =>
  labelPayload(services.world, repository, label);

const known = ({ repository }: RepositoryRequest, name: string): Label | undefined =>
  repository.labels.find((one) => one.name.toLowerCase() === name.toLowerCase());

function read(request: RepositoryRequest) {
  const label = known(request, request.params['name'] ?? '');
  if (label === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return ok(present(request, label));
}

const NewLabel = z.object({
  name: z.string().min(1),
  color: z
    .string()
    .regex(/^[0-9a-f]{6}$/i)
    .optional(),
  description: z.string().max(100).nullish(),
});

function create(request: RepositoryRequest) {
  const { name, color, description } = parseBody(NewLabel, request.body);
  if (known(request, name) !== undefined) {
    const taken = { resource: 'Label', code: 'already_exists', field: 'name' };
    throw new GitHubError('label-exists', 422, 'Validation Failed', [taken]);
  }
  const label = labelNamed(request.services, request.repository, name, {
    ...(color === undefined ? {} : { color: color.toLowerCase() }),
    description: description ?? null,
  });
  request.services.world.changed();
  return created(present(request, label));
}

export const labelRoutes: readonly RepositoryRoute[] = [
  {
    method: 'GET',
    path: '/labels',
    permission: 'issues:read',
    handle: (request) => page(request, request.repository.labels, (one) => present(request, one)),
  },
  { method: 'GET', path: '/labels/:name', permission: 'issues:read', handle: read },
  { method: 'POST', path: '/labels', permission: 'issues:write', role: 'write', handle: create },
];
