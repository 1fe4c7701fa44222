// The HTTP server: parsing, authentication, faults, errors in GitHub's format, the request log.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { z } from 'zod';
import { registerAttachments } from './attachments.ts';
import { checkApiVersion, versionOf } from './api-version.ts';
import type { Actor } from './auth.ts';
import { isUnchanged } from './conditional.ts';
import type { Faults } from './faults.ts';
import { withoutPrefix } from './faults.ts';
import { registerGitHttp } from './git-http.ts';
import { GitHubError } from './github-error.ts';
import type { Limits, Weight } from './limits.ts';
import type { Observer } from './observer.ts';
import { sendError } from './pages/layout.ts';
import { registerPages } from './pages/index.ts';
import { asksForRaw, bodiesAskedFor, mediaType } from './payloads/body.ts';
import { patchAskedFor } from './payloads/patch.ts';
import { parseBodies } from './request-bodies.ts';
import { routes } from './rest/index.ts';
import { observed } from './rest/observed.ts';
import { metaRoutes } from './rest/meta.ts';
import type { RestRequest, Route, Services } from './rest/route.ts';

const BODY_LIMIT = 1024 * 1024;

export interface RequestRecord {
  readonly method: string;
  /** The requested path, including the query. */
  readonly path: string;
  readonly status: number;
  /** When it was answered, in milliseconds since the epoch. */
  readonly at: number;
  /** `app`, `anonymous`, `<slug>[bot]` or a login. */
  readonly actor: string;
  /** What it counts as for the limits of an installation; `undefined`: it is none of the API. */
  readonly weight: Weight | undefined;
  /** The version of the API that it asked for. */
  readonly apiVersion: string | undefined;
}

export interface HttpParts {
  readonly services: Services;
  readonly faults: Faults;
  /** What installations may do; as much as they like if omitted. */
  readonly limits?: Limits | undefined;
  readonly requests: RequestRecord[];
  /** Of the API that there are; those of github.com if omitted, none on an old Enterprise Server. */
  readonly apiVersions?: readonly string[] | undefined;
  readonly observer: Observer | undefined;
  /** Called before every answer to a request that may have changed the world. */
  readonly save: () => void;
}

export function createHttpServer(parts: HttpParts): FastifyInstance {
  const server = Fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1000 },
    rewriteUrl: ({ url = '/' }) => byName(parts.services, url),
  });
  const actors = new WeakMap<FastifyRequest, Actor>();
  const setActor = (request: FastifyRequest, actor: Actor): void => {
    actors.set(request, actor);
  };
  parseBodies(server);
  orderTrouble(server, parts.faults);
  server.addHook('onSend', async ({ method }, _reply, payload) => {
    if (method !== 'GET') parts.save();
    return payload;
  });
  keepLog(server, parts, actors);
  const begin = countRequests(server, parts.limits);
  answerErrors(server, parts);
  const identify = (request: FastifyRequest, isFree: boolean | undefined): Actor => {
    const actor = parts.services.authentication.identify(request.headers.authorization);
    setActor(request, actor);
    if (isFree !== true) begin(request, actor);
    return actor;
  };
  for (const route of [...routes, ...metaRoutes(parts.limits)])
    for (const url of addressesOf(route))
      server.route({
        method: route.method,
        url,
        bodyLimit: route.bodyLimit ?? BODY_LIMIT,
        handler: answerWith(route, parts, identify),
      });
  registerGitHttp(server, parts.services, setActor);
  registerPages(server, parts.services);
  registerAttachments(server, parts.services.world.attachments, () => parts.services.world.url);
  return server;
}

const answerWith =
  (
    route: Route,
    { services, observer, apiVersions }: HttpParts,
    identify: (request: FastifyRequest, isFree: boolean | undefined) => Actor,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    requireUserAgent(request);
    const actor = identify(request, route.isFree);
    checkApiVersion(request, route, apiVersions);
    const answer = await observed(route, restRequest(services, actor, request), observer);
    reply.headers({
      'x-github-media-type': mediaType(request.headers.accept),
      ...answer.headers,
    });
    if (request.method === 'GET' && isUnchanged(request, reply, answer))
      return reply.code(304).send();
    return reply.code(answer.status).send(answer.body);
  };

function requireUserAgent({ headers }: FastifyRequest): void {
  if ((headers['user-agent'] ?? '') !== '') return;
  const words =
    'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.';
  throw new GitHubError('user-agent-required', 403, words);
}

/** Counts what each installation requests, and returns how to begin with a request. */
function countRequests(
  server: FastifyInstance,
  limits: Limits | undefined,
): (request: FastifyRequest, actor: Actor) => void {
  if (limits === undefined) return () => {};
  const begun = new WeakSet<FastifyRequest>();
  const installations = new WeakMap<FastifyRequest, number>();
  server.addHook('onSend', async (request, reply, payload) => {
    const installation = installations.get(request);
    if (installation === undefined) return payload;
    if (begun.delete(request)) limits.end(installation, reply.statusCode);
    reply.headers(limits.headers(installation));
    return payload;
  });
  return (request, actor) => {
    if (actor.kind !== 'installation') return;
    const { id } = actor.token.installation;
    installations.set(request, id);
    limits.begin(id, weightOf(request));
    begun.add(request);
  };
}

const Mutation = z.object({ query: z.string().regex(/^\s*mutation\b/) });

/** Renderings and queries change nothing, although they are posted. */
function weightOf({ method, body, url }: FastifyRequest): Weight {
  if (method === 'GET') return 'read';
  if (url.endsWith('/graphql')) return Mutation.safeParse(body).success ? 'content' : 'read';
  return url.endsWith('/markdown') ? 'write' : 'content';
}

/** Repositories also have an address by id, which is the target of redirects. */
function byName({ world }: Services, url: string): string {
  const [, id, rest = ''] = /^\/api\/v3\/repositories\/(\d+)(.*)$/.exec(url) ?? [];
  if (id === undefined) return url;
  const repository = [...world.repositories.values()].find((one) => one.id === Number(id));
  return repository === undefined ? url : `/api/v3/repos/${repository.fullName}${rest}`;
}

/** Those of an Enterprise Server too (rule `enterprise-addresses`). */
function addressesOf(route: Route): string[] {
  if (route.path === '/graphql') return ['/graphql', '/api/graphql', '/api/v3/graphql'];
  // The page of all repositories has the other address.
  if (route.path === '/') return ['/api/v3', '/api/v3/'];
  return [route.path, `/api/v3${route.path}`];
}

const Strings = z.record(z.string(), z.string());

function restRequest(services: Services, actor: Actor, request: FastifyRequest): RestRequest {
  const url = new URL(request.url, services.world.url);
  return {
    services,
    actor,
    params: Strings.parse(request.params),
    query: Object.fromEntries(url.searchParams),
    body: request.body,
    method: request.method,
    path: url.pathname,
    bodies: bodiesAskedFor(request.headers.accept),
    patch: patchAskedFor(request.headers.accept),
    isRaw: asksForRaw(request.headers.accept),
  };
}

function orderTrouble(server: FastifyInstance, faults: Faults): void {
  const pathOf = (request: FastifyRequest): string => request.url.replace(/\?.*$/, '');
  server.addHook('onRequest', async (request, reply) => {
    const failure = faults.takeFailure(request.method, pathOf(request));
    if (failure === undefined) return undefined;
    const body = failure.body ?? { message: 'Server Error', status: String(failure.status) };
    return reply
      .code(failure.status)
      .headers(failure.headers ?? {})
      .send(body);
  });
  server.addHook('onSend', async (request, _reply, payload) => {
    const verdict = await faults.beforeAnswer(request.method, pathOf(request));
    if (verdict === 'drop') request.raw.socket.destroy();
    return payload;
  });
  faults.distortions.install(server, (request) => withoutPrefix(pathOf(request)));
}

function keepLog(
  server: FastifyInstance,
  { services, requests }: HttpParts,
  actors: WeakMap<FastifyRequest, Actor>,
): void {
  server.addHook('onResponse', async (request, reply) => {
    const actor = actors.get(request);
    const isPerson = actor?.kind === 'user' || actor?.kind === 'installation';
    requests.push({
      method: request.method,
      path: request.url,
      status: reply.statusCode,
      at: Date.now(),
      actor: isPerson ? actor.user.login : (actor?.kind ?? 'anonymous'),
      weight: isOfApi(request) ? weightOf(request) : undefined,
      apiVersion: versionOf(request),
    });
    services.world.notify();
  });
}

const isOfApi = ({ url }: FastifyRequest): boolean =>
  withoutPrefix(url) !== url || url === '/api/graphql';

function answerErrors(server: FastifyInstance, { services }: HttpParts): void {
  const send = (request: FastifyRequest, reply: FastifyReply, error: GitHubError) => {
    const wantsPage = request.headers.accept?.includes('text/html') === true;
    if (wantsPage && !isOfApi(request)) return sendError(reply, error, services.world.version);
    return reply.code(error.status).headers(error.headers).send(error.body());
  };
  server.setNotFoundHandler((request, reply) =>
    send(request, reply, new GitHubError('hidden-as-not-found', 404, 'Not Found')),
  );
  server.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    if (error instanceof GitHubError) return send(request, reply, error);
    const status = error.statusCode ?? 500;
    if (status >= 500) services.world.log?.error({ error }, 'the local GitHub failed');
    return send(request, reply, new GitHubError('own', status, error.message));
  });
}
