// Connections whose other end is gone without a word.
import { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from 'pino';

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
export const socketOptions = (silence: SilenceLimit | undefined): SocketOptions => ({
  onConnect: watchClient,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  ...(silence === undefined ? {} : { stream: silence.openSocket }),
});
