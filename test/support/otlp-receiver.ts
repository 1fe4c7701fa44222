// An OTLP/HTTP receiver: it decodes with the code that protobufjs made of the protocol's own definitions, an older release of
// OpenTelemetry's than the one that sends.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

interface Message {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: Readonly<Record<string, unknown>>): unknown;
}
interface Service {
  readonly v1: Readonly<Record<string, Message>>;
}
interface Definitions {
  readonly opentelemetry: {
    readonly proto: { readonly collector: { readonly trace: Service; readonly metrics: Service } };
  };
}
const { collector } = (
  createRequire(import.meta.url)(
    'opentelemetry-protocol/build/src/generated/root.js',
  ) as Definitions
).opentelemetry.proto;

const Value = z
  .object({
    stringValue: z.string().optional(),
    intValue: z.number().optional(),
    doubleValue: z.number().optional(),
    boolValue: z.boolean().optional(),
  })
  .transform(({ stringValue, intValue, doubleValue, boolValue }) =>
    [stringValue, intValue, doubleValue, boolValue].find((value) => value !== undefined),
  );
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])));
const Resource = z.object({ attributes: Attributes });

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.string(),
  startTimeUnixNano: z.number(),
  endTimeUnixNano: z.number(),
  attributes: Attributes,
  events: z.array(z.unknown()).default([]),
  status: z.object({ code: z.string().optional(), message: z.string().optional() }).default({}),
});
type ReceivedSpan = z.infer<typeof Span>;

const Traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: Resource,
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

const Points = z.object({
  dataPoints: z.array(
    z.object({
      attributes: Attributes,
      asDouble: z.number().optional(),
      asInt: z.number().optional(),
      count: z.number().optional(),
      sum: z.number().optional(),
      explicitBounds: z.array(z.number()).optional(),
    }),
  ),
});
const Metric = z.object({
  name: z.string(),
  unit: z.string().default(''),
  description: z.string().default(''),
  sum: Points.optional(),
  gauge: Points.optional(),
  histogram: Points.optional(),
});
type ReceivedMetric = z.infer<typeof Metric>;

const Metrics = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: Resource,
      scopeMetrics: z.array(z.object({ metrics: z.array(Metric) })),
    }),
  ),
});

export interface OtlpReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The last that was received of each. */
  readonly metrics: ReadonlyMap<string, ReceivedMetric>;
  /** Attributes of those who sent. */
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  /** All headers of all requests. */
  readonly headers: readonly IncomingMessage['headers'][];
  /** What came, undecoded. */
  readonly bytes: readonly Buffer[];
  close(): Promise<void>;
}

/** A request in the form of `schema`, with ids in hexadecimal digits. */
function decoded<T>(service: Service, name: string, body: Buffer, schema: z.ZodType<T>): T {
  const message = service.v1[name];
  if (message === undefined) throw new Error(`the definitions lack ${name}`);
  const plain = message.toObject(message.decode(body), {
    longs: Number,
    enums: String,
    bytes: Array,
  });
  const text = JSON.stringify(plain, (key, value: unknown) =>
    /(?:trace|span)Id$/i.test(key) && Array.isArray(value)
      ? Buffer.from(value as number[]).toString('hex')
      : value,
  );
  return schema.parse(JSON.parse(text));
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Map<string, ReceivedMetric>();
  const resources: Record<string, unknown>[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const bytes: Buffer[] = [];
  const take = (path: string, body: Buffer): boolean => {
    if (path === '/v1/traces') {
      const read = decoded(collector.trace, 'ExportTraceServiceRequest', body, Traces);
      for (const { resource, scopeSpans } of read.resourceSpans) {
        resources.push(resource.attributes);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      return true;
    }
    if (path !== '/v1/metrics') return false;
    const read = decoded(collector.metrics, 'ExportMetricsServiceRequest', body, Metrics);
    for (const { resource, scopeMetrics } of read.resourceMetrics) {
      resources.push(resource.attributes);
      for (const metric of scopeMetrics.flatMap((scope) => scope.metrics))
        metrics.set(metric.name, metric);
    }
    return true;
  };
  const server = createServer((request, response) => {
    const receive = async (): Promise<void> => {
      const sent = await buffer(request);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      headers.push(request.headers);
      bytes.push(body);
      response.writeHead(take(request.url ?? '', body) ? 200 : 404, {
        'content-type': 'application/x-protobuf',
      });
      response.end();
    };
    receive().catch((error: unknown) => {
      process.stderr.write(`the receiver could not read a request: ${String(error)}\n`);
      response.writeHead(400).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    resources,
    headers,
    bytes,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
