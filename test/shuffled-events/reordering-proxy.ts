// A proxy between GitHub and the service: it holds webhooks, and delivers them late, in another order and twice.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { oneIn, type Randomness } from './randomness.ts';

interface Webhook {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The webhooks of one repository. */
interface Place {
  /** Without it, every webhook is delivered once and at once. */
  readonly random: Randomness | undefined;
  readonly held: Webhook[];
  readonly delivered: Webhook[];
  readonly underWay: Set<Promise<void>>;
}

export class ReorderingProxy {
  readonly #server: http.Server;
  readonly #service: string;
  readonly #places = new Map<string, Place>();
  readonly #statuses = new Map<number, number>();

  private constructor(server: http.Server, service: string) {
    this.#server = server;
    this.#service = service;
    server.on('request', (request, response) => {
      void this.#take(request).then(() => response.writeHead(202).end());
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

  /** How often the service answered with each HTTP status. */
  get statuses(): ReadonlyMap<number, number> {
    return this.#statuses;
  }

  /** From now on, this is how webhooks of the repository are delivered. */
  shuffle(repository: string, random: Randomness | undefined): void {
    this.#places.set(repository, { random, held: [], delivered: [], underWay: new Set() });
  }

  holdsAny(repository: string): boolean {
    const { held, underWay } = this.#place(repository);
    return held.length + underWay.size > 0;
  }

  /**
   * Delivers what is held for the repository: in any order, some at once, some twice. `all`: otherwise some are held
   * for longer.
   */
  async deliver(repository: string, { all }: { readonly all: boolean }): Promise<void> {
    const place = this.#place(repository);
    const { random, held, delivered } = place;
    if (random !== undefined) {
      const taken = held.splice(0).filter((one) => {
        const isKept = !all && oneIn(random, 3);
        if (isKept) held.push(one);
        return !isKept;
      });
      // One that was delivered long ago comes again.
      const late = all && delivered.length > 0 ? [delivered[random.below(delivered.length)]] : [];
      const webhooks = [...late, ...taken].flatMap((one) =>
        one === undefined ? [] : copiesOf(one, random),
      );
      while (webhooks.length > 0) {
        const together = Array.from({ length: 1 + random.below(3) }, () =>
          webhooks.splice(random.below(webhooks.length), 1),
        );
        await Promise.all(together.flat().map((webhook) => this.#deliver(place, webhook)));
      }
    }
    await Promise.all(place.underWay);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #place(repository: string): Place {
    const place = this.#places.get(repository);
    if (place === undefined) throw new Error(`${repository} has webhooks that nobody expects`);
    return place;
  }

  async #take(request: http.IncomingMessage): Promise<void> {
    const body = await buffer(request);
    const webhook = { headers: request.headers, body };
    const { repository } = JSON.parse(body.toString()) as { repository: { name: string } };
    const place = this.#place(repository.name);
    const { random, held } = place;
    if (random !== undefined && !oneIn(random, 3)) held.push(webhook);
    else if (random === undefined) await this.#deliver(place, webhook);
    else for (const copy of copiesOf(webhook, random)) void this.#deliver(place, copy);
  }

  #deliver(place: Place, webhook: Webhook): Promise<void> {
    place.delivered.push(webhook);
    const done = this.#post(webhook).finally(() => place.underWay.delete(done));
    place.underWay.add(done);
    return done;
  }

  async #post({ headers, body }: Webhook): Promise<void> {
    const request = http.request(this.#service, { method: 'POST', headers, agent: false });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    const status = response.statusCode ?? 0;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }
}

/** A duplicate has the same delivery ID, or a new one, as from a second webhook on the repository. */
function copiesOf(webhook: Webhook, random: Randomness): Webhook[] {
  const other = { ...webhook, headers: { ...webhook.headers, 'x-github-delivery': randomUUID() } };
  return (
    [
      [webhook],
      [webhook],
      [webhook],
      [webhook, webhook],
      [webhook, other],
      [other, webhook, other],
    ][random.below(6)] ?? []
  );
}
