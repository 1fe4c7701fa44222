// Stands between GitHub and the service: keeps webhooks back, and brings them in another order.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Letter {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly issue: number;
}

/** What is drawn by lot; equal for the same seed. */
export interface Lot {
  /** From 0 to below `below`. */
  below(below: number): number;
}

export class Postman {
  readonly #server: http.Server;
  readonly #service: string;
  readonly #held: Letter[] = [];
  readonly #statuses: number[] = [];

  private constructor(server: http.Server, service: string) {
    this.#server = server;
    this.#service = service;
    server.on('request', (request, response) => {
      void this.#hold(request).then(() => response.writeHead(202).end());
    });
  }

  /** `service`: where webhooks go in the end. */
  static async start(service: string): Promise<Postman> {
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Postman(server, service);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** HTTP statuses of everything that was brought so far. */
  get statuses(): readonly number[] {
    return this.#statuses;
  }

  /** Whether something with these words is held for the issue. */
  holds(issue: number, words: string): boolean {
    return this.#held.some((letter) => letter.issue === issue && letter.body.includes(words));
  }

  /** Brings all that is held for the issue: in any order, some at once, some twice. */
  async bring(issue: number, lot: Lot): Promise<void> {
    const letters = this.#take(issue).flatMap((letter) => copiesOf(letter, lot));
    while (letters.length > 0) {
      const together = Array.from({ length: 1 + lot.below(3) }, () =>
        letters.splice(lot.below(letters.length), 1),
      );
      await Promise.all(together.flat().map((letter) => this.#bring(letter)));
    }
  }

  /** Brings what is held for the issue as it came. */
  async bringInOrder(issue: number): Promise<void> {
    for (const letter of this.#take(issue)) await this.#bring(letter);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #take(issue: number): Letter[] {
    const mine = this.#held.filter((letter) => letter.issue === issue);
    for (const letter of mine) this.#held.splice(this.#held.indexOf(letter), 1);
    return mine;
  }

  async #hold(request: http.IncomingMessage): Promise<void> {
    const body = await buffer(request);
    this.#held.push({ headers: request.headers, body, issue: issueOf(body) });
  }

  async #bring({ headers, body }: Letter): Promise<void> {
    const request = http.request(this.#service, { method: 'POST', headers, agent: false });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    this.#statuses.push(response.statusCode ?? 0);
  }
}

/** One that came twice has the same id, or another one, as a second hook on the repository would give it. */
function copiesOf(letter: Letter, lot: Lot): Letter[] {
  const other = { ...letter, headers: { ...letter.headers, 'x-github-delivery': randomUUID() } };
  return [[letter], [letter, letter], [letter, other], [letter, other, letter]][lot.below(4)] ?? [];
}

interface Payload {
  readonly issue?: { readonly number: number };
  readonly pull_request?: { readonly head: { readonly ref: string } };
}

/** The issue that it is about; a pull request tells it by the name of its branch. */
function issueOf(body: Buffer): number {
  const { issue, pull_request: pull } = JSON.parse(body.toString()) as Payload;
  return issue?.number ?? Number(/issue-(\d+)/.exec(pull?.head.ref ?? '')?.[1]);
}
