// A proxy like smee.io: it accepts each webhook, and sends it on to whoever is connected, or to nobody.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { waitFor } from '../../packages/local-github/src/github/wait-for.ts';
import { PATIENCE_MS } from './patience.ts';

export class EventProxy {
  /** How many times someone has connected. */
  connections = 0;
  /** What it answers instead of a stream, if it is not 200. */
  status = 200;
  readonly #streams = new Set<ServerResponse>();
  readonly #listeners = new Set<() => void>();
  readonly #server = createServer((request, response) => {
    void this.#answer(request, response);
  });

  static async open(): Promise<EventProxy> {
    const proxy = new EventProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/channel`;
  }

  /** Sends all who are connected an event without a webhook. */
  ping(): void {
    for (const stream of this.#streams) stream.write('event: ping\ndata: {}\n\n');
  }

  /** Ends the streams of all who are connected. */
  drop(): void {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  untilConnected(times: number): Promise<true> {
    const listen = (listener: () => void): (() => void) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    };
    const find = () => (this.connections >= times ? (true as const) : undefined);
    return waitFor(listen, find, { what: `connection ${times}`, timeoutMs: PATIENCE_MS });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      const event = { ...request.headers, body: await json(request), timestamp: Date.now() };
      for (const stream of this.#streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
      return;
    }
    if (this.status !== 200) {
      response.writeHead(this.status).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: ready\ndata: {}\n\n');
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    this.connections += 1;
    for (const listener of this.#listeners) listener();
  }
}
