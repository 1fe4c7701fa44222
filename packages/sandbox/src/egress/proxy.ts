// The only way out of a sandbox: an HTTP proxy with an allow-list. It serves CONNECT and plain HTTP.
import { createServer, request as httpRequest } from 'node:http';
import type {
  ClientRequest,
  IncomingMessage,
  OutgoingHttpHeaders,
  Server,
  ServerResponse,
} from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { measured } from '../../../../src/lib/measurements.ts';
import { messageOf } from '../../../../src/lib/errors.ts';
import type { CommandDone } from '../../../../src/contracts/shell.ts';
import {
  destinationOf,
  type AllowList,
  type Network,
  type EgressDestination,
  type Target,
} from './allow-list.ts';

const MAX_CONNECTIONS = 64;
const CONNECT_MS = 15_000;
const IDLE_MS = 60_000;
const MAX_BYTES = 4 * 1024 ** 3;
const MAX_DISALLOWED = 100;

/** Hosts that a command wanted to reach, and was not allowed to, each once, `host:port`. */
export type DeniedHosts = Pick<CommandDone, 'disallowedHosts' | 'notPublicHosts'>;

/** The proxy of one command. */
export class EgressProxy {
  private readonly allowList: AllowList;
  private readonly network: Network;
  private readonly server: Server;
  private readonly open = new Set<Duplex>();
  private readonly disallowed = new Set<string>();
  private readonly notPublic = new Set<string>();
  private bytes = 0;
  private closed = false;

  constructor(allowList: AllowList, network: Network) {
    this.allowList = allowList;
    this.network = network;
    this.server = createServer((request, response) => void this.forward(request, response));
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.on('connect', (request, socket, head) => void this.tunnel(request, socket, head));
    this.server.on('connection', (socket) => this.keep(socket));
  }

  async listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.on('error', reject).listen(path, resolve);
    });
  }

  /** Each once, `host:port`. */
  get hosts(): DeniedHosts {
    return { disallowedHosts: [...this.disallowed], notPublicHosts: [...this.notPublic] };
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.closed = true;
    for (const stream of this.open) stream.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = parseAuthority(request.url ?? '');
    const destination = await this.decide(target, 'https:');
    if (destination.state !== 'allowed' || target === undefined) {
      client.end(statusText(statusOf(destination), whyOf(destination)));
      return;
    }
    const { address, proxy } = destination;
    const opened = (upstream: Socket): void => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      void this.join(client, upstream);
    };
    const failed = (error: Error): void => {
      client.end(statusText(502, `${target.host} did not answer: ${error.message}`));
    };
    if (proxy !== undefined) return this.connectThrough(proxy, target, opened, failed);
    const upstream = this.connect(address, target.port);
    upstream.once('connect', () => opened(upstream));
    upstream.once('error', failed);
  }

  private connectThrough(
    proxy: URL,
    { host, port }: Target,
    opened: (socket: Socket) => void,
    failed: (error: Error) => void,
  ): void {
    const path = `${inUrl(host)}:${port}`;
    const request = httpRequest({
      createConnection: () => this.connectTo(proxy),
      method: 'CONNECT',
      path,
      headers: { host: path, ...authorizationFor(proxy) },
    });
    request.once('connect', ({ statusCode }, socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return opened(socket as Socket);
      }
      socket.destroy();
      failed(new Error(`the proxy before it answered ${statusCode}`));
    });
    request.once('error', failed);
    request.end();
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    const target = url?.protocol === 'http:' ? targetOf(url) : undefined;
    const destination = await this.decide(target, 'http:');
    if (destination.state !== 'allowed' || url === null || target === undefined) {
      response.writeHead(statusOf(destination), PLAIN).end(`${whyOf(destination)}\n`);
      return;
    }
    // Node throws if what a command or a host sends is not valid HTTP.
    try {
      const { address, proxy } = destination;
      const path = url.pathname + url.search;
      const upstream = httpRequest({
        createConnection: () =>
          proxy === undefined ? this.connect(address, target.port) : this.connectTo(proxy),
        method: request.method,
        path: proxy === undefined ? path : `http://${url.host}${path}`,
        headers: {
          ...endToEnd(request.headers),
          host: url.host,
          connection: 'close',
          ...(proxy === undefined ? {} : authorizationFor(proxy)),
        },
      });
      this.answer(upstream, request, response);
    } catch (error) {
      fail(response, messageOf(error));
    }
  }

  private answer(
    upstream: ClientRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    response.on('error', () => upstream.destroy());
    upstream.on('error', (error) => fail(response, error.message));
    upstream.once('response', (answer) => {
      try {
        response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      } catch (error) {
        upstream.destroy();
        fail(response, messageOf(error));
        return;
      }
      pipeline(answer, this.counted, response).catch(() => response.destroy());
    });
    pipeline(request, this.counted, upstream).catch(() => upstream.destroy());
  }

  private async decide(
    target: Target | undefined,
    protocol: 'http:' | 'https:',
  ): Promise<EgressDestination> {
    if (target === undefined)
      return {
        state: 'unknown',
        why: 'This proxy serves CONNECT host:port and http:// addresses.',
      };
    const { host, port } = target;
    try {
      const url = new URL(`${protocol}//${inUrl(host)}:${port}`);
      const proxy = this.network.proxyFor?.(url);
      const destination = await destinationOf(target, proxy, this.allowList, this.network);
      if (this.closed) return { state: 'unknown', why: 'The command has ended.' };
      const { state } = destination;
      if (state === 'allowed' || state === 'unknown') return destination;
      measured('sandbox_refusal', { reason: 'network' });
      const denied = state === 'not allowed' ? this.disallowed : this.notPublic;
      if (denied.size < MAX_DISALLOWED) denied.add(`${inUrl(host)}:${port}`);
      return destination;
    } catch (error) {
      return { state: 'unknown', why: messageOf(error) };
    }
  }

  private connect(address: string, port: number): Socket {
    return this.opening(connect({ host: address, port, timeout: CONNECT_MS }));
  }

  private connectTo({ protocol, hostname, port }: URL): Socket {
    const host = hostname.replace(/^\[|\]$/g, '');
    if (protocol === 'http:') return this.connect(host, Number(port || 80));
    const servername = isIP(host) === 0 ? host : '';
    const how = { host, port: Number(port || 443), servername, timeout: CONNECT_MS };
    return this.opening(connectSecurely(how));
  }

  private opening(socket: Socket): Socket {
    socket.once('connect', () => socket.setTimeout(IDLE_MS));
    socket.once('timeout', () => socket.destroy(new Error('no answer in time')));
    this.keep(socket);
    return socket;
  }

  private keep(socket: Socket): void {
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  /** Passes bytes on until the command has used up its total. */
  private readonly counted = async function* (
    this: EgressProxy,
    chunks: AsyncIterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.bytes += chunk.length;
      if (this.bytes > MAX_BYTES) throw new Error('the command transferred too many bytes');
      yield chunk;
    }
  }.bind(this);

  private async join(one: Duplex, other: Duplex): Promise<void> {
    try {
      await Promise.all([pipeline(one, this.counted, other), pipeline(other, this.counted, one)]);
    } catch {
      one.destroy();
      other.destroy();
    }
  }
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };

function fail(response: ServerResponse, why: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502, PLAIN).end(`The host did not answer: ${why}\n`);
}

const whyOf = (destination: EgressDestination): string =>
  destination.state === 'allowed' ? '' : destination.why;

const statusOf = ({ state }: EgressDestination): number =>
  state === 'not allowed' || state === 'not public' ? 403 : 502;

const statusText = (status: number, why: string): string =>
  `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Bad Gateway'}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${why}\n`;

/** Host and port in the form that CONNECT uses. */
function parseAuthority(authority: string): Target | undefined {
  const url = URL.parse(`https://${authority}`);
  const isPlain = /^[^/?#@\s]+:\d+$/.test(authority);
  return url === null || !isPlain ? undefined : targetOf(url);
}

function targetOf({ hostname, port, protocol }: URL): Target {
  const standard = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? standard : port) };
}

/** An address of IPv6 is in brackets there. */
const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const endToEnd = (headers: IncomingMessage['headers']): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));

/** What a proxy of the network wants of us; commands never see it. */
function authorizationFor({ username, password }: URL): OutgoingHttpHeaders {
  if (username === '' && password === '') return {};
  const known = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(known).toString('base64')}` };
}
