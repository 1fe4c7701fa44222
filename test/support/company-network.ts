// The network of a company: names that only its proxy can look up, with certificates that only its own authority vouches for.
import { once } from 'node:events';
import http, { type IncomingMessage, type Server } from 'node:http';
import https from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { certificatesFor } from './certificates.ts';

const DOMAIN = 'company.example';
export const PROXY_USER = { name: 'the-user', password: 'Quagga-9/and@more' };

export interface CompanyNetwork {
  /** Of the proxy, with its user and password. */
  readonly proxy: string;
  /** The file of its authority. */
  readonly authority: string;
  /** What the proxy was asked for: `CONNECT github.company.example:443`, or `GET http://…`. */
  readonly asked: readonly string[];
  /** Hosts that were asked for since `from`, each once. */
  hosts(from?: number): string[];
  /** Has `https://NAME.company.example` lead to an address of this machine; answers the host. */
  lead(name: string, url: string): string;
  close(): Promise<void>;
}

export async function openCompanyNetwork(): Promise<CompanyNetwork> {
  const { tls, authority } = certificatesFor(`DNS:*.${DOMAIN}`);
  const places = new Map<string, string>();
  const asked: string[] = [];
  const { name, password } = PROXY_USER;
  const expected = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  const isStranger = ({ headers }: IncomingMessage): boolean =>
    headers['proxy-authorization'] !== expected;

  const passOn = (request: IncomingMessage, response: http.ServerResponse): void => {
    const place = places.get(request.headers.host ?? '');
    if (place === undefined) return void response.writeHead(502).end();
    const { method, headers, url = '' } = request;
    const { pathname, search } = new URL(url, 'http://any');
    const { 'proxy-authorization': _own, ...rest } = headers;
    const to = http.request(`${place}${pathname}${search}`, { method, headers: rest }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    to.on('error', () => response.destroy());
    response.on('close', () => to.destroy());
    request.pipe(to);
  };
  const front = https.createServer(tls, passOn);
  const proxy = http.createServer((request, response) => {
    if (isStranger(request)) return void response.writeHead(407, ASK).end();
    asked.push(`${request.method} ${request.url}`);
    passOn(request, response);
  });
  proxy.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => {});
    if (isStranger(request)) return void client.end(UNKNOWN);
    asked.push(`CONNECT ${request.url}`);
    const { hostname, port } = new URL(`https://${request.url}`);
    const place = places.get(hostname);
    if (place === undefined) return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const inside = port === '' ? portOf(front) : Number(new URL(place).port);
    const target = connect(inside, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  await Promise.all([front, proxy].map(listening));

  return {
    proxy: `http://${name}:${encodeURIComponent(password)}@127.0.0.1:${portOf(proxy)}`,
    authority,
    asked,
    hosts: (from = 0) => [...new Set(asked.slice(from).map(hostIn))].toSorted(),
    lead: (of, url) => {
      places.set(`${of}.${DOMAIN}`, new URL(url).origin);
      return `${of}.${DOMAIN}`;
    },
    close: async () => {
      for (const server of [front, proxy]) {
        server.closeAllConnections();
        server.close();
      }
      await Promise.all([front, proxy].map((server) => once(server, 'close')));
    },
  };
}

function hostIn(line: string): string {
  const [method, to = ''] = line.split(' ');
  return method === 'CONNECT' ? to.replace(/:443$/, '') : new URL(to).host;
}

const ASK = { 'proxy-authenticate': 'Basic realm="company"' };
const UNKNOWN =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="company"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listening(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
