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
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { measured } from '../../../../src/lib/measurements.ts';
import { messageOf } from '../../../../src/lib/errors.ts';
import type { CommandDone } from '../../../../src/contracts/shell.ts';
import { normalHost, type AllowList, type Network } from './allow-list.ts';

const MAX_CONNECTIONS = 64;
const CONNECT_MS = 15_000;
const IDLE_MS = 60_000;
const MAX_BYTES = 4 * 1024 ** 3;
const MAX_DISALLOWED = 100;

/** Hosts that a command wanted to reach, and was not allowed to, each once, `host:port`. */
export type DeniedHosts = Pick<CommandDone, 'disallowedHosts' | 'notPublicHosts'>;

interface Target {
  readonly host: string;
  readonly port: number;
}

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
    const destination = await this.decide(target);
    if (destination.state !== 'allowed' || target === undefined) {
      client.end(errorResponseFor(destination));
      return;
    }
    const upstream = this.connect(destination.address, target.port);
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      void this.join(client, upstream);
    });
    upstream.once('error', (error) => {
      client.end(statusText(502, `${target.host} did not answer: ${error.message}`));
    });
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    const target = url?.protocol === 'http:' ? targetOf(url) : undefined;
    const destination = await this.decide(target);
    if (destination.state !== 'allowed' || url === null || target === undefined) {
      response.writeHead(statusOf(destination), PLAIN).end(`${whyOf(destination)}\n`);
      return;
    }
    // Node throws if what a command or a host sends is not valid HTTP.
    try {
      const upstream = httpRequest({
        createConnection: () => this.connect(destination.address, target.port),
        method: request.method,
        path: url.pathname + url.search,
        headers: { ...endToEnd(request.headers), host: url.host, connection: 'close' },
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

  private async decide(target: Target | undefined): Promise<Destination> {
    if (target === undefined)
      return {
        state: 'unknown',
        why: 'This proxy serves CONNECT host:port and http:// addresses.',
      };
    const { host, port } = target;
    try {
      const destination = await destinationOf(host, port, this.allowList, this.network);
      if (this.closed) return { state: 'unknown', why: 'The command has ended.' };
      const { state } = destination;
      if (state === 'allowed' || state === 'unknown') return destination;
      measured('sandbox_refusal', { reason: 'network' });
      const denied = state === 'not allowed' ? this.disallowed : this.notPublic;
      if (denied.size < MAX_DISALLOWED)
        denied.add(`${host.includes(':') ? `[${host}]` : host}:${port}`);
      return destination;
    } catch (error) {
      return { state: 'unknown', why: messageOf(error) };
    }
  }

  private connect(address: string, port: number): Socket {
    const socket = connect({ host: address, port, timeout: CONNECT_MS });
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

const whyOf = (destination: Destination): string =>
  destination.state === 'allowed' ? '' : destination.why;

const statusOf = ({ state }: Destination): number =>
  state === 'not allowed' || state === 'not public' ? 403 : 502;

const errorResponseFor = (destination: Destination): string =>
  statusText(statusOf(destination), whyOf(destination));

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

/** Whether a command may reach a host: the address to connect to, or why not. */
type Destination =
  | { readonly state: 'allowed'; readonly address: string }
  | { readonly state: 'not allowed'; readonly why: string }
  /** The operator allows the host, and its address is not public. */
  | { readonly state: 'not public'; readonly why: string }
  | { readonly state: 'unknown'; readonly why: string };

/**
 * Resolves a host once and returns the address that was checked. The caller connects to that address, so
 * the name cannot lead elsewhere meanwhile.
 */
async function destinationOf(
  host: string,
  port: number,
  allowList: AllowList,
  network: Network,
): Promise<Destination> {
  if (!allowList.allows(host, port))
    return {
      state: 'not allowed',
      why: `Commands may not reach ${host}:${port}. The operator can allow hosts with ${allowList.setting}.`,
    };
  const addresses = await addressesOf(host, network);
  const [address] = addresses;
  if (address === undefined) return { state: 'unknown', why: `There is no host ${host}.` };
  // One private address among several is enough to distrust the name.
  const isPrivate = allowList.allowsPrivately(host, port);
  const mayConnect = (one: string): boolean =>
    network.mayConnect(one) || (isPrivate && network.mayConnectPrivately(one));
  if (!addresses.every(mayConnect))
    return {
      state: 'not public',
      why: isPrivate
        ? `${host} resolves to an address of this machine, or to one that is of no network of an organisation. Commands reach neither.`
        : `${host} resolves to an address that is not public, and commands reach public addresses only.${privateHint(allowList)}`,
    };
  return { state: 'allowed', address };
}

const privateHint = ({ privateSetting }: AllowList): string =>
  privateSetting === undefined
    ? ''
    : ` The operator can allow internal hosts with ${privateSetting}.`;

async function addressesOf(host: string, network: Network): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return await network.resolve(normalHost(host));
  } catch {
    return [];
  }
}
