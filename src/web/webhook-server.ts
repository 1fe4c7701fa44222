import type { Logger } from 'pino';
import type { Need } from '../contracts/need.ts';
import type { ServicePause } from '../contracts/service-pause.ts';
import { READY_TIMEOUT_MS, serveHealth } from './health-routes.ts';
import { createHttpServer, type HttpServer, type HttpTimeouts } from './http-server.ts';
import { UnverifiedBodies } from './unverified-bodies.ts';
import { serveWebhook, type Webhooks } from './webhook-route.ts';

export interface WebhookServerOptions {
  readonly log: Logger;
  readonly webhooks: Webhooks;
  /** Without one of them the service is not ready. */
  readonly needs: readonly Need[];
  /** The operator's pause of the service, if there is one. */
  readonly paused?: (() => Promise<ServicePause | undefined>) | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly bodies?: UnverifiedBodies | undefined;
  /** `ready`: milliseconds for each check of the needs. */
  readonly timeouts?: Partial<HttpTimeouts & { readonly ready: number }> | undefined;
}

/** GitHub's limit for the payload of a webhook. */
const MAX_BODY_BYTES = 25 * 1024 * 1024;
const MAX_UNVERIFIED_BYTES = 100 * 1024 * 1024;

const METHODS = [
  [/^\/api\/github\/webhooks$/, 'POST'],
  [/^\/(?:healthz|readyz)$/, 'GET, HEAD'],
] as const;

/** The server for GitHub and for probes; the only one that strangers may reach. It does not listen yet. */
export function createWebhookServer(options: WebhookServerOptions): HttpServer {
  const { log, webhooks, needs, timeouts } = options;
  const { routes, isDraining, controls } = createHttpServer({ log, methods: METHODS, timeouts });
  serveHealth(routes, {
    needs,
    paused: options.paused ?? (() => Promise.resolve(undefined)),
    isDraining,
    deadlineMs: timeouts?.ready ?? READY_TIMEOUT_MS,
    log,
  });
  const bodies = options.bodies ?? new UnverifiedBodies(MAX_UNVERIFIED_BYTES);
  serveWebhook(
    routes,
    webhooks,
    { bodies, maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES },
    log,
  );
  return controls;
}
