// The App itself: its installations, their tokens, its webhook deliveries.
import { z } from 'zod';
import type { Level } from '../auth.ts';
import { tokenPayload } from '../auth.ts';
import { GitHubError } from '../github-error.ts';
import { appPayload, installationPayload } from '../payloads/app.ts';
import { repositoryPayload } from '../payloads/repository.ts';
import { userPayload } from '../payloads/user.ts';
import { deliveryPayload, type Delivery } from '../webhooks.ts';
import type { Installation } from '../world.ts';
import type { RestAnswer, RestRequest, Route, Services } from './route.ts';
import {
  created,
  namedPage,
  noContent,
  numberParam,
  ok,
  page,
  pageByCursor,
  parseBody,
} from './route.ts';

function forApp(route: Route): Route {
  return {
    ...route,
    handle: (request) => {
      if (request.actor.kind !== 'app')
        throw new GitHubError('jwt-required', 401, 'A JSON web token could not be decoded');
      return route.handle(request);
    },
  };
}

const TokenRequest = z.object({
  repositories: z.array(z.string()).optional(),
  repository_ids: z.array(z.number()).optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write'])).optional(),
});

function findInstallation(request: RestRequest): Installation {
  const { world } = request.services;
  const installation = world.installations.get(numberParam(request, 'id'));
  if (installation === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return installation;
}

function mintToken(request: RestRequest) {
  const { world, authentication } = request.services;
  const installation = findInstallation(request);
  if (installation.suspendedAt !== null)
    throw new GitHubError('suspended-installation', 403, 'This installation has been suspended');
  const wanted = parseBody(TokenRequest, request.body);
  const permissions = {
    metadata: 'read' as const,
    ...(wanted.permissions ?? installation.permissions),
  };
  for (const [name, level] of Object.entries(permissions))
    if (!isGranted(installation.permissions, name, level))
      throw new GitHubError(
        'token-within-installation',
        422,
        'The permissions requested are not granted to this installation.',
      );
  const ids = scopeOf(request, installation, wanted);
  const token = authentication.mint(installation, permissions, ids);
  const repositories = [...world.repositories.values()]
    .filter((one) => ids?.includes(one.id) === true)
    .map((one) => repositoryPayload(world, one));
  return created({ ...tokenPayload(token), ...(ids === undefined ? {} : { repositories }) });
}

function isGranted(granted: Record<string, Level>, name: string, level: Level): boolean {
  if (name === 'metadata') return level === 'read';
  return granted[name] === 'write' || granted[name] === level;
}

/** The ids of the requested repositories; `undefined`: all. Throws GitHub's 422 if one is not installed. */
function scopeOf(
  request: RestRequest,
  installation: Installation,
  wanted: z.infer<typeof TokenRequest>,
): number[] | undefined {
  if (wanted.repositories === undefined && wanted.repository_ids === undefined) return undefined;
  const installed = [...request.services.world.repositories.values()].filter(
    (one) => one.installationId === installation.id,
  );
  const byName = (wanted.repositories ?? []).map((name) =>
    installed.find((one) => one.name.toLowerCase() === name.toLowerCase()),
  );
  const byId = (wanted.repository_ids ?? []).map((id) => installed.find((one) => one.id === id));
  return [...byName, ...byId].map((repository) => {
    if (repository !== undefined) return repository.id;
    throw new GitHubError(
      'token-within-installation',
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  });
}

function repositoryInstallation(request: RestRequest) {
  const { world } = request.services;
  const repository = world.repository(request.params['owner'] ?? '', request.params['repo'] ?? '');
  const installation = world.installations.get(repository.installationId ?? -1);
  if (installation === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return ok(installationPayload(world, installation));
}

function organizationInstallation({ services: { world }, params }: RestRequest) {
  const organization = world.user(params['org'] ?? '');
  const installation = [...world.installations.values()].find(
    ({ account }) => account.id === organization?.id && account.type === 'Organization',
  );
  if (installation === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return ok(installationPayload(world, installation));
}

const hookConfig = ({ services }: RestRequest) =>
  ok({
    url: services.webhooks.url,
    content_type: 'json',
    insecure_ssl: '0',
    secret: '********',
  });

const HookChanges = z.object({ url: z.url().optional(), secret: z.string().min(1).optional() });

function changeHook(request: RestRequest) {
  const { world, webhooks } = request.services;
  const { url, secret } = parseBody(HookChanges, request.body);
  if (url !== undefined) webhooks.url = url;
  if (secret !== undefined) world.app.webhookSecret = secret;
  world.changed();
  return hookConfig(request);
}

/** For three days (rule `deliveries-for-three-days`). */
const KEPT_MS = 3 * 24 * 60 * 60 * 1000;

const keptDeliveries = ({ webhooks }: Services): readonly Delivery[] => {
  const oldest = new Date(Date.now() - KEPT_MS).toISOString();
  return webhooks.deliveries.filter(({ deliveredAt }) => deliveredAt >= oldest);
};

/** Newest first. One that is still awaited is not listed yet. */
function listDeliveries(request: RestRequest) {
  const done = keptDeliveries(request.services).filter(({ status }) => status !== undefined);
  return pageByCursor(request, done.toReversed(), deliveryPayload);
}

function findDelivery(request: RestRequest) {
  const id = numberParam(request, 'id');
  const delivery = keptDeliveries(request.services).find((one) => one.id === id);
  if (delivery === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return delivery;
}

function redeliver(request: RestRequest) {
  void request.services.webhooks.redeliver(findDelivery(request));
  return { status: 202, body: {} };
}

function deliveryInFull(request: RestRequest) {
  const delivery = findDelivery(request);
  const { signature, payload } = delivery;
  const headers = signature === undefined ? {} : { 'X-Hub-Signature-256': signature };
  const sent = { headers, payload };
  return ok({
    ...deliveryPayload(delivery),
    request: sent,
    response: { headers: {}, payload: '' },
  });
}

/** Routes about an installation, for its own token. */
function listRepositories(request: RestRequest): Promise<RestAnswer> {
  const { world } = request.services;
  const { actor } = request;
  if (actor.kind !== 'installation')
    throw new GitHubError('person-only-routes', 403, 'Resource not accessible');
  const { installation, repositories: ids } = actor.token;
  const repositories = [...world.repositories.values()]
    .filter((one) => one.installationId === installation.id)
    .filter((one) => ids === undefined || ids.includes(one.id));
  return namedPage(request, 'repositories', repositories, (one) => repositoryPayload(world, one));
}

function revokeToken(request: RestRequest) {
  if (request.actor.kind !== 'installation')
    throw new GitHubError('token-expiry', 401, 'Bad credentials');
  request.actor.token.expiresAt = new Date(0);
  return noContent;
}

const listInstallations: Route['handle'] = (request) => {
  const { world } = request.services;
  const installations = [...world.installations.values()];
  return page(request, installations, (one) => installationPayload(world, one));
};

const routesOfTheApp: readonly Route[] = [
  { method: 'GET', path: '/app', handle: ({ services }) => ok(appPayload(services.world)) },
  { method: 'GET', path: '/app/installations', handle: listInstallations },
  {
    method: 'GET',
    path: '/app/installations/:id',
    handle: (request) => ok(installationPayload(request.services.world, findInstallation(request))),
  },
  { method: 'POST', path: '/app/installations/:id/access_tokens', handle: mintToken },
  { method: 'GET', path: '/repos/:owner/:repo/installation', handle: repositoryInstallation },
  { method: 'GET', path: '/orgs/:org/installation', handle: organizationInstallation },
  { method: 'GET', path: '/app/hook/config', handle: hookConfig },
  { method: 'PATCH', path: '/app/hook/config', handle: changeHook },
  { method: 'GET', path: '/app/hook/deliveries', handle: listDeliveries },
  { method: 'GET', path: '/app/hook/deliveries/:id', handle: deliveryInFull },
  { method: 'POST', path: '/app/hook/deliveries/:id/attempts', handle: redeliver },
];

/** Anyone who has the code, once. */
const convertManifest: Route['handle'] = ({ services, params }) => {
  const taken = services.registrations.take(params['code'] ?? '');
  if (taken === undefined) throw new GitHubError('manifest-code', 404, 'Not Found');
  const { world } = services;
  return created({
    ...appPayload(world),
    owner: userPayload(world, taken.owner),
    client_secret: taken.clientSecret,
    webhook_secret: world.app.webhookSecret,
    pem: taken.privateKeyPem,
  });
};

export const appRoutes: readonly Route[] = [
  { method: 'POST', path: '/app-manifests/:code/conversions', handle: convertManifest },
  ...routesOfTheApp.map(forApp),
  { method: 'GET', path: '/installation/repositories', handle: listRepositories },
  { method: 'DELETE', path: '/installation/token', handle: revokeToken },
];
