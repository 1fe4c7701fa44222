// Sends deliveries over connections that stay open, each when the one before was answered. A process of its own,
// and so plain, because it shares the processors with what it measures.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Deliveries, type Kind, type Origin } from './payloads.ts';

export interface Order {
  readonly port: number;
  readonly kind: Kind;
  /** Connections. */
  readonly senders: number;
  readonly ms: number;
  /** Comments on a session that exists, so many a second. If omitted, each is sent when the one before was answered. */
  readonly paced?: { readonly perSecond: number; readonly origin: Origin };
}

/** Milliseconds for each delivery that was answered with 2xx, and how long all took. */
export interface Sent {
  readonly took: readonly number[];
  readonly elapsed: number;
  /** Other statuses. */
  readonly refused: number;
}

/** One connection; answers are small and come whole or in pieces. */
class Connection {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Resolves with the status. */
  async send(request: Buffer): Promise<number> {
    this.#socket.write(request);
    let text = '';
    for (;;) {
      const [piece] = (await once(this.#socket, 'data')) as [Buffer];
      text += piece.toString('latin1');
      if (isWhole(text)) return Number(text.slice(9, 12));
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (length !== undefined) return text.length >= end + 4 + Number(length);
  return text.endsWith('0\r\n\r\n') || !/\r\ntransfer-encoding: chunked/i.test(text);
}

async function send({ port, kind, senders, ms }: Order): Promise<Sent> {
  const deliveries = new Deliveries();
  const connections = await Promise.all(
    Array.from({ length: senders }, () => Connection.open(port)),
  );
  await connections[0]?.send(deliveries.opening());
  const took: number[] = [];
  let refused = 0;
  const begun = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() - begun < ms) {
        const request = deliveries.next(kind);
        const sent = performance.now();
        const status = await connection.send(request);
        if (status >= 200 && status < 300) took.push(performance.now() - sent);
        else refused += 1;
      }
    }),
  );
  const elapsed = performance.now() - begun;
  for (const connection of connections) connection.close();
  return { took, elapsed, refused };
}

/**
 * At fixed times, however long the answers take: each counts from when it was due. If no connection is free, it waits for
 * one.
 */
async function sendPaced(
  { port, kind, senders, ms }: Order,
  { perSecond, origin }: NonNullable<Order['paced']>,
): Promise<Sent> {
  const deliveries = new Deliveries(origin);
  const free = await Promise.all(Array.from({ length: senders }, () => Connection.open(port)));
  const took: number[] = [];
  const sending = new Set<Promise<void>>();
  let refused = 0;
  const begun = performance.now();
  const sendOne = async (connection: Connection, due: number): Promise<void> => {
    const status = await connection.send(deliveries.next(kind));
    if (status >= 200 && status < 300) took.push(performance.now() - due);
    else refused += 1;
    free.push(connection);
  };
  for (let next = 0; next < (ms / 1000) * perSecond; next += 1) {
    const due = begun + (next * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 1) await pause(wait);
    while (free.length === 0) await Promise.race(sending);
    // The one that has rested longest: servers close those that rest for long.
    const connection = free.shift();
    if (connection === undefined) continue;
    const one = sendOne(connection, due).finally(() => sending.delete(one));
    sending.add(one);
  }
  await Promise.all(sending);
  for (const connection of free) connection.close();
  return { took, elapsed: performance.now() - begun, refused };
}

process.on('message', (message) => {
  const order = message as Order;
  const sent = order.paced === undefined ? send(order) : sendPaced(order, order.paced);
  void sent.then((figures) => process.send?.(figures));
});
