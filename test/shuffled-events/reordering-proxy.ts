// A proxy between GitHub and the service: it holds webhooks and delivers them in another order.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Webhook {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly issue: number;
}

/** Random numbers that are the same for the same seed. */
export interface Randomness {
  /** An integer from 0 up to, but not including, `below`. */
  below(below: number): number;
}

export class ReorderingProxy {
  readonly #server: http.Server;
  readonly #service: string;
  readonly #held: Webhook[] = [];
  readonly #statuses: number[] = [];

  private constructor(server: http.Server, service: string) {
    this.#server = server;
    this.#service = service;
    server.on('request', (request, response) => {
      void this.#hold(request).then(() => response.writeHead(202).end());
    });
  }

  /** `service`: the URL that webhooks are forwarded to. */
  static async start(service: string): Promise<ReorderingProxy> {
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ReorderingProxy(server, service);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** HTTP statuses of everything delivered so far. */
  get statuses(): readonly number[] {
    return this.#statuses;
  }

  /** Whether a webhook that contains `words` is held for the issue. */
  holds(issue: number, words: string): boolean {
    return this.#held.some((webhook) => webhook.issue === issue && webhook.body.includes(words));
  }

  /** Delivers all webhooks held for the issue: in any order, some at once, some twice. */
  async deliver(issue: number, random: Randomness): Promise<void> {
    const webhooks = this.#take(issue).flatMap((webhook) => copiesOf(webhook, random));
    while (webhooks.length > 0) {
      const together = Array.from({ length: 1 + random.below(3) }, () =>
        webhooks.splice(random.below(webhooks.length), 1),
      );
      await Promise.all(together.flat().map((webhook) => this.#deliver(webhook)));
    }
  }

  /** Delivers the webhooks held for the issue in the order they came. */
  async deliverInOrder(issue: number): Promise<void> {
    for (const webhook of this.#take(issue)) await this.#deliver(webhook);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #take(issue: number): Webhook[] {
    const mine = this.#held.filter((webhook) => webhook.issue === issue);
    for (const webhook of mine) this.#held.splice(this.#held.indexOf(webhook), 1);
    return mine;
  }

  async #hold(request: http.IncomingMessage): Promise<void> {
    const body = await buffer(request);
    this.#held.push({ headers: request.headers, body, issue: issueOf(body) });
  }

  async #deliver({ headers, body }: Webhook): Promise<void> {
    const request = http.request(this.#service, { method: 'POST', headers, agent: false });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    this.#statuses.push(response.statusCode ?? 0);
  }
}

/** A duplicate has the same delivery ID, or a new one, as from a second webhook on the repository. */
function copiesOf(webhook: Webhook, random: Randomness): Webhook[] {
  const other = { ...webhook, headers: { ...webhook.headers, 'x-github-delivery': randomUUID() } };
  return (
    [[webhook], [webhook, webhook], [webhook, other], [webhook, other, webhook]][random.below(4)] ??
    []
  );
}

interface Payload {
  readonly issue?: { readonly number: number };
  readonly pull_request?: { readonly head: { readonly ref: string } };
}

/** The number of the issue; for a pull request it is read from the name of its branch. */
function issueOf(body: Buffer): number {
  const { issue, pull_request: pull } = JSON.parse(body.toString()) as Payload;
  return issue?.number ?? Number(/issue-(\d+)/.exec(pull?.head.ref ?? '')?.[1]);
}
