// A way for GitHub's webhooks to a machine that GitHub cannot reach.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { secretsOf, type Config } from '../config.ts';
import { createGitHub } from '../github/index.ts';
import { TryLater, unlessItFails } from '../lib/errors.ts';
import { createRedactor } from '../lib/text/redact.ts';
import { reasonOf } from '../lib/reason.ts';
import { WEBHOOK_PATH } from '../web/webhook-route.ts';
import { backOff, followProxy, type ProxyOptions } from './event-proxy.ts';

export interface Tunnel {
  /** Where GitHub sends webhooks. */
  readonly webhookUrl: string;
  /** Resolves with the reason when it ends. */
  readonly ended: Promise<string>;
}

/**
 * Opens a tunnel. `given`: the address of a proxy like smee.io, which sends what it gets as events; or a command that makes
 * a tunnel and prints its address, such as `cloudflared tunnel --url …`. `signal` ends the tunnel, and the attempt to open
 * it.
 */
export async function openTunnel(given: string, options: ProxyOptions): Promise<Tunnel> {
  options.signal.throwIfAborted();
  if (!/^https?:\/\/\S+$/.test(given)) return openCommand(given, options.signal);
  const { ended } = await followProxy(given, options);
  return { webhookUrl: given, ended };
}

interface TunnelMove {
  /** Ends the attempts. */
  readonly signal: AbortSignal;
  /** GitHub could not be reached yet, for this reason, and is tried again. */
  readonly retrying: (reason: string) => void;
}

/** Has the App send its webhooks there from now on. GitHub may be down: the service runs all the same. */
export async function moveWebhooks(
  config: Config,
  { webhookUrl }: Tunnel,
  { signal, retrying }: TunnelMove,
): Promise<void> {
  const redactor = createRedactor(secretsOf(config));
  const log = pino({ level: 'silent' });
  const { setUp } = createGitHub({ ...config.github, log, redactor });
  for (let failures = 0; ; failures++) {
    try {
      const { url } = await setUp.hook();
      if (url !== webhookUrl) await setUp.moveHook(webhookUrl);
      return;
    } catch (error) {
      if (!(error instanceof TryLater)) throw error;
      retrying(error.message);
    }
    await backOff(failures, { signal });
    signal.throwIfAborted();
  }
}

const OPENED_WITHIN_MS = 60_000;
/** As in Shopify/shopify-app-template-node#1164 for cloudflared; those of ngrok and localtunnel (`lt`) are unproven. */
const PRINTED: readonly { readonly by: RegExp; readonly address: RegExp }[] = [
  { by: /\bcloudflared\b/, address: /\|\s+(https:\/\/[\w-]+\.trycloudflare\.com)\s+\|/ },
  {
    by: /\bngrok\b/,
    address: /^[^"]{0,200} msg="started tunnel" [^"]{0,300}\burl=(https:\/\/[\w.-]+)\s*$/,
  },
  { by: /\b(?:lt|localtunnel)\b/, address: /^your url is: (https:\/\/[\w.-]+)\s*$/ },
];
/** Any other program prints it on a line of its own, at most in a frame: what is printed beside it may be from anyone. */
const ALONE = /^[\s|]*(https?:\/\/[\w.-]+(?::\d+)?)\/?[\s|]*$/;

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
  const form = PRINTED.find(({ by }) => by.test(command))?.address ?? ALONE;
  const printed = new Promise<string>((resolve) => {
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        const [, address] = form.exec(line) ?? [];
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
    timer = setTimeout(
      () => fail('it printed none on a line of its own within a minute'),
      OPENED_WITHIN_MS,
    );
    void ended.then(fail);
  });
  try {
    const address = await Promise.race([printed, late]);
    return { webhookUrl: `${address}${WEBHOOK_PATH}`, ended };
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
