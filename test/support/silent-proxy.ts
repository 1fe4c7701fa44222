// A network between a service and its PostgreSQL that goes silent: connections stay open, and nothing passes.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { TestDatabase } from './test-database.ts';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export interface SilentProxy {
  /** Of the database, through the proxy. */
  readonly url: string;
  /** Nothing passes any more. New connections are accepted. */
  silence(): void;
  /**
   * New connections work, and those that came meanwhile. `late`: what the others sent arrives now, as from a queue of a
   * router; otherwise they stay silent for ever, as after a failover.
   */
  resume(options: { readonly late: boolean }): void;
  close(): Promise<void>;
}

/** On loopback, before the server on a socket that all tests share. */
export async function silentProxy({
  connection: { host, port, user, database },
}: Pick<TestDatabase, 'connection'>): Promise<SilentProxy> {
  const pairs = new Set<Pair>();
  let old = new Set<Pair>();
  let isSilent = false;

  const open = (client: Socket): void => {
    const pair = { client, server: connect(`${host}/.s.PGSQL.${port}`) };
    pairs.add(pair);
    if (!isSilent) join(pair);
    // The end of one is the end of both, unless the network is silent.
    for (const [one, other] of [
      [pair.client, pair.server],
      [pair.server, pair.client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => {
        if (!isSilent && !old.has(pair)) other.destroy();
      });
    }
  };
  const proxy = createServer({ allowHalfOpen: true }, open);
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');

  return {
    url: `postgresql://${user}@127.0.0.1:${(proxy.address() as AddressInfo).port}/${database}`,
    silence() {
      isSilent = true;
      old = new Set(pairs);
      for (const pair of pairs) part(pair);
    },
    resume({ late }) {
      isSilent = false;
      for (const pair of pairs) if (late || !old.has(pair)) join(pair);
      if (late) old = new Set();
    },
    async close() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

function join({ client, server }: Pair): void {
  client.pipe(server);
  server.pipe(client);
}

/** Stops forwarding; data stays buffered. */
function part({ client, server }: Pair): void {
  client.unpipe(server).pause();
  server.unpipe(client).pause();
}
