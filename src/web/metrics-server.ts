import type { Logger } from 'pino';
import { READY_TIMEOUT_MS, serveHealth, type Readiness } from './webhook-server.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';

interface MetricsServerOptions extends Pick<Readiness, 'needs' | 'paused'> {
  readonly log: Logger;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

const METHODS = [[/^\/(?:metrics|healthz|readyz)$/, 'GET, HEAD']] as const;

/** The server for the operator's monitoring, which no stranger should reach. It does not listen yet. */
export function createMetricsServer({ log, metrics, ...health }: MetricsServerOptions): HttpServer {
  const { routes, isDraining, controls } = createHttpServer({ log, methods: METHODS });
  serveHealth(routes, { ...health, isDraining, deadlineMs: READY_TIMEOUT_MS, log });
  routes.get('/metrics', async (_request, reply) =>
    reply
      .header('content-type', metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text()),
  );
  return controls;
}
