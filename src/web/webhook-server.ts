import type { Logger } from 'pino';
import type { ServiceNeed, ServicePause } from '../contracts/service.ts';
import { createHttpServer, type HttpServer, type HttpTimeouts } from './http-server.ts';
import { serveWebhook, UnverifiedBodies, type Webhooks } from './webhook-route.ts';
import type { FastifyInstance } from 'fastify';
import { messageOf } from '../lib/errors.ts';

export interface WebhookServerOptions {
  readonly log: Logger;
  readonly webhooks: Webhooks;
  /** Without one of them the service is not ready. */
  readonly needs: readonly ServiceNeed[];
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

interface Readiness {
  readonly needs: readonly ServiceNeed[];
  readonly paused: () => Promise<ServicePause | undefined>;
  readonly isDraining: () => boolean;
  /** Maximum milliseconds for each check. */
  readonly deadlineMs: number;
  readonly log: Logger;
}

/** Less than probes wait. */
const READY_TIMEOUT_MS = 2_000;

/** `/healthz`: the process is alive. `/readyz`: the service can work; otherwise 503 with the reason. */
function serveHealth(server: FastifyInstance, readiness: Readiness): void {
  server.get('/healthz', async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );
  server.get('/readyz', async (_request, reply) => {
    const reason = await whyNotReady(readiness);
    void reply.header('cache-control', 'no-store');
    if (reason === undefined) return reply.send({ status: 'ready', ...(await pauseOf(readiness)) });
    return reply.code(503).send({ status: 'not ready', reason });
  });
}

/** A paused service still accepts deliveries, so it is ready. */
async function pauseOf({ paused, log }: Readiness): Promise<{ paused?: ServicePause }> {
  try {
    const pause = await paused();
    return pause === undefined ? {} : { paused: pause };
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'failed to look up whether the service is paused');
    return {};
  }
}

/** The reason is public, so details are only in the log. */
async function whyNotReady(readiness: Readiness): Promise<string | undefined> {
  if (readiness.isDraining()) return 'the service is stopping';
  const lacks = await Promise.all(readiness.needs.map((need) => lackOf(need, readiness)));
  return lacks.filter((lack) => lack !== undefined).join(', ') || undefined;
}

async function lackOf(
  { check, lack }: ServiceNeed,
  { deadlineMs, log }: Readiness,
): Promise<string | undefined> {
  try {
    await inTime(check(), deadlineMs);
    return undefined;
  } catch (error) {
    log.warn({ lack, reason: messageOf(error) }, 'readiness check failed');
    return lack;
  }
}

async function inTime(work: Promise<void>, deadlineMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const words = `the check took longer than ${deadlineMs} ms`;
    timer = setTimeout(() => reject(new Error(words)), deadlineMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface MetricsServerOptions extends Pick<Readiness, 'needs' | 'paused'> {
  readonly log: Logger;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

const METHODS_OF_MONITORING = [[/^\/(?:metrics|healthz|readyz)$/, 'GET, HEAD']] as const;

/** The server for the operator's monitoring, which no stranger should reach. It does not listen yet. */
export function createMetricsServer({ log, metrics, ...health }: MetricsServerOptions): HttpServer {
  const { routes, isDraining, controls } = createHttpServer({
    log,
    methods: METHODS_OF_MONITORING,
  });
  serveHealth(routes, { ...health, isDraining, deadlineMs: READY_TIMEOUT_MS, log });
  routes.get('/metrics', async (_request, reply) =>
    reply
      .header('content-type', metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text()),
  );
  return controls;
}
