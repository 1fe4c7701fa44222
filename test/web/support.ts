// The web servers on loopback, what they logged, and the nastier ways to speak to them.
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { request, type IncomingHttpHeaders } from 'node:http';
import nock from 'nock';
import { pino, type Logger } from 'pino';
import { inBatches, requestAt } from '../../src/app/session-reader.ts';
import type { Memory } from '../../src/contracts/memory.ts';
import type { Entry } from '../../src/session/entry.ts';
import { fold } from '../../src/session/fold/fold.ts';
import { checkSignature } from '../../src/github/app.ts';
import type { HttpServer } from '../../src/web/http-server.ts';
import { createPageServer, type PageServerOptions } from '../../src/web/page-server.ts';
import {
  partOf,
  type SessionList,
  type SessionSource,
  type SessionSummary,
  type JournalPart,
  type JournalRange,
} from '../../src/web/session-source.ts';
import { createWebhookServer, type WebhookServerOptions } from '../../src/web/webhook-server.ts';
import type { Webhooks } from '../../src/web/webhook-route.ts';

// These tests speak to sockets that nock would otherwise stand in front of.
nock.restore();

export interface TestServer extends HttpServer {
  readonly url: string;
  readonly port: number;
  /** Each line of the log, as text. */
  readonly log: readonly string[];
}

/** The part of a journal that a page shows; all of a short one. `counted`: what was read for it. */
export const partOfEntries = (
  entries: readonly Entry[],
  range: JournalRange = {},
  counted: Entry[] = [],
): Promise<JournalPart> =>
  partOf(
    {
      session: fold(entries),
      marks: entries,
      lastReply: entries.findLast(({ type }) => type === 'reply')?.seq ?? 0,
      read: async (after, upTo) => {
        const read = entries.filter(({ seq }) => seq > after && seq <= upTo);
        counted.push(...read);
        return read;
      },
      repliesBefore: async (before) =>
        entries.filter(({ type, seq }) => type === 'reply' && seq < before).length,
    },
    range,
  );

/** All of it. */
export const wholeOf = (entries: readonly Entry[]): JournalPart => ({
  session: fold(entries),
  entries,
  marks: entries,
  repliesBefore: 0,
});

/** Journals as a store reads them; they may grow. */
export const storeOf = (journals: Journals) => ({
  journal: async (id: string, after = 0, upTo = Infinity) =>
    (journals[id] ?? []).filter(({ seq }) => seq > after && seq <= upTo),
});

export const listOf = (sessions: readonly SessionSummary[]): SessionList => ({
  sessions,
  hasMore: false,
  choices: { repositories: [], models: [] },
});

type Journals = Readonly<Record<string, readonly Entry[]>>;

export const pagesOf = (journals: Journals, memories: readonly Memory[] = []): SessionSource => ({
  list: async () => listOf([]),
  totals: async () => ({ all: undefined, byRepository: [], byModel: [], spent: [] }),
  repositoryOf: async (id) =>
    Object.hasOwn(journals, id) ? fold(journals[id] ?? []).thread.repository.id : undefined,
  newest: async (ids) =>
    new Map(
      ids
        .filter((id) => Object.hasOwn(journals, id))
        .map((id) => [id, journals[id]?.at(-1)?.seq ?? 0]),
    ),
  part: async (id, range) =>
    Object.hasOwn(journals, id) ? partOfEntries(journals[id] ?? [], range) : undefined,
  journal: async (id) =>
    Object.hasOwn(journals, id) ? inBatches(storeOf(journals), id) : undefined,
  memories: async (id) =>
    Object.hasOwn(journals, id) ? { total: memories.length, memories } : undefined,
  request: (id, at) => requestAt(storeOf(journals), id, at),
});

const SECRET = 'a-secret-of-this-test';
export const TOKEN = 'the-token-of-the-pages-of-this-test';
export const SIGNED_IN = { authorization: `Bearer ${TOKEN}` };

type ServerOptions = Partial<Omit<WebhookServerOptions, 'webhooks'>> & {
  readonly webhook?: Webhooks['receive'];
  /** Any free one if omitted. */
  readonly port?: number;
};

/** The server for webhooks and health. */
export function startServer({
  webhook,
  port,
  ...options
}: ServerOptions = {}): Promise<TestServer> {
  const receive = webhook ?? (async () => ({ status: 200, message: 'handled' }));
  const webhooks = {
    checkSignature: (signature: string) => checkSignature([SECRET], signature),
    receive,
  };
  return listening((log) => createWebhookServer({ log, webhooks, needs: [], ...options }), port);
}

/** The server of the session pages. */
export const startPages = ({
  port,
  ...options
}: Partial<PageServerOptions> & Pick<ServerOptions, 'port'> = {}): Promise<TestServer> =>
  listening((log) => createPageServer({ log, pages: pagesOf({}), token: TOKEN, ...options }), port);

async function listening(create: (log: Logger) => HttpServer, port = 0): Promise<TestServer> {
  const log: string[] = [];
  const server = create(pino({ level: 'trace' }, { write: (line: string) => log.push(line) }));
  const url = await server.listen('127.0.0.1', port);
  return { ...server, url, port: Number(new URL(url).port), log };
}

export const sign = (body: string | Buffer): string =>
  `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;

export const DELIVERY = {
  'content-type': 'application/json',
  'x-github-delivery': 'guid-1',
  'x-github-event': 'issues',
  'x-hub-signature-256': `sha256=${'5ec7e7'.padEnd(64, '0')}`,
};

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Like `fetch`, but every header can be set, the name of the host too. */
export async function ask(
  url: string,
  { method = 'GET', headers = {}, body = '' }: AskOptions = {},
): Promise<Answer> {
  const length = body.length === 0 ? {} : { 'content-length': Buffer.byteLength(body) };
  const asked = request(url, { method, headers: { ...length, ...headers }, agent: false });
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [AsyncIterable<Buffer> & AnswerHead];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, headers: response.headers, body: text };
}

interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface AnswerHead {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
}

export const deliver = (server: TestServer, body: string | Buffer, headers = {}): Promise<Answer> =>
  ask(`${server.url}/api/github/webhooks`, {
    method: 'POST',
    headers: { ...DELIVERY, 'x-hub-signature-256': sign(body), ...headers },
    body,
  });

export interface RawAnswer {
  readonly text: string;
  readonly error: string | undefined;
}

/** Writes these bytes to a socket, one piece after the other, and reads until the connection ends. */
export async function speak(port: number, pieces: Iterable<string | Buffer>): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let error: string | undefined;
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', (failure: NodeJS.ErrnoException) => (error = failure.code));
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  for (const piece of pieces) {
    if (socket.destroyed) break;
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), closed]).catch(() => {});
  }
  await closed.catch(() => {});
  return { text, error };
}

/** Writes these bytes and ends our side of the connection; resolves with all that comes back. */
export async function speakOnce(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', () => {});
  const closed = once(socket, 'close').catch(() => {});
  socket.on('end', () => socket.destroy());
  socket.end(bytes);
  await closed;
  return text;
}

/** A request whose beginning has been sent; `finish` sends the rest and reads the answer. */
export async function halfAsked(port: number, beginning: string) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(beginning, resolve));
  return {
    finish: async (rest: string): Promise<string> => {
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.write(rest);
      await once(socket, 'close');
      return text;
    },
  };
}

export const headOf = (length: string, signature = DELIVERY['x-hub-signature-256']): string =>
  [
    'POST /api/github/webhooks HTTP/1.1',
    'host: localhost',
    ...Object.entries({ ...DELIVERY, 'x-hub-signature-256': signature }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    length,
    '',
    '',
  ].join('\r\n');
