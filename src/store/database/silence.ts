// Connections whose other end is gone without a word.
import pg from 'pg';
import { Socket } from 'node:net';
import type { Logger } from 'pino';
import { codeOf } from '../../lib/errors.ts';
import { reasonOf, shownHost } from '../../lib/reason.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

/** Longer than a client that froze can keep others waiting for its lock (`IDLE_IN_TRANSACTION_MS`). */
const SILENCE_MS = 40_000;
/** The kernel then asks the other end, and ends the connection 10 s later if its host does not answer. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Ends connections on which no byte came or went for too long. If the host of the database vanishes, or a network or a
 * proxy drops a connection without a reset, a statement would otherwise wait for many minutes or for ever. It fails as
 * "Connection terminated unexpectedly". Connections that are not used are closed long before that.
 */
export class SilenceLimit {
  readonly #log: Logger;
  readonly #ms: number;
  #isOn = false;

  constructor(log: Logger, ms = SILENCE_MS) {
    this.#log = log;
    this.#ms = ms;
  }

  /** Before this there is no limit: a change of the tables may take minutes, and others wait for it. */
  begin(): void {
    this.#isOn = true;
  }

  /** For `pg`, which may put TLS on top: what comes and goes there counts. */
  readonly openSocket = (): Socket => {
    const socket = new Socket();
    socket.setTimeout(this.#ms).on('timeout', () => {
      if (!this.#isOn) return;
      this.#log.warn({ seconds: this.#ms / 1000 }, 'ended a silent database connection');
      // Without an error: under TLS, `pg` would report it twice, and pg-boss hears the first only.
      socket.destroy();
    });
    return socket;
  };
}

/**
 * Has the server look now and then whether its client is still there. Otherwise a statement that waits for a lock does so
 * after its connection was ended too, and each further attempt takes one more of the server's connections. A server that
 * cannot do this is used as it is.
 */
async function watchClient(client: pg.ClientBase): Promise<void> {
  try {
    await client.query(`set client_connection_check_interval = '2s'`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
  }
}

type SocketOptions = Pick<pg.PoolConfig, 'keepAlive' | 'keepAliveInitialDelayMillis' | 'stream'> & {
  /** The pool waits for it. */
  readonly onConnect: (client: pg.ClientBase) => Promise<void>;
};

/** Options of all connections, for `pg` and pg-boss. */
export const socketOptions = (silence: SilenceLimit | undefined): SocketOptions =>
  withoutUndefined({
    onConnect: watchClient,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    stream: silence?.openSocket,
  });

/** Of a certificate that the address names: it does not come by waiting. A socket that is not there is not opened. */
export const isOfFile = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'syscall' in thrown && thrown.syscall === 'open';

/** Why the database of a URL could not be used, and what to check; without its secrets. */
export function unreachable(databaseUrl: string, thrown: unknown): string {
  const error = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  const { hostname = '', port = '' } = URL.parse(databaseUrl) ?? {};
  const host = shownHost(hostname);
  const where = host === undefined ? '' : ` at ${host}:${port || 5432}`;
  const reason = reasonOf(error);
  // A library's own words may repeat a part of the address.
  const parts = codeOf(error) === undefined ? databaseUrl.split(/[^\w.-]+/) : [];
  const isRepeated = parts.some((part) => part.length > 3 && reason.includes(part));
  if (isOfFile(error))
    return `Cannot open the database${where}: ${reason}. Check DATABASE_URL: \`sslrootcert\`, \`sslcert\` and \`sslkey\` must name files that the user of the service can read.`;
  return `Cannot open the database${where}: ${isRepeated ? 'the address is wrong' : reason}. Check DATABASE_URL (host, port, database, user and password), and that the server runs.`;
}
