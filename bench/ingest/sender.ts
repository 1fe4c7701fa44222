// Sends deliveries over connections that stay open, each when the one before was answered. A process of its own,
// and so plain, because it shares the processors with what it measures.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Deliveries, type Kind } from './payloads.ts';

export interface Order {
  readonly port: number;
  readonly kind: Kind;
  readonly senders: number;
  readonly ms: number;
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

process.on('message', (order) => {
  void send(order as Order).then((sent) => process.send?.(sent));
});
