// GitHub's own command line as a client of a local GitHub. It speaks HTTPS alone and takes no host with a port, so TLS and
// a proxy stand in between, on loopback.
import { execFile, spawnSync } from 'node:child_process';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import type { LocalGitHub } from '../src/index.ts';
import { certificatesFor } from '../../../test/support/certificates.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

export const canRunGh = spawnSync('gh', ['--version']).status === 0;

/** A name that no resolver knows: only the proxy does. */
const HOST = 'github.example.test';

export interface GhAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GhClient {
  /** A clone for commands that need one; its remote is the local GitHub. */
  readonly checkout: string;
  /** Runs `gh` with a token. */
  as(token: string): (...words: string[]) => Promise<GhAnswer>;
  close(): Promise<void>;
}

export async function startGhClient(github: LocalGitHub, repository: string): Promise<GhClient> {
  const { tls, authority } = certificatesFor(`DNS:${HOST}`);
  const target = new URL(github.url);
  const front = https.createServer(tls, (request, response) => {
    const { method = 'GET', url: requested = '/', headers } = request;
    const { hostname: host, port } = target;
    const options = { host, port, method, path: requested, headers, agent: false };
    const onward = http.request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  const frontPort = await listen(front);
  const sockets = new Set<net.Socket>();
  const proxy = http.createServer();
  proxy.on('connect', (_request, client: net.Socket) => {
    const onward = net.connect(frontPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => sockets.delete(one));
    }
  });
  const proxyPort = await listen(proxy);
  const directory = temporaryDirectory();
  const checkout = path.join(directory, 'checkout');
  spawnSync('git', ['init', '-q', '-b', 'main', checkout]);
  const address = `https://${HOST}/${repository}.git`;
  spawnSync('git', ['-C', checkout, 'remote', 'add', 'origin', address]);
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    GH_CONFIG_DIR: directory,
    GH_HOST: HOST,
    GH_NO_UPDATE_NOTIFIER: '1',
    HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`,
    SSL_CERT_FILE: authority,
    NO_COLOR: '1',
  };
  return {
    checkout,
    as:
      (token) =>
      (...words) =>
        runGh(words, checkout, { ...environment, GH_ENTERPRISE_TOKEN: token }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      front.closeAllConnections();
      await Promise.all([front, proxy].map((one) => new Promise((done) => one.close(done))));
    },
  };
}

async function listen(server: http.Server | https.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Resolves with what it said, whatever its exit code. */
function runGh(words: string[], cwd: string, env: Record<string, string>): Promise<GhAnswer> {
  return new Promise((resolve) => {
    execFile('gh', words, { cwd, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : Number.NaN;
      resolve({ code, stdout, stderr });
    });
  });
}
