// Accounts, and what a person can reach through the App.
import { z } from 'zod';
import { GitHubError } from '../github-error.ts';
import { installationPayload } from '../payloads/app.ts';
import { repositoryPayload } from '../payloads/repository.ts';
import { ownProfilePayload, profilePayload } from '../payloads/user.ts';
import { permissionsOf } from '../roles.ts';
import type { Repository, User } from '../state.ts';
import { clientIdOf } from '../user-sign-in.ts';
import type { RestRequest, Route } from './route.ts';
import { namedPage, noContent, numberParam, ok, parseBody } from './route.ts';

function person({ actor }: RestRequest): User {
  if (actor.kind === 'user') return actor.user;
  if (actor.kind === 'anonymous')
    throw new GitHubError('sign-in-required', 401, 'Requires authentication');
  throw new GitHubError('person-only-routes', 403, 'Resource not accessible by integration');
}

/** Those of an installation that the person was given access to; being public is not enough. */
const reachable = (request: RestRequest, installation: number, user: User): Repository[] =>
  [...request.services.world.repositories.values()].filter(
    ({ installationId, owner, collaborators }) =>
      installationId === installation && (owner.id === user.id || collaborators.has(user.login)),
  );

function listInstallations(request: RestRequest) {
  const { world } = request.services;
  const user = person(request);
  const installations = [...world.installations.values()].filter(
    ({ id }) => reachable(request, id, user).length > 0,
  );
  return namedPage(request, 'installations', installations, (one) =>
    installationPayload(world, one),
  );
}

function listRepositories(request: RestRequest) {
  const { world } = request.services;
  const user = person(request);
  const installation = world.installations.get(numberParam(request, 'id'));
  const repositories = reachable(request, installation?.id ?? -1, user);
  if (installation === undefined || repositories.length === 0)
    throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  if (installation.suspendedAt !== null)
    throw new GitHubError('suspended-installation', 403, 'This installation has been suspended');
  return namedPage(request, 'repositories', repositories, (one) => ({
    ...repositoryPayload(world, one),
    permissions: permissionsOf(one, user),
  }));
}

const Token = z.object({ access_token: z.string() });

/** For the App as an OAuth client. */
const revokeUserToken: Route['handle'] = ({ services, params, actor, body }) => {
  const { world, authentication } = services;
  if (actor.kind !== 'client' || params['client'] !== clientIdOf(world.app))
    throw new GitHubError('token-revocation', 404, 'Not Found');
  const isRevoked = authentication.userSignIn.revoke(parseBody(Token, body).access_token);
  if (!isRevoked) throw new GitHubError('token-revocation', 404, 'Not Found');
  return noContent;
};

export const userRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/user',
    handle: (request) => ok(ownProfilePayload(request.services.world, person(request))),
  },
  { method: 'GET', path: '/user/installations', handle: listInstallations },
  { method: 'GET', path: '/user/installations/:id/repositories', handle: listRepositories },
  { method: 'DELETE', path: '/applications/:client/token', handle: revokeUserToken },
  {
    method: 'GET',
    path: '/user/:id',
    handle: (request) => {
      const { world } = request.services;
      const id = numberParam(request, 'id');
      const user = [...world.users.values()].find((one) => one.id === id);
      if (user === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
      return ok(profilePayload(world, user));
    },
  },
  {
    method: 'GET',
    path: '/users/:login',
    handle: ({ services: { world }, params }) => {
      const login = params['login'] ?? '';
      const user = login === world.app.bot.login ? world.app.bot : world.user(login);
      if (user === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
      return ok(profilePayload(world, user));
    },
  },
];
