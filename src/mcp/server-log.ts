import type { Logger } from 'pino';
import { plainLine, type Redact } from './plain-line.ts';

const MAX_LINE = 500;
/** Of a line that has not ended yet. */
const MAX_REST = 4_000;
const MAX_LINES = 50;

/** What a server writes to its error output, in the log: the first lines, each bounded. */
export class ServerLog {
  readonly #server: string;
  readonly #log: Logger;
  readonly #redact: Redact;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #lines = 0;

  constructor(server: string, log: Logger, redact: Redact) {
    this.#server = server;
    this.#log = log;
    this.#redact = redact;
  }

  hear(chunk: Uint8Array): void {
    if (this.#lines > MAX_LINES) return;
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, MAX_REST);
    for (const line of lines) this.#write(line);
  }

  #write(line: string): void {
    const text = plainLine(line, MAX_LINE, this.#redact);
    if (text === '' || this.#lines > MAX_LINES) return;
    this.#lines += 1;
    const server = this.#server;
    if (this.#lines > MAX_LINES)
      this.#log.info({ server }, 'more output of an MCP server is not logged');
    else this.#log.info({ server, text }, 'an MCP server wrote');
  }
}
