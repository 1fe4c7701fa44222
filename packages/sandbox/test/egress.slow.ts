// Commands that reach for the network through the proxy: real sockets, names that a resolver of the
// test's own answers for.
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openSandbox, type Sandbox } from '../src/index.ts';
import type { CommandDone, Shell } from '../../../src/contracts/shell.ts';
import { isRoot, whyNoOtherUser } from '../../../test/support/other-user.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { whyNot } from './support.ts';

const LOOPBACK = '127.0.0.1';
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'registry.example.com': [LOOPBACK],
  'other.example.com': [LOOPBACK],
  'private.example.com': ['10.1.2.3'],
  'npm.corp.example': ['127.0.0.2'],
  'metadata.corp.example': ['169.254.169.254'],
  'two.example.com': [LOOPBACK, '169.254.169.254'],
};

const relayNeeds = isRoot ? whyNoOtherUser : '';
const declare = whyNot === '' && relayNeeds === '' ? describe : describe.skip;
declare(`a command that may reach some hosts ${whyNot}${relayNeeds}`, () => {
  const asked: string[] = [];
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume().on('end', () => response.end(`answer to ${request.method}`));
  });
  /** What a server says that speaks HTTP badly, one after the other. */
  const hostile: string[] = [];
  const bad = createTcpServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(hostile.shift() ?? ''));
  });
  let port: number;
  let wild: number;
  let sandbox: Sandbox;
  let shell: Shell;

  beforeAll(async () => {
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    bad.listen(0, LOOPBACK);
    await once(bad, 'listening');
    wild = (bad.address() as AddressInfo).port;
    const names = ['registry', 'private', 'two', 'nowhere'].map((name) => `${name}.example.com`);
    const allowHosts = [...names, '*.wild.example.com', LOOPBACK].map((name) => `${name}:${port}`);
    allowHosts.push(`registry.example.com:${wild}`);
    const opened = await openSandbox(
      {
        allowHosts,
        privateHosts: ['npm', 'metadata'].map((name) => `${name}.corp.example:${port}`),
        log: pino({ level: 'silent' }),
      },
      {
        resolve: (host) => {
          asked.push(host);
          return Promise.resolve(
            NAMES[host] ?? (host.endsWith('.wild.example.com') ? [LOOPBACK] : []),
          );
        },
        // Stands for the public Internet here.
        mayConnect: (address) => address === LOOPBACK && asked.length > 0,
        // Stands for a private network.
        mayConnectPrivately: (address) => address === '127.0.0.2',
      },
    );
    if (opened.state === 'absent') throw new Error(opened.why);
    ({ sandbox } = opened);
    const around = temporaryDirectory();
    chmodSync(around, 0o700);
    mkdirSync(join(around, 'tree'));
    shell = sandbox.shell({ directory: join(around, 'tree') });
  });

  afterAll(async () => {
    await sandbox.close();
    server.close();
    bad.close();
  });

  const run = (command: string): Promise<CommandDone> =>
    shell.run({
      command,
      directory: '',
      timeoutMs: 100_000,
      signal: new AbortController().signal,
    });
  const fetching = (url: string, more = ''): string =>
    `python3 -c 'import urllib.request as u
try: print(u.urlopen("${url}"${more}).read().decode())
except Exception as e: print("failed:", e, getattr(e, "read", lambda: b"")().decode())'`;

  it('gets an answer of a host on the list, with the host it named', async () => {
    const { output, disallowedHosts } = await run(
      fetching(`http://registry.example.com:${port}/a?b=c`),
    );
    expect(output.head).toBe('answer to GET\n');
    expect(disallowedHosts).toEqual([]);
    const { url, headers } = seen.at(-1)!;
    expect([url, headers.host]).toEqual(['/a?b=c', `registry.example.com:${port}`]);
    expect(
      (await run(fetching(`http://a.b.WILD.example.com:${port}/`, ', b"x"'))).output.head,
    ).toBe('answer to POST\n');
  });

  it('gets a tunnel to a host on the list', async () => {
    const script = `node -e '
      const net = require("node:net");
      const socket = net.connect(3128, "127.0.0.1", () => socket.write("CONNECT registry.example.com:${port} HTTP/1.1\\r\\n\\r\\n"));
      socket.once("data", (chunk) => { process.stdout.write(String(chunk)); socket.write("GET / HTTP/1.0\\r\\n\\r\\n"); socket.on("data", (more) => process.stdout.write(String(more))); });
    '`;
    expect((await run(script)).output.head).toMatch(/^HTTP\/1.1 200 [^]*answer to GET$/);
  });

  it.each([
    [
      'not on the list',
      () => `http://other.example.com:${port}/`,
      () => `other.example.com:${port}`,
    ],
    ['on another port', () => 'http://registry.example.com:81/', () => 'registry.example.com:81'],
    [
      'the apex of a wildcard',
      () => `http://wild.example.com:${port}/`,
      () => `wild.example.com:${port}`,
    ],
    ['of a metadata service', () => 'http://169.254.169.254/', () => '169.254.169.254:80'],
    ['over TLS', () => 'https://other.example.com/', () => 'other.example.com:443'],
  ])('cannot reach a host %s, and reports it', async (_what, url, host) => {
    const before = seen.length;
    const { output, disallowedHosts } = await run(`${fetching(url())}; ${fetching(url())}`);
    expect(output.head).toMatch(/403/);
    expect(disallowedHosts).toEqual([host()]);
    expect(seen).toHaveLength(before);
  });

  it.each([
    [
      'that leads into a private network',
      () => `http://private.example.com:${port}/`,
      () => `private.example.com:${port}`,
    ],
    [
      'with one address of two that is not public',
      () => `http://two.example.com:${port}/`,
      () => `two.example.com:${port}`,
    ],
  ])('cannot reach an allowed host %s, and says so', async (_what, url, host) => {
    const before = seen.length;
    const { output, disallowedHosts, notPublicHosts } = await run(fetching(url()));
    expect(output.head).toMatch(/403.*not public/s);
    expect([disallowedHosts, notPublicHosts]).toEqual([[], [host()]]);
    expect(seen).toHaveLength(before);
  });

  it('reaches a host at a private address if the operator says so by name, and no other', async () => {
    const at = (name: string): string => `http://${name}.corp.example:${port}/`;
    expect((await run(fetching(at('npm')))).output.head).toContain('answer to GET');
    const { output, notPublicHosts } = await run(fetching(at('metadata')));
    expect(output.head).toMatch(/403.*Commands reach neither/s);
    expect(notPublicHosts).toEqual([`metadata.corp.example:${port}`]);
  });

  it('reports a host that does not exist, which no rule disallows', async () => {
    const { output, disallowedHosts } = await run(fetching(`http://nowhere.example.com:${port}/`));
    expect(output.head).toMatch(/502.*There is no host nowhere\.example\.com/);
    expect(disallowedHosts).toEqual([]);
  });

  it('has no other way out: no names, no routes, nothing of the host', async () => {
    const direct = `python3 -c '
import socket
for where in (("${LOOPBACK}", ${port}), ("192.0.2.1", 80), ("registry.example.com", ${port})):
  try: socket.create_connection(where, 2); print("REACHED")
  except OSError as e: print("denied")'`;
    expect((await run(direct)).output.head).toBe('denied\ndenied\ndenied\n');
  });

  it('gets an answer to everything, and the service lives on, whatever is sent', async () => {
    hostile.push(
      'HTTP/1.1 099 Odd\r\n\r\n',
      'HTTP/1.1 200 OK\r\nx: \x01\r\n\r\n',
      'no HTTP\r\n\r\n',
      '',
    );
    const lines = [
      `GET http://registry.example.com:${wild}/ HTTP/1.1`,
      `GET http://registry.example.com:${wild}/ HTTP/1.1`,
      `GET http://registry.example.com:${wild}/ HTTP/1.1`,
      `POST http://registry.example.com:${wild}/ HTTP/1.1`,
      `CONNECT registry.example.com:1 HTTP/1.1`,
      'CONNECT [::ffff:127.0.0.1]:80 HTTP/1.1',
      'CONNECT :0 HTTP/1.1',
      'CONNECT a/b?c:443 HTTP/1.1',
      'GET ftp://registry.example.com/ HTTP/1.1',
      'GET / HTTP/1.1',
      'GET http://%00/ HTTP/1.1',
    ];
    const script = `import socket, sys
for line in ${JSON.stringify(lines)}:
  with socket.create_connection(("127.0.0.1", 3128)) as s:
    s.sendall((line + "\\r\\nHost: x\\r\\n\\r\\n").encode())
    print(s.recv(12).decode())`;
    const { output, disallowedHosts } = await run(`python3 -c '${script}'`);
    expect(output.head.trim().split('\n')).toHaveLength(lines.length);
    expect(output.head).not.toContain(' 200');
    expect(disallowedHosts).toEqual(['registry.example.com:1', '[::ffff:7f00:1]:80']);
  });

  it('ends with its command: connections end, and the socket is gone', async () => {
    const { ended } = await run(`(sleep 60 | nc 127.0.0.1 3128) & node -e '
      require("node:net").connect(3128, "127.0.0.1", () => process.exit(0))'`);
    expect(ended).toBe('exited');
    expect((await run('echo again')).output.head).toBe('again\n');
  });
});
