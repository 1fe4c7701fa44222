import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP answer as a fixture file holds it. */
export interface Fixture {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How an answer continues after its first half. */
export type Ending = 'whole' | 'ends early' | 'breaks off' | 'falls silent';

export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Byte for byte, as text. */
  readonly body: string;
}

const HEADER = /^# .*not captured live.*\n/;
const HEAD = /^HTTP (\d{3})\n((?:[a-z0-9-]+: .*\n)*)\n/;
/** Small, so that characters and events are torn apart on their way. */
const PIECE_BYTES = 61;

/**
 * Reads `test/fixtures/models/<folder>/<name>.txt`: a line of comment that says what the fixture was
 * written from and that it was not captured live, `HTTP <status>`, headers in lower case, an empty
 * line, and the body verbatim.
 */
export function readFixture(folder: string, name: string): Fixture {
  const path = `test/fixtures/models/${folder}/${name}.txt`;
  const text = readFileSync(path, 'utf8');
  if (!HEADER.test(text)) throw new Error(`${path} does not say what it was written from`);
  const answer = text.replace(HEADER, '');
  const head = HEAD.exec(answer);
  if (head === null) throw new Error(`${path} does not begin with an HTTP status and headers`);
  const [whole, status, lines = ''] = head;
  const headers = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(/: (.*)/, 2) as [string, string]);
  return {
    status: Number(status),
    headers: Object.fromEntries(headers),
    body: answer.slice(whole.length),
  };
}

/** What is asked about a model when it is opened. */
const LOOK_UPS = ['/models', '/props', '/api/show'];

/** A model server that answers with fixtures, in the order they were put in, and lists no models. */
export class FixtureServer {
  readonly requests: SeenRequest[] = [];
  readonly #answers: { readonly fixture: Fixture; readonly ending: Ending }[] = [];
  readonly #server: Server;
  #heard = Promise.withResolvers<void>();

  constructor() {
    this.#server = createServer((request, response) => {
      if (LOOK_UPS.some((path) => request.url?.endsWith(path))) {
        response.writeHead(404).end();
        return;
      }
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { url = '', headers } = request;
        this.requests.push({ path: url, headers, body: Buffer.concat(parts).toString() });
        this.#answer(response);
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** `http://127.0.0.1:PORT`, with no slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.requests.length = 0;
    this.#answers.length = 0;
    this.#heard = Promise.withResolvers();
  }

  willAnswer(fixture: Fixture, ending: Ending = 'whole'): void {
    this.#answers.push({ fixture, ending });
  }

  /** Resolves when the first half of a silent answer has been sent. */
  untilSilent(): Promise<void> {
    return this.#heard.promise;
  }

  #answer(response: ServerResponse): void {
    const next = this.#answers.shift();
    if (next === undefined) {
      response.writeHead(418).end('no answer was put in');
      return;
    }
    const { fixture, ending } = next;
    response.writeHead(fixture.status, fixture.headers);
    const bytes = Buffer.from(ending === 'whole' ? fixture.body : firstHalf(fixture.body));
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      response.write(bytes.subarray(at, at + PIECE_BYTES));
    if (ending === 'whole' || ending === 'ends early') response.end();
    else
      response.write('', () => {
        if (ending === 'breaks off') response.destroy();
        else this.#heard.resolve();
      });
  }
}

/** Whole events: those that server-sent events part by an empty line, or else lines. */
function firstHalf(body: string): string {
  const parting = body.includes('\n\n') ? '\n\n' : '\n';
  const events = body.split(parting).filter(Boolean);
  const half = events.slice(0, Math.ceil(events.length / 2));
  return half.map((event) => event + parting).join('');
}
