import {
  deserializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Program } from '../contracts/shell.ts';
import { messageOf } from '../lib/errors.ts';

const MIB = 1024 * 1024;
const MAX_LINE = 8 * MIB;
/** That a server may write for one call. */
const MAX_OUTPUT = 16 * MIB;
/** That a server may leave unread. */
const MAX_UNREAD = 4 * MIB;
/** Lines that are no message. Some servers log to their output. */
const MAX_INVALID = 200;

const NEWLINE = 0x0a;

/** Speaks with a program: one message on each line. It ends a program that writes too much. */
export class ProgramTransport implements Transport {
  // With these two the client knows that it speaks with a program: silence and an early end mean an old one.
  readonly pid = null;
  readonly stderr = null;
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport['onmessage'];
  /** Why the program ended; `undefined` while it runs. */
  ended: string | undefined;
  readonly #start: (onOutput: (chunk: Uint8Array) => void) => Promise<Program>;
  #program: Program | undefined;
  #line: Uint8Array[] = [];
  #lineBytes = 0;
  #bytes = 0;
  #invalid = 0;
  #fault: string | undefined;
  #isClosed = false;

  constructor(start: (onOutput: (chunk: Uint8Array) => void) => Promise<Program>) {
    this.#start = start;
  }

  async start(): Promise<void> {
    const program = await this.#start((chunk) => this.#hear(chunk));
    this.#program = program;
    void program.ended.then((why) => {
      this.ended = this.#fault ?? why;
      this.onclose?.();
    });
    if (this.#isClosed) program.kill();
  }

  /** The next call may write as much as the last one. */
  beginCall(): void {
    this.#bytes = 0;
    this.#invalid = 0;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const program = this.#program;
    if (program === undefined || this.ended !== undefined)
      return Promise.reject(new Error(this.ended ?? 'it was not started'));
    program.write(`${JSON.stringify(message)}\n`);
    if (program.unread > MAX_UNREAD) this.#fail('it does not read what it is sent');
    return Promise.resolve();
  }

  /** A program that is still starting ends once it has. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#program?.kill();
    await this.#program?.ended;
  }

  #hear(chunk: Uint8Array): void {
    if (this.#fault !== undefined) return;
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_OUTPUT) {
      this.#fail(`it wrote more than ${MAX_OUTPUT / MIB} MiB for one call`);
      return;
    }
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      this.#readLine();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    if (this.#lineBytes > MAX_LINE)
      this.#fail(`it wrote a line of more than ${MAX_LINE / MIB} MiB`);
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#line.push(part);
    this.#lineBytes += part.length;
  }

  #readLine(): void {
    const line = Buffer.concat(this.#line).toString().trim();
    this.#line = [];
    this.#lineBytes = 0;
    if (line === '' || this.#fault !== undefined) return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      this.#invalid += 1;
      this.onerror?.(new Error(messageOf(error)));
      if (this.#invalid > MAX_INVALID) this.#fail('it wrote too many lines that are no message');
    }
  }

  #fail(why: string): void {
    this.#fault ??= why;
    this.#program?.kill();
  }
}
