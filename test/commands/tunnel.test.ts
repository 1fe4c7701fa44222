import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freePort } from '../../packages/local-github/src/free-port.ts';
import { openTunnel } from '../../src/commands/tunnel.ts';
import { EventProxy } from '../support/event-proxy.ts';
import { fakeTimeouts } from '../support/fake-timeouts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const servers: Server[] = [];
let closing: AbortController;
beforeEach(() => {
  closing = new AbortController();
});
afterEach(() => {
  closing.abort();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const WEBHOOK = {
  'x-github-delivery': 'd-1',
  'x-github-event': 'ping',
  'x-hub-signature-256': 'sha256=abc',
  'content-type': 'application/json',
};

/** The service: resolves with the first webhook. */
async function openTarget() {
  const arrived = Promise.withResolvers<unknown>();
  const url = await serve((request, response) => {
    const { url: path, method, headers } = request;
    const { 'x-github-event': event, 'x-hub-signature-256': signature } = headers;
    void text(request).then((body) => arrived.resolve({ path, method, event, signature, body }));
    response.writeHead(202).end();
  });
  return { url, arrived: arrived.promise };
}

/** What the user of the tunnel was told, in order. */
let told: string[];
/** Resolves when that was told. */
let untilTold: (words: string) => Promise<void>;
const NOWHERE = 'http://127.0.0.1:1';
const PACE = { silentMs: 60_000, firstDelayMs: 1, longestDelayMs: 10, steadyMs: 60_000 };

function open(given: string, target = NOWHERE, pace = PACE) {
  const { signal } = closing;
  const listeners = new Set<() => void>();
  told = [];
  const tell = (words: string): void => {
    told.push(words);
    for (const listener of listeners) listener();
  };
  untilTold = (words) =>
    new Promise((resolve) => {
      const look = (): void => {
        if (told.includes(words)) resolve();
      };
      listeners.add(look);
      look();
    });
  const watcher = {
    retrying: (why: string) => tell(`retrying: ${why}`),
    lost: (why: string) => tell(why),
    restored: () => tell('restored'),
    missed: () => tell('missed'),
  };
  return openTunnel(given, { target, signal, watcher, pace });
}

describe('a proxy that sends webhooks as events', () => {
  let proxy: EventProxy;
  beforeEach(async () => {
    proxy = await EventProxy.open();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
    proxy.close();
  });

  const post = () =>
    fetch(proxy.url, { method: 'POST', headers: WEBHOOK, body: '{"zen":"Ümlaut","hook_id":1}' });

  it('gives them to this machine, as they were signed', async () => {
    const target = await openTarget();
    const tunnel = await open(proxy.url, target.url);
    expect(tunnel.webhookUrl).toBe(proxy.url);
    proxy.ping();
    await post();
    expect(await target.arrived).toEqual({
      path: '/api/github/webhooks',
      method: 'POST',
      event: 'ping',
      signature: 'sha256=abc',
      body: '{"zen":"Ümlaut","hook_id":1}',
    });
    closing.abort();
    await tunnel.ended;
    expect(told).toEqual([]);
  });

  it('is connected to again when its stream ends, and what it lost meanwhile is looked for', async () => {
    const target = await openTarget();
    await open(proxy.url, target.url);
    proxy.status = 502;
    proxy.drop();
    await untilTold('the proxy stopped sending events: it answered 502');
    proxy.status = 200;
    await untilTold('missed');
    expect(told).toEqual([
      'the proxy closed the connection',
      'the proxy stopped sending events: it answered 502',
      'restored',
      'missed',
    ]);
    await post();
    expect(await target.arrived).toMatchObject({ event: 'ping' });
  });

  it('is connected to as soon as it answers, and the waiting is told', async () => {
    const target = await openTarget();
    proxy.status = 503;
    const opening = open(proxy.url, target.url);
    await untilTold('retrying: the proxy answered 503');
    proxy.status = 200;
    await opening;
    expect(told).toEqual(['retrying: the proxy answered 503', 'restored', 'missed']);
    await post();
    expect(await target.arrived).toMatchObject({ event: 'ping' });
  });

  it.each([403, 404])('that answers %i from the beginning is no such proxy', async (status) => {
    proxy.status = status;
    const opening = open(proxy.url);
    await expect(opening).rejects.toThrow(
      `sends no events: it answered ${status}. Check the address of --tunnel.`,
    );
    expect(told).toEqual([]);
  });

  it('is not waited for at an address that cannot be one', async () => {
    await expect(open('https://smee.example:99999/channel')).rejects.toThrow(
      'https://smee.example:99999/channel is not a valid address of a proxy. Check --tunnel.',
    );
    expect(told).toEqual([]);
  });

  it('is connected to again when it is silent', async () => {
    await open(proxy.url, NOWHERE, { ...PACE, silentMs: 200 });
    await proxy.untilConnected(2);
    expect(told[0]).toBe('the proxy sent nothing for 0.2 s');
  });

  it('is not silent while it sends pings', async () => {
    fakeTimeouts();
    const started = jest.spyOn(globalThis, 'setTimeout');
    const target = await openTarget();
    await open(proxy.url, target.url, { ...PACE, silentMs: 1_000 });
    const [silence] = started.mock.results.filter((_, at) => started.mock.calls[at]?.[1] === 1_000);
    const heard = jest.spyOn(silence?.value as NodeJS.Timeout, 'refresh');
    for (let pings = 0; pings < 5; pings += 1) {
      jest.advanceTimersByTime(900);
      const before = heard.mock.calls.length;
      proxy.ping();
      while (heard.mock.calls.length === before) await nextTurn();
    }
    await post();
    await target.arrived;
    expect([told, proxy.connections]).toEqual([[], 1]);
  });

  it('ends the tunnel when it has no such channel any more', async () => {
    const tunnel = await open(proxy.url);
    proxy.status = 410;
    proxy.drop();
    expect(await tunnel.ended).toBe('the proxy stopped sending events: it answered 410');
  });

  it('triggers a search for webhooks that this machine did not accept', async () => {
    await open(proxy.url);
    await post();
    await untilTold('missed');
    expect(told).toEqual(['missed']);
  });
});

it('a proxy that cannot be reached is tried again until the signal ends that', async () => {
  const port = await freePort();
  const opening = open(`http://127.0.0.1:${port}`);
  await untilTold('retrying: connection refused (ECONNREFUSED)');
  closing.abort(new Error('enough'));
  await expect(opening).rejects.toThrow('enough');
});

it('a proxy that sends no events is named', async () => {
  const page = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('Hello');
  });
  await expect(open(page)).rejects.toThrow(/sends no events: it answered 200 text\/html/);
});

it.each([
  ['echo no address; exit 3', /gave no address: it ended with 3/],
  ['/nonexistent/tunnel', /gave no address: it ended with 127/],
])('a command that makes no tunnel (%s) is named', async (command, why) => {
  await expect(open(command)).rejects.toThrow(why);
});

it('a command is not started once the tunnel is not wanted any more', async () => {
  const trace = join(temporaryDirectory(), 'started');
  closing.abort();
  await expect(open(`touch ${trace}; echo http://127.0.0.1:1`)).rejects.toThrow('aborted');
  expect(existsSync(trace)).toBe(false);
});

/** A program of this name that prints these lines. */
function program(name: string, lines: readonly string[]): string {
  const file = join(temporaryDirectory(), name);
  const quoted = lines.map((line) => `'${line}'`).join(' ');
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' ${quoted}\nexec sleep 600\n`);
  chmodSync(file, 0o755);
  return `${file} --to http://127.0.0.1:3000`;
}

const NOISE = [
  'Thank you! (https://www.example.com/website-terms)',
  'request from https://evil.example to https://evil.trycloudflare.com',
  't=1 lvl=info msg="join" addr=http://evil.example url=https://evil.ngrok.app',
  'see https://evil.example | https://also-evil.example',
];

it.each([
  ['cloudflared', '2026-01-01T00:00:00Z INF |  https://a-few-words.trycloudflare.com   |'],
  [
    'ngrok',
    't=1 lvl=info msg="started tunnel" obj=tunnels addr=http://localhost:3000 url=https://a.ngrok-free.app',
  ],
  ['lt', 'your url is: https://a-few-words.loca.lt'],
  ['another', '  https://a.example:8443/'],
])(
  'the address of a tunnel is taken from what %s prints of it, among others',
  async (name, line) => {
    const tunnel = await open(program(name, [...NOISE, line, 'https://evil.example']));
    const [address = ''] = /https:\/\/a[^\s/]*/.exec(line) ?? [];
    expect(tunnel.webhookUrl).toBe(`${address}/api/github/webhooks`);
    closing.abort();
    expect(await tunnel.ended).toMatch(/SIGTERM/);
  },
);
