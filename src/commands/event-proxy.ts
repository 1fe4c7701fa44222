// A proxy such as smee.io: it takes GitHub's webhooks at a public address, and sends them on as events of one long answer.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { reasonOf } from '../lib/reason.ts';
import { serverEvents } from '../models/wire/server-events.ts';
import { WEBHOOK_PATH } from '../web/webhook-route.ts';

/** What its user is told of a tunnel. */
interface TunnelWatcher {
  /** It could not be opened yet, for this reason, and is tried again. */
  retrying(reason: string): void;
  /** It broke, for this reason, and is reconnecting. */
  lost(reason: string): void;
  restored(): void;
  /** What GitHub sent may not have arrived here, though the proxy told GitHub that it has. */
  missed(): void;
}

export interface ProxyOptions {
  /** What gets the webhooks, such as `http://127.0.0.1:3000`. */
  readonly target: string;
  readonly signal: AbortSignal;
  readonly watcher: TunnelWatcher;
  readonly pace?: ProxyPace;
}

interface ProxyPace {
  /** A stream without a byte for this long is dead. */
  readonly silentMs: number;
  /** Before the first attempt to connect again; doubled for each further one. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A connection that lasted this long was a good one: the delay is short again. */
  readonly steadyMs: number;
}

/** smee.io sends a ping every 30 seconds. */
const PACE: ProxyPace = {
  silentMs: 95_000,
  firstDelayMs: 1_000,
  longestDelayMs: 60_000,
  steadyMs: 60_000,
};

/** As long as GitHub waits for the answer to a webhook. */
const DELIVERED_WITHIN_MS = 10_000;
/** GitHub sends 25 MB at most; JSON in JSON is longer. */
const LONGEST_EVENT = 64_000_000;
/** There is no such channel, or no more. */
const FINAL = new Set([404, 410]);
/** Too late, too early, too often: another attempt may be answered otherwise. So may one after a fault of the server. */
const PASSING = new Set([408, 425, 429]);

/** The address did not answer with an event stream. If `isFinal`, one that did before never will again. */
class NoEvents extends Error {
  override readonly name = 'NoEvents';
  /** For a log. */
  readonly reason: string;
  readonly isFinal: boolean;
  /** Whether an address that never sent events may send some later. */
  readonly mayPass: boolean;
  readonly status: number;

  constructor(url: string, { status }: Response, type: string) {
    super(
      `The proxy ${url} sends no events: it answered ${`${status} ${type}`.trim()}. Check the address of --tunnel.`,
    );
    this.status = status;
    this.mayPass = status >= 500 || PASSING.has(status);
    this.reason = `the proxy stopped sending events: it answered ${status}`;
    this.isFinal = FINAL.has(status);
  }
}

/**
 * Connects to the proxy, and connects again whenever the stream breaks or is silent for too long. Resolves once it is
 * connected. `ended` resolves with the reason when the proxy gives a final answer, or `signal` is aborted.
 * @throws if the address is none, or an answer says that it is wrong; the reason of `signal` if that is aborted before
 */
export async function followProxy(
  url: string,
  options: ProxyOptions,
): Promise<{ readonly ended: Promise<string> }> {
  if (!URL.canParse(url))
    throw new Error(`${url} is not a valid address of a proxy. Check --tunnel.`);
  const first = await firstConnection(url, options);
  return { ended: follow(url, first, options) };
}

async function firstConnection(url: string, options: ProxyOptions): Promise<Connection> {
  const { signal, watcher } = options;
  let told = '';
  for (let failures = 0; ; failures++) {
    try {
      const connection = await connect(url, options);
      if (failures > 0) tellRestored(watcher);
      return connection;
    } catch (error) {
      signal.throwIfAborted();
      const isAnswer = error instanceof NoEvents;
      if (isAnswer && !error.mayPass) throw error;
      const why = isAnswer ? `the proxy answered ${error.status}` : whyUnreached(error);
      if (why !== told) watcher.retrying(why);
      told = why;
    }
    await backOff(failures, options);
    signal.throwIfAborted();
  }
}

/** The error of `fetch` says nothing itself. */
function whyUnreached(error: unknown): string {
  const { cause } = Object(error) as { readonly cause?: unknown };
  return reasonOf(cause ?? error);
}

/** What the proxy got meanwhile is lost. */
function tellRestored(watcher: TunnelWatcher): void {
  watcher.restored();
  watcher.missed();
}

/** Waits before another attempt after so many failures. Resolves early if the signal is aborted. */
export async function backOff(
  failures: number,
  { signal, pace = PACE }: Pick<ProxyOptions, 'signal' | 'pace'>,
): Promise<void> {
  const delay = Math.min(pace.firstDelayMs * 2 ** failures, pace.longestDelayMs);
  await pause(delay * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
}

/** Whether webhooks to that address go to such a proxy. */
export async function isProxy(url: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(url, { headers: ACCEPT, signal }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer !== undefined && sendsEvents(answer);
}

const ACCEPT = { accept: 'text/event-stream' };

const typeOf = ({ headers }: Response): string => headers.get('content-type') ?? '';

const sendsEvents = (answer: Response): boolean =>
  answer.ok && typeOf(answer).startsWith('text/event-stream');

interface Connection {
  readonly body: Response['body'];
  /** Something was heard. */
  readonly heard: () => void;
  readonly close: () => void;
}

async function connect(url: string, options: ProxyOptions): Promise<Connection> {
  const { signal, pace: { silentMs } = PACE } = options;
  const closing = new AbortController();
  const timer = setTimeout(() => {
    closing.abort(new Error(`the proxy sent nothing for ${silentMs / 1000} s`));
  }, silentMs);
  const close = (): void => {
    clearTimeout(timer);
    closing.abort();
  };
  try {
    const either = AbortSignal.any([signal, closing.signal]);
    const answer = await fetch(url, { headers: ACCEPT, signal: either });
    if (!sendsEvents(answer)) throw new NoEvents(url, answer, typeOf(answer));
    return { body: answer.body, heard: () => void timer.refresh(), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function follow(url: string, first: Connection, options: ProxyOptions): Promise<string> {
  const { signal, watcher, pace = PACE } = options;
  let connection: Connection | undefined = first;
  let why = '';
  let told = '';
  for (let failures = 0; !signal.aborted; failures++) {
    const began = performance.now();
    try {
      connection ??= await connect(url, options);
      if (failures > 0) tellRestored(watcher);
      await forward(connection, options);
      why = 'the proxy closed the connection';
    } catch (error) {
      if (error instanceof NoEvents && error.isFinal) return error.reason;
      why = error instanceof NoEvents ? error.reason : whyUnreached(error);
    }
    if (signal.aborted) break;
    if (connection !== undefined || why !== told) watcher.lost(why);
    told = why;
    if (connection !== undefined && performance.now() - began > pace.steadyMs) failures = 0;
    connection?.close();
    connection = undefined;
    await backOff(failures, options);
  }
  connection?.close();
  return 'it was closed';
}

/** What smee.io sends: the headers of the webhook, and its body as JSON. */
const Forwarded = z.object({
  body: z.record(z.string(), z.unknown()),
  'x-github-delivery': z.string(),
  'x-github-event': z.string(),
  'x-hub-signature-256': z.string(),
});

/** Resolves when the stream has ended. */
async function forward(
  { body, heard }: Connection,
  { target, signal, watcher }: ProxyOptions,
): Promise<void> {
  let size = 0;
  const count = (bytes: number): void => {
    heard();
    size += bytes;
    if (size > LONGEST_EVENT) throw new Error('the proxy sent an event that is too long');
  };
  for await (const { data } of serverEvents(body, count)) {
    size = 0;
    const sent = Forwarded.safeParse(data).data;
    if (sent === undefined) continue;
    const { body: payload, ...headers } = sent;
    const answer = await fetch(`${target}${WEBHOOK_PATH}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(payload),
      signal: AbortSignal.any([signal, AbortSignal.timeout(DELIVERED_WITHIN_MS)]),
    }).catch(() => undefined);
    await answer?.body?.cancel();
    const isMissed = answer === undefined || answer.status >= 500;
    if (isMissed && !signal.aborted) watcher.missed();
    // Nothing was read meanwhile.
    heard();
  }
}
