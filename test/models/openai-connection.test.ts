import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { chatCompletions } from '../../src/models/openai/chat-completions.ts';
import { readFixture } from '../contract/fixture-server.ts';

let server: Server;
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Asks twice of a server that, behind the end mark of its reply, does this; counts its connections. */
async function connectionsFor(behind: (end: () => void) => void): Promise<number> {
  let connections = 0;
  const { headers, body } = readFixture('chat-completions', 'text');
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, headers);
      response.write(body, () => behind(() => response.end()));
    });
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const adapter = chatCompletions({
    model: 'm',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    headers: {},
    isOpenAI: false,
    addressSetting: 'OPENAI_BASE_URL',
  });
  for (let asked = 0; asked < 2; asked += 1) {
    const reply = await adapter.reply({
      system: '',
      messages: [{ role: 'user', text: 'Hello?' }],
      tools: [],
      maxOutputTokens: 99,
      cacheKey: 'session-1',
      signal: new AbortController().signal,
    });
    expect(reply.stop).toBe('end');
    // As much as passes before any next request.
    await new Promise(setImmediate);
  }
  return connections;
}

describe('the connection to a server', () => {
  it('serves the next request if the response ends later than the reply', async () => {
    // The client, in this process, reads what has been sent before the second turn of the event loop.
    const later = (end: () => void) => setImmediate(() => setImmediate(end));
    expect(await connectionsFor(later)).toBe(1);
  });

  it('is closed if the response does not end', async () => {
    expect(await connectionsFor(() => undefined)).toBeGreaterThan(1);
  });
});
