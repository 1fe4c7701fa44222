// Checks what passes between a local GitHub and its clients against GitHub's own descriptions: requests and answers
// of the REST API, webhooks, and GraphQL documents. Closing the local GitHub fails if something differs.
import type { Exchange, Observer } from '../../../packages/local-github/src/github/observer.ts';
import { isListed, UNDESCRIBED } from './differences.ts';
import { GraphqlDocuments } from './graphql-documents.ts';
import { objectOf, type Json } from './json.ts';
import { Operations } from './operations.ts';
import type { Fault } from './schema-file.ts';
import { newTally, writeTally, type Tally } from './tally.ts';
import { WebhookSchemas } from './webhooks.ts';

const MOST_SHOWN = 30;
/** More are checked at once: long runs would fill the memory. */
const MOST_PENDING = 1000;

/** Made when they are first needed, and kept for all tests of the process. */
let operations: Operations | undefined;
let webhooks: WebhookSchemas | undefined;
let documents: GraphqlDocuments | undefined;

interface CheckOptions {
  /** Whether requests that the local GitHub refuses are wrong on purpose. */
  readonly mayBeRefused: () => boolean;
}

export class SchemaCheck implements Observer {
  readonly #mayBeRefused: () => boolean;
  readonly #tally = newTally();
  readonly #pending: (() => void)[] = [];
  #isClosed = false;
  readonly #differences = new Map<string, number>();

  constructor({ mayBeRefused }: CheckOptions) {
    this.#mayBeRefused = mayBeRefused;
  }

  answered({ method, route, params, query, body, status, answer }: Exchange): void {
    const text = JSON.stringify({ method, route, params, query, body, status, answer });
    this.#later(() => {
      const exchange = JSON.parse(text) as Exchange;
      if (route === '/graphql') this.#checkDocument(exchange);
      else this.#checkExchange(exchange);
    });
  }

  sent(event: string, payload: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify(payload);
    this.#later(() => this.#checkWebhook(event, JSON.parse(text)));
  }

  /** A story goes on as it would without a check: compiling schemas takes most of a second. */
  #later(check: () => void): void {
    this.#pending.push(check);
    if (this.#pending.length >= MOST_PENDING) this.#checkPending();
  }

  #checkPending(): void {
    for (const check of this.#pending.splice(0)) check();
  }

  #checkExchange(exchange: Exchange): void {
    const { method, route, status } = exchange;
    operations ??= new Operations();
    const operation = operations.find(method, route);
    if (operation === undefined) return this.#undescribed(`${method} ${route}`);
    count(this.#tally.operations, operation.id);
    const isForgiven = status >= 400 && this.#mayBeRefused();
    for (const fault of operations.faults(operation, exchange))
      if (!isForgiven || fault.part === 'answer')
        this.#note(`${operation.id}, ${fault.part}`, fault);
  }

  #checkWebhook(event: string, payload: Json): void {
    webhooks ??= new WebhookSchemas();
    const name = webhooks.nameOf(event, payload['action']);
    const faults = webhooks.faults(name, payload);
    if (faults === undefined) return this.#undescribed(`webhook ${name}`);
    count(this.#tally.webhooks, name);
    for (const fault of faults) this.#note(`webhook ${name}`, fault);
  }

  /** How often each was compared so far. */
  get tally(): Tally {
    this.#checkPending();
    return this.#tally;
  }

  /** What differs from GitHub's descriptions, with how often it did. */
  get differences(): readonly string[] {
    this.#checkPending();
    return [...this.#differences].map(([text, times]) => `${text} (${times} ×)`);
  }

  /** Of a local GitHub that was closed, `close` has failed already. */
  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    writeTally(this.tally);
    const { differences } = this;
    if (differences.length === 0) return;
    const shown = differences.slice(0, MOST_SHOWN).map((one) => `  ${one}`);
    throw new Error(
      `GitHub's descriptions differ from what passed in ${differences.length} places:\n${shown.join('\n')}`,
    );
  }

  #checkDocument({ body, answer }: Exchange): void {
    documents ??= new GraphqlDocuments();
    if (objectOf(answer)['data'] === undefined && this.#mayBeRefused()) return;
    const { name, faults } = documents.check(body);
    count(this.#tally.documents, name);
    for (const fault of faults) this.#note(`GraphQL ${name}`, fault);
  }

  #undescribed(name: string): void {
    count(this.#tally.undescribed, name);
    if (!UNDESCRIBED.has(name))
      this.#note(name, { path: '', wanted: 'a description of GitHub', found: 'nothing' });
  }

  #note(place: string, fault: Fault): void {
    if (isListed(place, fault)) return;
    const { path, wanted, found } = fault;
    const rule = `${place}${path.startsWith(':') ? '' : ': '}${path || '/'} is to be ${wanted}`;
    // One line for each rule, with the first that broke it.
    const known = [...this.#differences.keys()].find((one) => one.startsWith(`${rule}, was `));
    const text = known ?? `${rule}, was ${found}`;
    this.#differences.set(text, (this.#differences.get(text) ?? 0) + 1);
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
