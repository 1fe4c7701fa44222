// A way for GitHub's webhooks to a machine that GitHub cannot reach.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { secretsOf } from '../config/secrets.ts';
import { createGitHub } from '../github/index.ts';
import { createRedactor } from '../lib/text/redact.ts';
import { reasonOf } from '../lib/reason.ts';
import { unlessItFails } from '../lib/unless-it-fails.ts';
import { serverEvents } from '../models/wire/server-events.ts';
import { WEBHOOK_PATH } from '../web/webhook-route.ts';

export interface Tunnel {
  /** Where GitHub sends webhooks. */
  readonly webhookUrl: string;
  /** Resolves with the reason when it ends. */
  readonly ended: Promise<string>;
}

/**
 * Opens a tunnel to `target`, such as `http://127.0.0.1:3000`. `given`: the address of a proxy like smee.io, which sends
 * what it gets as events; or a command that makes a tunnel and prints its address, such as `cloudflared tunnel --url …`.
 * `signal` ends the tunnel, and the attempt to open it.
 */
export const openTunnel = (given: string, target: string, signal: AbortSignal): Promise<Tunnel> =>
  /^https?:\/\/\S+$/.test(given) ? openProxy(given, target, signal) : openCommand(given, signal);

/** The App sends its webhooks there from now on. */
export async function moveWebhooks(config: Config, { webhookUrl }: Tunnel): Promise<void> {
  const redactor = createRedactor(secretsOf(config));
  const log = pino({ level: 'silent' });
  const { setUp } = createGitHub({ ...config.github, log, redactor });
  const { url } = await setUp.hook();
  if (url !== webhookUrl) await setUp.moveHook(webhookUrl);
}

const OPENED_WITHIN_MS = 60_000;
/** An address without a path: programs also print those of their documentation. */
const PRINTED = /\bhttps?:\/\/[\w.-]+(?::\d+)?\/?(?=$|[\s|"')])/;

async function openCommand(command: string, signal: AbortSignal): Promise<Tunnel> {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  // With all that it has started; it may have ended by itself.
  const close = (): void => {
    const { pid } = child;
    if (pid !== undefined) unlessItFails(() => process.kill(-pid, 'SIGTERM'));
  };
  signal.addEventListener('abort', close);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(reasonOf(error)));
    child.once('exit', (code, by) => resolve(`it ended with ${by ?? code}`));
  });
  const printed = new Promise<string>((resolve) => {
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        const [address] = PRINTED.exec(line) ?? [];
        if (address !== undefined) resolve(address);
      });
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const fail = (why: string): void => {
      reject(
        new Error(
          `The command of --tunnel gave no address: ${why}. Run it by hand to see what it prints.`,
        ),
      );
    };
    timer = setTimeout(() => fail('it printed none within a minute'), OPENED_WITHIN_MS);
    void ended.then(fail);
  });
  try {
    const address = await Promise.race([printed, late]);
    return { webhookUrl: `${address.replace(/\/$/, '')}${WEBHOOK_PATH}`, ended };
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** What smee.io sends: the headers of the webhook, and its body as JSON. */
const Forwarded = z.object({
  body: z.record(z.string(), z.unknown()),
  'x-github-delivery': z.string(),
  'x-github-event': z.string(),
  'x-hub-signature-256': z.string(),
});

async function openProxy(url: string, target: string, signal: AbortSignal): Promise<Tunnel> {
  const headers = { accept: 'text/event-stream' };
  const answer = await fetch(url, { headers, signal }).catch((cause: unknown) => {
    throw new Error(`The proxy ${url} cannot be reached: ${reasonOf(cause)}.`, { cause });
  });
  const type = answer.headers.get('content-type') ?? '';
  if (!answer.ok || !type.startsWith('text/event-stream'))
    throw new Error(`The proxy ${url} sends no events: it answered ${answer.status} ${type}.`);
  const ended = forward(answer, target, signal).then(
    () => 'the proxy closed the connection',
    (error: unknown) => reasonOf(error),
  );
  return { webhookUrl: url, ended };
}

async function forward(answer: Response, target: string, signal: AbortSignal): Promise<void> {
  for await (const { data } of serverEvents(answer.body, () => {})) {
    const sent = Forwarded.safeParse(data).data;
    if (sent === undefined) continue;
    const { body, ...headers } = sent;
    // A service that does not answer now reads the delivery from GitHub's list later.
    await fetch(`${target}${WEBHOOK_PATH}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    }).catch(() => {});
  }
}
