// A server that behaves like those of some families, and answers as a played model says.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlayedModel } from '../../packages/local-github/src/model/played-model.ts';
import type { Family, Fields, Rejection } from './family-shapes.ts';

/** What goes wrong besides. */
export interface FamilyTrouble {
  /** A longer request is rejected, in the words of the family. */
  readonly mostCharacters?: number;
  /** No reply says how many tokens it took. */
  readonly isUncounted?: boolean;
  /** What is said of a request before the family looks at it. */
  readonly rejects?: (body: Fields, family: Family) => Rejection | undefined;
}

export interface FamilyRequest {
  readonly family: string;
  readonly body: Fields;
  /** Whether it was answered. */
  isAnswered: boolean;
}

const PATHS = new Map([
  ['chat', /\/chat\/completions$/],
  ['responses', /\/responses$/],
  ['messages', /\/v1\/messages$/],
  ['gemini', /:streamGenerateContent/],
  ['ollama', /\/api\/chat$/],
]);
const CHARACTERS_A_TOKEN = 4;

export class FamilyServer {
  readonly requests: FamilyRequest[] = [];
  readonly #families: readonly Family[];
  readonly #model: PlayedModel;
  readonly #trouble: FamilyTrouble;
  readonly #server: Server;

  private constructor(families: readonly Family[], model: PlayedModel, trouble: FamilyTrouble) {
    this.#families = families;
    this.#model = model;
    this.#trouble = trouble;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.writeHead(500, JSON_TYPE);
        response.end(JSON.stringify({ error: { message: String(error) } }));
      });
    });
  }

  static async open(
    families: readonly Family[],
    model: PlayedModel,
    trouble: FamilyTrouble = {},
  ): Promise<FamilyServer> {
    const own = new FamilyServer(families, model, trouble);
    await new Promise<void>((resolve) => own.#server.listen(0, '127.0.0.1', resolve));
    return own;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#model.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    if (method === 'GET') {
      const data = this.#families.map(({ model, listed }) => ({ id: nameOf(model), ...listed }));
      response.writeHead(url === '/v1/models' ? 200 : 404, JSON_TYPE);
      response.end(JSON.stringify({ object: 'list', data }));
      return;
    }
    const text = await textOf(request);
    const body = JSON.parse(text) as Fields;
    const family = this.#families.find(
      ({ wire, model }) =>
        PATHS.get(wire.name)?.test(url.replace(/\?.*/, '')) === true &&
        (body['model'] ?? url).includes(nameOf(model)),
    );
    if (family === undefined) {
      response
        .writeHead(404, JSON_TYPE)
        .end(JSON.stringify({ error: { message: 'no such model' } }));
      return;
    }
    const seen = { family: family.name, body, isAnswered: false };
    this.requests.push(seen);
    const rejection = this.#rejection(family, body, text) ?? family.rejects?.(body);
    if (rejection !== undefined) return send(response, family, rejection);
    const read = family.reads === undefined ? text : JSON.stringify(family.reads(body));
    const outcome = await this.#model.answer(family.wire, url, read, new AbortController().signal);
    if ('problem' in outcome) return send(response, family, outcome.problem);
    seen.isAnswered = true;
    const { content, end } = family.wire.frames(await outcome.answer, outcome.request);
    const frames = [...content, ...end];
    const sent = family.sends?.(frames) ?? frames;
    response.writeHead(200, { 'content-type': family.wire.contentType });
    for (const frame of sent)
      response.write(this.#trouble.isUncounted === true ? uncounted(frame) : frame);
    response.end();
  }

  #rejection(family: Family, body: Fields, text: string): Rejection | undefined {
    const { wire, tooLong } = family;
    const { mostCharacters = Infinity, rejects } = this.#trouble;
    if (text.length <= mostCharacters) return rejects?.(body, family);
    const [tokens, limit] = [text.length, mostCharacters].map((count) =>
      Math.ceil(count / CHARACTERS_A_TOKEN),
    );
    if (tooLong !== undefined) return tooLong(tokens ?? 0, limit ?? 0);
    return wire.errors.tooLong(tokens ?? 0, limit ?? 0);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

const nameOf = (model: string): string => model.replace(/^\w+:/, '');

function send(response: ServerResponse, { wire }: Family, rejection: Rejection): void {
  const body = 'body' in rejection ? rejection.body : wire.errorBody(rejection);
  response.writeHead(rejection.status, JSON_TYPE).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

const COUNTS = new Set(['usage', 'usageMetadata', 'prompt_eval_count', 'eval_count']);

/** An event without what it says of tokens. */
const uncounted = (frame: string): string =>
  frame.replace(/\{.*\}/s, (json) =>
    JSON.stringify(JSON.parse(json), (name, value: unknown) =>
      COUNTS.has(name) ? undefined : value,
    ),
  );
