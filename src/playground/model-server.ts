// A model that follows a script, behind the wire format that OpenAI-compatible servers speak.
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import Fastify from 'fastify';
import type { Logger } from 'pino';
import type { Usage } from './chat-wire.ts';
import { ChatRequest, completion, errorPayload, events, plainText } from './chat-wire.ts';
import type { ParsedScript, ScriptTurn } from './script.ts';
import { Script, findTurn, textOf } from './script.ts';

export interface ModelServer {
  /** `http://127.0.0.1:PORT`; the API is below `/v1`. */
  readonly url: string;
  /** The requests as they came, oldest first. */
  readonly requests: readonly ChatRequest[];
  /** Resolves when so many requests have come; the last of them may not be answered yet. */
  untilAsked(times: number): Promise<void>;
  close(): Promise<void>;
}

export interface ModelServerOptions {
  readonly scripts: readonly Script[];
  readonly log?: Logger;
  /** 0, a free one, when left out. */
  readonly port?: number;
}

const BODY_LIMIT = 64 * 1024 * 1024;
const BYTES_PER_TOKEN = 4;

/** Throws a ZodError when a script breaks the format. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const server = Fastify({ bodyLimit: BODY_LIMIT, forceCloseConnections: true });
  const scripts = options.scripts.map((script) => Script.parse(script));
  const model = new ScriptedModel(scripts, options.log);
  requireKey(server);
  server.post('/v1/chat/completions', (request, reply) => model.answer(request.body, reply));
  server.get('/v1/models', () => ({
    object: 'list',
    data: [{ id: 'scripted', object: 'model', created: 0, owned_by: 'playground' }],
  }));
  server.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) =>
    reply.code(error.statusCode ?? 500).send(errorPayload(error.message, 'invalid_request_error')),
  );
  server.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .send(errorPayload(`Unknown request URL: ${request.url}`, 'invalid_request_error')),
  );
  const url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  return {
    url,
    requests: model.requests,
    untilAsked: (times) => model.untilAsked(times),
    close: async () => {
      model.close();
      await server.close();
    },
  };
}

function requireKey(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    if (/^Bearer \S+$/.test(request.headers.authorization ?? '')) return undefined;
    const message = "You didn't provide an API key: send one as `Authorization: Bearer KEY`.";
    return reply.code(401).send(errorPayload(message, 'invalid_request_error', 'invalid_api_key'));
  });
}

class ScriptedModel {
  readonly requests: ChatRequest[] = [];
  readonly #scripts: readonly ParsedScript[];
  readonly #log: Logger | undefined;
  readonly #closing = new AbortController();
  /** How often a turn's trouble has happened, by conversation and turn. */
  readonly #troubles = new Map<string, number>();
  /** The bytes of the last request, by cache key. */
  readonly #prompts = new Map<string, string>();
  #waiting: { readonly times: number; readonly resolve: () => void }[] = [];

  constructor(scripts: readonly ParsedScript[], log: Logger | undefined) {
    this.#scripts = scripts;
    this.#log = log;
  }

  close(): void {
    this.#closing.abort();
  }

  untilAsked(times: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ times, resolve });
      this.#tellWaiting();
    });
  }

  #tellWaiting(): void {
    const due = this.#waiting.filter(({ times }) => times <= this.requests.length);
    this.#waiting = this.#waiting.filter((one) => !due.includes(one));
    for (const { resolve } of due) resolve();
  }

  async answer(body: unknown, reply: FastifyReply): Promise<FastifyReply> {
    const request = ChatRequest.parse(body);
    this.requests.push(request);
    this.#tellWaiting();
    const messages = request.messages.map(({ role, content }) => ({
      role,
      text: plainText(content),
    }));
    const found = findTurn(this.#scripts, messages);
    if ('refusal' in found) {
      this.#log?.warn({ refusal: found.refusal }, 'the scripted model has no answer');
      return reply.code(400).send(errorPayload(found.refusal, 'invalid_request_error'));
    }
    const { turn, index } = found;
    if (turn.delay_ms !== undefined)
      await delay(turn.delay_ms, undefined, { signal: this.#closing.signal });
    const first = messages.find(({ role }) => role === 'user')?.text ?? '';
    const inTrouble = this.#takeTrouble(turn, `${digest(first)} ${index}`);
    if (inTrouble && turn.status !== undefined)
      return reply.code(turn.status).send(errorPayload('The script refuses.', 'server_error'));
    return this.#speak(request, reply, turn, inTrouble, first);
  }

  #speak(
    request: ChatRequest,
    reply: FastifyReply,
    turn: ScriptTurn,
    inTrouble: boolean,
    first: string,
  ): FastifyReply {
    const isCut = inTrouble && turn.cut === true;
    const whole = textOf(turn);
    const text = isCut ? whole.slice(0, Math.ceil(whole.length / 2)) : whole;
    const answer = {
      id: `chatcmpl-${randomUUID()}`,
      model: request.model,
      created: Math.floor(Date.now() / 1000),
      text,
      finish: isCut ? ('length' as const) : ('stop' as const),
      usage: this.#usage(request, text, first),
    };
    if (request.stream !== true) return reply.send(completion(answer));
    const withUsage = request.stream_options?.include_usage === true;
    const dies = inTrouble && turn.die === true;
    const stream = Readable.from(events(answer, { withUsage, dies }));
    return reply.type('text/event-stream').header('cache-control', 'no-cache').send(stream);
  }

  #takeTrouble(turn: ScriptTurn, key: string): boolean {
    if (turn.status === undefined && turn.cut !== true && turn.die !== true) return false;
    const happened = this.#troubles.get(key) ?? 0;
    this.#troubles.set(key, happened + 1);
    return happened < turn.times;
  }

  #usage(request: ChatRequest, text: string, first: string): Usage {
    const prompt = JSON.stringify(request.messages);
    const key = request.prompt_cache_key ?? first;
    const cached = commonPrefix(this.#prompts.get(key) ?? '', prompt);
    this.#prompts.set(key, prompt);
    return {
      input: Math.ceil(Buffer.byteLength(prompt) / BYTES_PER_TOKEN),
      cached: Math.floor(Buffer.byteLength(cached) / BYTES_PER_TOKEN),
      output: Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN),
    };
  }
}

function commonPrefix(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return other.slice(0, length);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
