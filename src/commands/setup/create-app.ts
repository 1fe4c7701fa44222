import { randomBytes } from 'node:crypto';
import { setTimeout as after, setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { rulesFor } from '../../app/admission/settings.ts';
import { readBeforeSetUp, type BeforeSetUp } from '../../config/before-set-up.ts';
import { setIn } from '../../config.ts';
import { addressesOf } from '../../github/addresses.ts';
import type { NewApp } from '../../github/set-up/app-set-up.ts';
import { createSetupServer } from '../../web/setup/setup-server.ts';
import { MOST_REPOSITORIES } from '../doctor/examination.ts';
import { firstSignal, type CommandContext } from '../command.ts';
import { openTunnel, type Tunnel } from '../tunnel.ts';
import { ENV_FILE, keepApp, requireConsent } from './app-files.ts';
import { manifestFor, nameFor, Registration, webhookAddress } from './registration.ts';
import type { DeliveryAttempt } from '../../contracts/delivery.ts';
import type { GitHub } from '../../github/index.ts';
import { hasCode, TryLater } from '../../lib/errors.ts';
import { holderOfPort } from '../../lib/port-holder.ts';
import { createWebhookServer } from '../../web/webhook-server.ts';
import type { Webhooks } from '../../web/webhook-route.ts';
import { spellCommand } from '../../lib/program-name.ts';

/** Whoever closed the page reads the end in the terminal. */
const LAST_LOOK_MS = 20_000;

/** Resolves with the exit code. Errors are for the operator. */
export async function createApp(context: CommandContext): Promise<number> {
  const before = readBeforeSetUp(setIn(context.environment));
  const given = givenIn(context.options);
  if (context.options['manifest'] === true) {
    const webhookUrl = given.webhookUrl ?? 'https://YOUR-ADDRESS/api/github/webhooks';
    const manifest = manifestFor({ name: nameFor(given), webhookUrl, pagesUrl: before.pagesUrl });
    context.print(JSON.stringify(manifest, undefined, 2));
    return 0;
  }
  await requireConsent(context.options['replace'] === true);
  const first = await listen(before.http);
  try {
    return await setUp(context, { before, given, first });
  } finally {
    await first.close();
  }
}

interface SetupOptions {
  readonly organization: string | undefined;
  readonly name: string | undefined;
  readonly webhookUrl: string | undefined;
  readonly tunnel: string | undefined;
}

function givenIn(options: CommandContext['options']): SetupOptions {
  const text = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === 'string' ? value.trim() : undefined;
  };
  const [organization, name, url, tunnel] = ['org', 'name', 'url', 'tunnel'].map(text);
  const webhookUrl = url === undefined ? undefined : webhookAddress(url);
  if (url !== undefined && webhookUrl === undefined)
    throw new Error(`--url is not a valid address. Example: https://bot.example.com`);
  if (url !== undefined && tunnel !== undefined)
    throw new Error('Use either --url or --tunnel, not both.');
  return { organization, name, webhookUrl, tunnel };
}

async function listen(http: BeforeSetUp['http']): Promise<FirstWebhook> {
  return awaitFirstWebhook(http).catch((cause: unknown) => {
    const holder = hasCode(cause, 'EADDRINUSE') ? holderOfPort(http.port) : undefined;
    const why = holder === undefined ? '' : ` ${holder} has the port.`;
    throw new Error(
      `Cannot listen at ${http.host}:${http.port}, where webhooks will arrive.${why} If that is the service, stop it first. Or set PORT to another port.`,
      { cause },
    );
  });
}

interface SetupScope {
  readonly before: BeforeSetUp;
  readonly given: SetupOptions;
  readonly first: FirstWebhook;
}

async function setUp(
  { print }: CommandContext,
  { before, given, first }: SetupScope,
): Promise<number> {
  const signalled = firstSignal();
  const leaving = new AbortController();
  void signalled.then(() => leaving.abort());
  const target = `http://127.0.0.1:${before.http.port}`;
  const watcher = {
    retrying: (reason: string) =>
      print(`Cannot open the tunnel yet (${reason}); trying again. Press Ctrl-C to stop.`),
    lost: (reason: string) => print(`The tunnel broke (${reason}); reconnecting.`),
    restored: () => print('The tunnel is open.'),
    // The first webhook is sent again until it arrives.
    missed: () => {},
  };
  const tunnel =
    given.tunnel === undefined
      ? undefined
      : await openTunnel(given.tunnel, { target, signal: leaving.signal, watcher }).catch(
          (error: unknown) => {
            if (!leaving.signal.aborted) throw error;
            return undefined;
          },
        );
  if (leaving.signal.aborted) {
    print('Nothing was created.');
    return 1;
  }
  const webhookUrl = tunnel?.webhookUrl ?? given.webhookUrl ?? localAddress(before);
  const token = randomBytes(32).toString('base64url');
  const { server, registration, pageUrl } = await openPage({ before, given, webhookUrl, token });
  try {
    print(
      `Open this page in a browser on this machine (the link works once):\n\n  ${pageUrl}/?token=${token}\n`,
    );
    const done = finish(registration, first, leaving.signal);
    const end = await Promise.race([done, signalled, endOf(tunnel)]);
    print(typeof end === 'string' ? unfinished(registration, end) : end.join('\n'));
    return typeof end === 'string' ? 1 : 0;
  } finally {
    leaving.abort();
    await server.close();
  }
}

const endOf = (tunnel: Tunnel | undefined): Promise<string> =>
  tunnel === undefined
    ? new Promise(() => {})
    : tunnel.ended.then((why) => `The tunnel failed: ${why}.`);

/** A GitHub on this machine reaches it without an address on the internet. */
function localAddress({ enterprise, http }: BeforeSetUp): string | undefined {
  const host = enterprise?.host.replace(/:\d+$/, '');
  const isHere = host === '127.0.0.1' || host === 'localhost' || host === '[::1]';
  return isHere ? webhookAddress(`http://127.0.0.1:${http.port}`) : undefined;
}

interface PageParts extends Pick<SetupScope, 'before' | 'given'> {
  readonly webhookUrl: string | undefined;
  readonly token: string;
}

async function openPage({ before, given, webhookUrl, token }: PageParts) {
  const { enterprise } = before;
  const keep = (app: NewApp): readonly string[] => keepApp(app, enterprise);
  const registration = new Registration({ ...given, before, webhookUrl, keep });
  const { url: githubUrl } = addressesOf(enterprise);
  const log = pino({ level: 'silent' });
  const server = createSetupServer({ log, source: registration, token, githubUrl });
  const pageUrl = await server.listen('127.0.0.1', 0);
  registration.openedAt(pageUrl);
  return { server, registration, pageUrl };
}

/** Resolves with the last words, when all is done. */
async function finish(
  registration: Registration,
  first: FirstWebhook,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { app, github, next } = await registration.registered;
  first.listenAs(github);
  const { url } = await github.setUp.hook();
  const wanted = registration.webhookUrl;
  if (wanted !== undefined && url !== wanted) await github.setUp.moveHook(wanted);
  await untilInstalled(registration, first, signal);
  // Whoever needs one in another repository finds it missing, and `doctor --fix` creates it.
  await createLabels(github).catch(() => {});
  await Promise.race([registration.endShown, after(LAST_LOOK_MS)]);
  return [
    `The App ${app.slug} is created, and installed on ${registration.owners.join(', ')}. GitHub reaches me.`,
    '',
    ...next.map((step, at) => `  ${at + 1}. ${step}`),
  ];
}

/** In the repositories that the App is installed on first. */
async function createLabels(github: GitHub): Promise<void> {
  for (const { id } of await github.installations.list())
    for (const one of (await github.installations.repositories(id)).slice(0, MOST_REPOSITORIES)) {
      const { label } = await rulesFor(github.repository(id, one), one);
      const setUp = github.repositorySetUp(id, one);
      if (!(await setUp.hasLabel(label))) await setUp.createLabel(label);
    }
}

function unfinished(registration: Registration, why: string): string {
  const view = registration.view();
  const reason = why.startsWith('SIG') ? '' : `${why} `;
  if (view.step !== 'install') return `${reason}Nothing was created.`;
  return `${reason}The App ${view.slug} is created, and its settings are in ${ENV_FILE}. Install it: ${view.install}. Then \`${spellCommand('doctor')}\` says whether GitHub reaches this machine.`;
}

// Whether GitHub reaches this machine: what listens where the service will listen.

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
      const found = await github.installations.list();
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
