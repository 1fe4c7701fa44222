import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openTunnel } from '../../src/commands/tunnel.ts';

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
  'user-agent': 'GitHub-Hookshot',
  body: { zen: 'Ümlaut', hook_id: 1 },
  timestamp: 1,
};

it('a proxy that sends webhooks as events gives them to this machine, as they were signed', async () => {
  const arrived = Promise.withResolvers<unknown>();
  const target = await serve((request, response) => {
    const { url, method, headers } = request;
    const { 'x-github-event': event, 'x-hub-signature-256': signature } = headers;
    void text(request).then((body) => arrived.resolve({ url, method, event, signature, body }));
    response.writeHead(202).end();
  });
  const proxy = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: ready\ndata: {}\n\nevent: ping\ndata: {}\n\n');
    response.write(`data: ${JSON.stringify(WEBHOOK)}\n\n`);
  });
  const tunnel = await openTunnel(proxy, target, closing.signal);
  expect(tunnel.webhookUrl).toBe(proxy);
  expect(await arrived.promise).toEqual({
    url: '/api/github/webhooks',
    method: 'POST',
    event: 'ping',
    signature: 'sha256=abc',
    body: '{"zen":"Ümlaut","hook_id":1}',
  });
  closing.abort();
  await tunnel.ended;
});

it('a proxy that sends no events is named', async () => {
  const page = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('Hello');
  });
  await expect(openTunnel(page, 'http://127.0.0.1:1', closing.signal)).rejects.toThrow(
    /sends no events: it answered 200 text\/html/,
  );
});

it.each([
  ['echo no address; exit 3', /gave no address: it ended with 3/],
  ['/nonexistent/tunnel', /gave no address: it ended with 127/],
])('a command that makes no tunnel (%s) is named', async (command, why) => {
  await expect(openTunnel(command, 'http://127.0.0.1:1', closing.signal)).rejects.toThrow(why);
});

it('the address that a command prints among others is that of the tunnel', async () => {
  const lines = [
    'Thank you! (https://www.example.com/website-terms)',
    '|  https://few-words-here.trycloudflare.com  |',
  ];
  const command = `printf '%s\\n' '${lines.join("' '")}'; exec sleep 600`;
  const tunnel = await openTunnel(command, 'http://127.0.0.1:1', closing.signal);
  expect(tunnel.webhookUrl).toBe('https://few-words-here.trycloudflare.com/api/github/webhooks');
  closing.abort();
  expect(await tunnel.ended).toMatch(/SIGTERM/);
});
