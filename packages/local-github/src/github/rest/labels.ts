// The labels of a repository.
import { z } from 'zod';
import { labelNamed } from '../actions/labels.ts';
import { GitHubError } from '../github-error.ts';
import { labelPayload } from '../payloads/repository.ts';
import type { Label } from '../state.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, noContent, ok, page, parseBody } from './route.ts';

const present = ({ services, repository }: RepositoryRequest, label: Label) =>
  labelPayload(services.world, repository, label);

function known({ services, repository }: RepositoryRequest, name: string): Label | undefined {
  const ignoresCase = services.world.rules.holds('labels-ignore-case');
  const plain = (text: string) => (ignoresCase ? text.toLowerCase() : text);
  return repository.labels.find((one) => plain(one.name) === plain(name));
}

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

/** Takes it from all issues, too. */
function remove(request: RepositoryRequest) {
  const { services, repository, params } = request;
  const label = known(request, params['name'] ?? '');
  if (label === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  repository.labels.splice(repository.labels.indexOf(label), 1);
  for (const issue of repository.issues) issue.labels = issue.labels.filter((one) => one !== label);
  services.world.changed();
  return noContent;
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
  {
    method: 'DELETE',
    path: '/labels/:name',
    permission: 'issues:write',
    role: 'write',
    handle: remove,
  },
];
