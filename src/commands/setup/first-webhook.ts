// Whether GitHub reaches this machine: what listens where the service will listen.
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { DeliveryAttempt } from '../../contracts/delivery.ts';
import type { GitHub } from '../../github/index.ts';
import { TryLater } from '../../lib/errors.ts';
import { createWebhookServer } from '../../web/webhook-server.ts';
import type { Webhooks } from '../../web/webhook-route.ts';
import type { Registration } from './registration.ts';

const POLL_MS = 1_000;
/** GitHub waits ten seconds for an answer. */
const TEST_EVERY_MS = 12_000;

const log = pino({ level: 'silent' });

export interface FirstWebhook {
  /** From now on signatures are checked as that App has them. */
  listenAs(github: GitHub): void;
  /** Resolves when a webhook with a valid signature has arrived. */
  readonly arrived: Promise<void>;
  close(): Promise<void>;
}

/** Listens like the service. Errors are for the operator. */
export async function awaitFirstWebhook(http: {
  readonly host: string;
  readonly port: number;
}): Promise<FirstWebhook> {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  let app: GitHub | undefined;
  const webhooks: Webhooks = {
    checkSignature: (signature) =>
      app?.checkSignature(signature) ?? { update: () => {}, isValid: () => false },
    receive: async ({ event }) => {
      resolve();
      // The service has to do with all the others: it reads what was not received from GitHub.
      if (event === 'ping') return { status: 202, message: 'Received by `issuewright setup`.' };
      return {
        status: 503,
        message: 'Issuewright is being set up. The service will handle this later.',
      };
    },
  };
  const check = (): Promise<void> => Promise.reject(new Error('it is being set up'));
  const needs = [{ lack: 'the service is being set up', check }];
  const server = createWebhookServer({ log, webhooks, needs });
  await server.listen(http.host, http.port);
  return {
    listenAs: (github) => {
      app = github;
    },
    arrived,
    close: () => server.close(),
  };
}

/** Resolves when the App is installed and GitHub reaches this machine. */
export async function untilInstalled(
  registration: Registration,
  { arrived }: FirstWebhook,
  signal: AbortSignal,
): Promise<void> {
  const { github } = await registration.registered;
  void arrived.then(() => (registration.isReached = true));
  let lastTest = -Infinity;
  while (registration.owners.length === 0 || !registration.isReached) {
    try {
      const found = await github.setUp.installations();
      registration.owners = found.map(({ owner }) => owner);
      if (!registration.isReached && performance.now() - lastTest > TEST_EVERY_MS) {
        lastTest = performance.now();
        await testWebhook(github);
      }
    } catch (error) {
      if (!(error instanceof TryLater)) throw error;
    }
    await pause(POLL_MS, undefined, { signal });
  }
}

/** The ping came before its secret was known. */
async function testWebhook({ deliveries }: GitHub): Promise<void> {
  const ping = await newestPing(deliveries.pages());
  if (ping !== undefined) await deliveries.deliverAgain(ping.attempt);
}

async function newestPing(
  pages: AsyncIterable<readonly DeliveryAttempt[]>,
): Promise<DeliveryAttempt | undefined> {
  for await (const page of pages) return page.find(({ event }) => event === 'ping') ?? page[0];
  return undefined;
}
