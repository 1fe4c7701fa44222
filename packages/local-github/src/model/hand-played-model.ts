// A model whose replies a person writes by hand: each request becomes a file, and the reply is read from another one.
// `issuewright play` shows and answers them.
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { countedTokens, partsOf, PrefixCount } from './token-count.ts';
import { readRequest, type Outcome, type PlayedModel } from './played-model.ts';
import type { Answer, Wire, WireRequest } from './wires/wire.ts';

const Request = z.object({
  number: z.int(),
  wire: z.string(),
  model: z.string(),
  system: z.string(),
  tools: z.array(z.unknown()),
  messages: z.array(z.unknown()),
  /** Tokens. */
  input: z.number(),
  cached: z.number(),
});
export type HandPlayedRequest = z.output<typeof Request>;

export const HandPlayedReply = z.strictObject({
  text: z.string().default(''),
  calls: z
    .array(z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }))
    .default([]),
});
export type HandPlayedReply = z.output<typeof HandPlayedReply>;

type ReplySize = Pick<Exchange, 'output' | 'calls'>;

/** What came of a request. */
export interface Exchange {
  readonly number: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly calls: number;
  /** On the clock of `performance`; `undefined` until it ended. */
  readonly arrived: number;
  readonly ended: number | undefined;
}

const POLL_MS = 100;

/** The files of requests and replies in a directory. */
export class HandPlayedFiles {
  readonly #directory: string;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    this.#directory = directory;
  }

  /** In the order in which they came. */
  get numbers(): number[] {
    return readdirSync(this.#directory)
      .flatMap((name) => /^request-(\d+)\.json$/.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((one, other) => one - other);
  }

  /** The oldest request that waits for its reply. */
  get open(): number | undefined {
    return this.numbers.find((number) => !this.#has('reply', number) && !this.#has('gone', number));
  }

  request(number: number): HandPlayedRequest {
    return Request.parse(this.#read('request', number));
  }

  reply(number: number): HandPlayedReply | undefined {
    return this.#has('reply', number)
      ? HandPlayedReply.parse(this.#read('reply', number))
      : undefined;
  }

  writeRequest(request: HandPlayedRequest): void {
    this.#write('request', request.number, request);
  }

  writeReply(number: number, reply: HandPlayedReply): void {
    this.#write('reply', number, reply);
  }

  /** Nobody waits for the reply any more. */
  writeGone(number: number): void {
    this.#write('gone', number, {});
  }

  #path(kind: 'request' | 'reply' | 'gone', number: number): string {
    return path.join(this.#directory, `${kind}-${number}.json`);
  }

  #has(kind: 'reply' | 'gone', number: number): boolean {
    return existsSync(this.#path(kind, number));
  }

  #read(kind: 'request' | 'reply', number: number): unknown {
    return JSON.parse(readFileSync(this.#path(kind, number), 'utf8'));
  }

  /** A reader never sees half of it. */
  #write(kind: 'request' | 'reply' | 'gone', number: number, content: object): void {
    const own = `${this.#path(kind, number)}.new`;
    writeFileSync(own, JSON.stringify(content, null, 1));
    renameSync(own, this.#path(kind, number));
  }
}

export class HandPlayedModel implements PlayedModel {
  readonly #files: HandPlayedFiles;
  #count = new PrefixCount();
  readonly #closing = new AbortController();
  readonly #exchanges: Exchange[] = [];
  #last: number;

  constructor(directory: string) {
    this.#files = new HandPlayedFiles(directory);
    for (const number of this.#files.numbers)
      if (this.#files.reply(number) === undefined) this.#files.writeGone(number);
    this.#last = this.#files.numbers.at(-1) ?? 0;
  }

  /** Of this process, oldest first. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** Requests from here on find nothing in the cache that came before. */
  emptyCache(): void {
    this.#count = new PrefixCount();
  }

  close(): void {
    this.#closing.abort();
  }

  async answer(wire: Wire, where: string, body: string, closed: AbortSignal): Promise<Outcome> {
    const request = readRequest(wire, where, body);
    if ('status' in request) return { problem: request };
    const { model, system, messages, prompt } = request;
    const number = (this.#last += 1);
    const counted = this.#count.count(partsOf(request));
    const tools = Array.isArray(prompt[0]) ? prompt[0] : [];
    const at = { number, wire: wire.name, model, system, tools, messages: [...messages] };
    this.#files.writeRequest({ ...at, ...counted });
    const index = this.#exchanges.length;
    const exchange = { number, ...counted, arrived: performance.now() };
    this.#exchanges.push({ ...exchange, output: 0, calls: 0, ended: undefined });
    const end = (facts: ReplySize): void => {
      this.#exchanges[index] = { ...exchange, ...facts, ended: performance.now() };
    };
    return { request, answer: this.#reply(request, number, counted, closed, end), dies: false };
  }

  async #reply(
    request: WireRequest,
    number: number,
    counted: { readonly input: number; readonly cached: number },
    closed: AbortSignal,
    end: (facts: ReplySize) => void,
  ): Promise<Answer> {
    const signal = AbortSignal.any([closed, this.#closing.signal]);
    let reply: HandPlayedReply | undefined;
    try {
      while ((reply = this.#files.reply(number)) === undefined)
        await delay(POLL_MS, undefined, { signal });
    } catch (error) {
      this.#files.writeGone(number);
      end({ output: 0, calls: 0 });
      throw error;
    }
    const { text } = reply;
    const calls = reply.calls.map(({ tool, arguments: args }) => ({
      id: `call_${randomUUID().replaceAll('-', '')}`,
      tool,
      json: JSON.stringify(args),
    }));
    const output = countedTokens(
      [text, ...calls.map(({ tool, json }) => `${tool} ${json}`)].join('\n'),
    );
    end({ output, calls: calls.length });
    return {
      id: randomUUID(),
      model: request.model,
      created: new Date(),
      reasoning: undefined,
      text,
      calls,
      isCut: false,
      usage: { ...counted, output, reasoning: 0 },
    };
  }
}
