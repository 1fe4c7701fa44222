import {
  Client,
  ProtocolError,
  StreamableHTTPClientTransport,
  type FetchLike,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { setTimeout as after } from 'node:timers/promises';
import type { Program } from '../contracts/shell.ts';
import { messageOf } from '../lib/errors.ts';
import type { CallQuestions } from './questions.ts';
import { isSchemaObject, plainLine, type Redact } from './made-safe.ts';
import { ProgramTransport } from './program-transport.ts';
import { listTools, type ListedTool } from './choose-server-tools.ts';
import { serverResultSchema, type ServerResult } from './server-result.ts';
import type { LocalServer, ServerSettings } from './settings.ts';
import { boundedResponse } from '../lib/bounded-response.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';

/** Starts a local server; `onOutput` gets what it writes. */
export type StartServer = (
  server: LocalServer,
  onOutput: (chunk: Uint8Array) => void,
) => Promise<Program>;

export interface ServerCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
  readonly questions: CallQuestions;
}

/** A server could not be reached, or was lost; the words follow its name. */
export class ServerLost extends Error {
  override readonly name = 'ServerLost';
}

/** Of the time to start: some old servers do not answer when they are asked for their version. */
const PROBE_SHARE = 1 / 3;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** A call waits as long for the next attempt, and fails if that is later. */
const PATIENCE_MS = 5_000;
const MAX_WORDS = 500;
const MAX_PROGRESS = 200;
const MAX_PROGRESS_LINES = 200;

const CLIENT = { name: 'issuewright', version: '1' };

/** One server during one run. It is connected when it is needed, and again after it was lost, with growing waits. */
export class ServerConnection {
  readonly settings: ServerSettings;
  readonly #start: StartServer;
  readonly #redact: Redact;
  /** The tools as the server described them last, by name; `undefined`: it was not asked. */
  #definitions: ReadonlyMap<string, Tool> | undefined;
  #client: Client | undefined;
  #transport: Transport | undefined;
  #questions: CallQuestions | undefined;
  #failures = 0;
  #notBefore = 0;
  /** It ended when it was asked for its version, as some old ones do. */
  #isOld = false;

  constructor(settings: ServerSettings, start: StartServer, redact: Redact) {
    this.settings = settings;
    this.#start = start;
    this.#redact = redact;
  }

  /** @throws {ServerLost} */
  async list(signal: AbortSignal): Promise<readonly ListedTool[]> {
    const deadline = this.#deadline();
    const client = await this.#connected(signal, deadline);
    try {
      return await this.#list(client, AbortSignal.any([signal, deadline]));
    } catch (error) {
      signal.throwIfAborted();
      throw await this.#lost(error, deadline);
    }
  }

  async #list(client: Client, signal: AbortSignal): Promise<readonly ListedTool[]> {
    const listed = await listTools(client, signal);
    this.#definitions = new Map(listed.map((tool) => [tool.name, definitionOf(tool)]));
    if (!this.#sendsHeaders(client)) return listed;
    return listed.map((tool) => ({ ...tool, fault: headerFault(tool.inputSchema) }));
  }

  /** Whether the server may have arguments repeated in headers. */
  #sendsHeaders(client: Client): boolean {
    return this.settings.kind === 'remote' && client.getProtocolEra() === 'modern';
  }

  /**
   * @throws {ServerLost} if nothing of it reached the server
   * @throws whatever the client throws after that
   */
  async call({ questions, ...call }: ServerCall): Promise<ServerResult> {
    const client = await this.#connected(call.signal);
    const signal = AbortSignal.any([call.signal, questions.signal]);
    // A run that was resumed knows its tools from the journal, which has no headers.
    if (this.#definitions === undefined && this.#sendsHeaders(client))
      await this.#list(client, signal).catch(() => {});
    if (this.#transport instanceof ProgramTransport) this.#transport.beginCall();
    this.#questions = questions;
    try {
      return await this.#callTool(client, { ...call, signal });
    } catch (error) {
      // Of headers that do not fit, the server says so before it begins: its tools have changed.
      if (!(error instanceof ProtocolError) || error.code !== HEADER_MISMATCH) throw error;
      await this.#list(client, signal);
      return await this.#callTool(client, { ...call, signal });
    } finally {
      this.#questions = undefined;
    }
  }

  #callTool(
    client: Client,
    { tool, args, signal, onProgress }: Omit<ServerCall, 'questions'>,
  ): Promise<ServerResult> {
    let lines = 0;
    const { timeoutMs } = this.settings;
    const definition = this.#definitions?.get(tool);
    return client.callTool(
      { name: tool, arguments: { ...args } },
      {
        signal,
        timeout: timeoutMs,
        maxTotalTimeout: timeoutMs,
        onprogress: ({ progress, total, message = '' }) => {
          lines += 1;
          const share = total === undefined ? String(progress) : `${progress} of ${total}`;
          if (lines <= MAX_PROGRESS_LINES)
            onProgress(`${plainLine(`${share} ${message}`, MAX_PROGRESS, this.#redact)}\n`);
        },
        ...withoutUndefined({ toolDefinition: definition }),
      },
    );
  }

  /** Why the server is gone, if it is; the next call connects again. */
  lostBecause(): string | undefined {
    const transport = this.#transport;
    return transport instanceof ProgramTransport ? transport.ended : undefined;
  }

  /** A call after that connects again. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.close().catch(() => {});
    await this.#transport?.close().catch(() => {});
  }

  #deadline(): AbortSignal {
    return AbortSignal.timeout(this.settings.startMs);
  }

  async #connected(signal: AbortSignal, given?: AbortSignal): Promise<Client> {
    if (this.#client !== undefined && this.lostBecause() === undefined) return this.#client;
    const wait = this.#notBefore - performance.now();
    if (wait > PATIENCE_MS)
      throw new ServerLost(`cannot be reached. It is tried again in ${Math.ceil(wait / 1000)} s`);
    if (wait > 0) await after(wait, undefined, { signal });
    await this.close();
    const deadline = given ?? this.#deadline();
    try {
      return await this.#connect(AbortSignal.any([signal, deadline]));
    } catch (error) {
      signal.throwIfAborted();
      throw await this.#lost(error, deadline);
    }
  }

  async #connect(signal: AbortSignal): Promise<Client> {
    try {
      return await this.#connectOnce(signal);
    } catch (error) {
      const ended = this.lostBecause();
      if (ended === undefined || this.#isOld || signal.aborted) throw error;
      this.#isOld = true;
      return await this.#connectOnce(signal);
    }
  }

  async #connectOnce(signal: AbortSignal): Promise<Client> {
    const { startMs } = this.settings;
    const client = new Client(CLIENT, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: startMs * PROBE_SHARE } },
      inputRequired: { maxRounds: 10 },
      // What a server says of its results is not compiled: the model reads them as text.
      jsonSchemaValidator: { getValidator: () => takesAll },
    });
    readResultsByPart(client);
    client.setRequestHandler(
      'elicitation/create',
      (request) => this.#questions?.answer(request) ?? { action: 'decline' },
    );
    const transport = this.#open();
    this.#transport = transport;
    const prior = this.#isOld ? { prior: { kind: 'legacy' as const } } : {};
    // The client does not hear the signal while it asks for the version.
    const end = (): void => void transport.close().catch(() => {});
    signal.addEventListener('abort', end, { once: true });
    try {
      await client.connect(transport, { signal, timeout: startMs, ...prior });
    } finally {
      signal.removeEventListener('abort', end);
    }
    this.#client = client;
    this.#failures = 0;
    return client;
  }

  #open(): Transport {
    const { settings } = this;
    if (settings.kind === 'local')
      return new ProgramTransport((onOutput) => this.#start(settings, onOutput));
    return new StreamableHTTPClientTransport(new URL(settings.url), {
      requestInit: { headers: { ...settings.headers } },
      fetch: boundedFetch,
      reconnectionOptions: {
        maxRetries: 2,
        initialReconnectionDelay: FIRST_WAIT_MS,
        maxReconnectionDelay: PATIENCE_MS,
        reconnectionDelayGrowFactor: 2,
      },
    });
  }

  async #lost(error: unknown, deadline: AbortSignal): Promise<ServerLost> {
    const why = deadline.aborted
      ? `it did not answer within ${this.settings.startMs / 1000} s. If it needs longer, the operator can set its "start"`
      : (this.lostBecause() ?? errorLine(error, this.#redact));
    await this.close();
    this.#failures += 1;
    this.#notBefore =
      performance.now() + Math.min(FIRST_WAIT_MS * 2 ** this.#failures, LONGEST_WAIT_MS);
    return new ServerLost(`cannot be reached: ${why}`);
  }
}

/** The code of an error: headers do not say what the arguments do. */
const HEADER_MISMATCH = -32_020;

/** What the client reads of a tool: where headers come from. Nothing of its results is checked. */
const definitionOf = ({ name, inputSchema }: ListedTool): Tool =>
  ({ name, inputSchema: inputSchema ?? {} }) as Tool;

/** Has the client take a result of a tool as it is. It would reject all of it for one part that is malformed. */
function readResultsByPart(client: Client): void {
  const ask = client.request.bind(client) as (...given: unknown[]) => Promise<unknown>;
  const request = (asked: { readonly method: string }, ...rest: unknown[]): Promise<unknown> =>
    asked.method === 'tools/call' ? ask(asked, serverResultSchema, ...rest) : ask(asked, ...rest);
  client.request = request as typeof client.request;
}

const takesAll = <T>(data: unknown) => ({
  valid: true as const,
  data: data as T & {},
  errorMessage: undefined,
});

/** What was thrown, on one line, bounded. */
export const errorLine = (error: unknown, redact: Redact): string =>
  plainLine(messageOf(error), MAX_WORDS, redact);

const MOST_MIB = 16;

/** Asks like `fetch`; an answer that is too large fails while it is read. */
const boundedFetch: FetchLike = async (url, init) =>
  boundedResponse(await fetch(url, init), MOST_MIB);

// What a tool's schema says of headers: a server over HTTP may have arguments repeated there (`x-mcp-header`), since revision 2026-07-28.

const KEY = 'x-mcp-header';
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** A name of a header, by RFC 9110. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const MAX_DEPTH = 100;

/** Why clients must not use the tool; the words follow "its arguments". `undefined` if nothing speaks against it. */
export function headerFault(schema: unknown): string | undefined {
  const names = new Set<string>();
  const faultAt = (node: unknown, depth: number, isReachable: boolean): string | undefined => {
    if (depth > MAX_DEPTH) return `are nested more than ${MAX_DEPTH} deep`;
    if (Array.isArray(node)) return firstFault(node, depth, false);
    if (!isSchemaObject(node)) return undefined;
    if (Object.hasOwn(node, KEY)) {
      const name: unknown = node[KEY];
      if (!isReachable || depth === 0) return `declare a header (${KEY}) where none may be`;
      if (typeof name !== 'string' || !TOKEN.test(name)) return 'declare a header without a name';
      if (!TYPES.has(node['type'])) return 'declare a header for what is no simple value';
      if (names.has(name.toLowerCase())) return 'declare the same header twice';
      names.add(name.toLowerCase());
    }
    const { properties, [KEY]: _header, ...others } = node;
    const inner = isSchemaObject(properties) ? Object.values(properties) : [];
    return firstFault(inner, depth, isReachable) ?? firstFault(Object.values(others), depth, false);
  };
  const firstFault = (nodes: readonly unknown[], depth: number, isReachable: boolean) => {
    for (const node of nodes) {
      const fault = faultAt(node, depth + 1, isReachable);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return faultAt(schema, 0, true);
}
