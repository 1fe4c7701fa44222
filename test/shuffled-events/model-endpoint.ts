// The model of these tests behind the wire of Chat Completions.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { chat } from '../../packages/local-github/src/model/wires/chat.ts';
import type { WireRequest } from '../../packages/local-github/src/model/wires/wire.ts';
import { SELF_REVIEW_INSTRUCTIONS } from '../../src/agent/prompts/separate-requests.ts';
import type { Message } from '../../src/contracts/model.ts';
import { nextCalls } from './colleague.ts';
import type { Randomness } from './randomness.ts';

/** What a real model takes much longer for. Events arrive in the meantime. */
const LONGEST_THOUGHT_MS = 700;

type Said = { readonly text: string; readonly calls: ReturnType<typeof nextCalls> };

export class ModelEndpoint {
  readonly #server: http.Server;
  readonly #randoms = new Map<string, Randomness>();
  /** The last request of each conversation. */
  readonly #conversations = new Map<string, readonly Message[]>();
  readonly #asked = new Map<string, () => void>();
  replies = 0;

  private constructor(server: http.Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      this.#answer(request).then(
        (body) => response.writeHead(200, { 'content-type': chat.contentType }).end(body),
        (error: unknown) => response.writeHead(400).end(String(error)),
      );
    });
  }

  static async start(): Promise<ModelEndpoint> {
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ModelEndpoint(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The model works on issues with this title, too. */
  expect(title: string, random: Randomness): void {
    this.#randoms.set(title, random);
  }

  /** All that the model was told about the issue with this title, and its own replies. */
  conversation(title: string): readonly Message[] {
    return this.#conversations.get(title) ?? [];
  }

  /** Resolves when it is asked about the issue the next time, before it answers. */
  untilAsked(title: string): Promise<void> {
    return new Promise((resolve) => this.#asked.set(title, resolve));
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: http.IncomingMessage): Promise<string> {
    const asked = chat.parse(JSON.parse(await text(request)), request.url ?? '');
    return written(asked, await this.#say(asked));
  }

  async #say({ system, messages }: WireRequest): Promise<Said> {
    if (system === SELF_REVIEW_INSTRUCTIONS) return { text: 'nothing', calls: [] };
    const first = messages.find((message) => message.role === 'user')?.text ?? '';
    const title = [...this.#randoms.keys()].find((one) => first.includes(`> ${one}\n`));
    const random = this.#randoms.get(title ?? '');
    if (title === undefined || random === undefined) throw new Error(`unknown issue: ${first}`);
    this.replies += 1;
    this.#conversations.set(title, messages);
    this.#asked.get(title)?.();
    this.#asked.delete(title);
    await delay(random.below(LONGEST_THOUGHT_MS));
    return { text: 'Go on.', calls: nextCalls({ title, messages, dice: random.below(60) }) };
  }
}

function written(request: WireRequest, { text: said, calls }: Said): string {
  const id = randomUUID();
  const answer = {
    id,
    model: request.model,
    created: new Date(),
    reasoning: undefined,
    text: said,
    calls: calls.map(({ tool, arguments: args }, at) => ({
      id: `call_${id}_${at}`,
      tool,
      json: JSON.stringify(args),
    })),
    isCut: false,
    usage: { input: 1, cached: 0, output: 1, reasoning: 0 },
  };
  if (!request.streams) return JSON.stringify(chat.whole?.(answer));
  const { content, end } = chat.frames(answer, request);
  return [...content, ...end].join('');
}
