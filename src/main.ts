import type { Logger } from 'pino';
import { PauseWatch } from './app/service/pause-watch.ts';
import { installationHandlers } from './app/receive/installations.ts';
import { pushHandler } from './app/receive/pushes.ts';
import { catchUp } from './app/receive/catch-up.ts';
import { MissedWatch } from './app/receive/missed-watch.ts';
import { eventHandlers } from './app/receive/receive.ts';
import { sessionReader } from './app/session-reader.ts';
import { servesOnly } from './app/service/service.ts';
import { warnOfServers } from './app/service/warn-of-servers.ts';
import { openShells } from './app/service/shells.ts';
import { startWorkers } from './app/workers.ts';
import type { Service } from './commands/command.ts';
import { openLog } from './commands/log.ts';
import type { Config } from './config.ts';
import { secretsOfServers } from './config/mcp.ts';
import { passwordsIn } from './config/service.ts';
import { EVENTS } from './events/index.ts';
import { createGitHub, type GitHub } from './github/index.ts';
import { FULL_WRITE_BUDGET } from './lib/write-budget.ts';
import { hasCode, messageOf, TryLater } from './lib/errors.ts';
import { reasonOf, shownHost } from './lib/reason.ts';
import { createRedactor, type Redactor } from './lib/redact.ts';
import { KeyedMutex } from './lib/keyed-mutex.ts';
import { openEmbedder } from './models/embedder.ts';
import { offered, openModel } from './models/index.ts';
import { openStore, type OpenStore } from './store/open.ts';
import { TOOLS } from './tools/index.ts';
import { renderingsOf } from './tools/renderings.ts';
import type { HttpServer } from './web/http-server.ts';
import { endLeftovers } from './sandbox/running/leftovers.ts';
import { createPageServer } from './web/page-server.ts';
import { keptPagesToken } from './web/pages-token.ts';
import { createWebhookServer } from './web/webhook-server.ts';
import { GitThreads } from './workspace/git/threads.ts';
import { requireTemporaryDirectory, sweepWorkspaces } from './workspace/temporary-directory.ts';

// The composition root: the only file that knows every part.

const secretsOf = ({ github, models, store, servers, commandSecrets }: Config): string[] =>
  [
    github.privateKey,
    github.webhookSecret,
    store.databaseUrl,
    ...passwordsIn(store.databaseUrl),
    ...models.secrets,
    ...secretsOfServers(servers),
    ...commandSecrets,
  ].filter((secret) => secret !== undefined);

/** Resolves when the service listens. Rejects with an error for the operator. */
export async function startService(config: Config): Promise<Service> {
  const pagesToken = config.pages.token ?? keptPagesToken(config.store.dataDir);
  const redactor = createRedactor([...secretsOf(config), pagesToken]);
  const log = await openLog(config, redactor);
  for (const { name, meant } of config.misspelled)
    log.warn({ name, meant }, 'a setting has no effect: its name is unknown and may be misspelled');
  await requireTemporaryDirectory();
  const { left } = await sweepWorkspaces(endLeftovers);
  if (left.length > 0) log.warn({ left }, 'failed to remove workspaces of earlier processes');
  const store = await openStore({ ...config.store, limits: config.slots.limits, log });
  try {
    return await serve(config, store, { redactor, log, pagesToken });
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Shared {
  readonly redactor: Redactor;
  readonly log: Logger;
  readonly pagesToken: string;
}

async function serve(config: Config, store: OpenStore, shared: Shared): Promise<Service> {
  const { redactor, log } = shared;
  const writeLimiter = config.github.limitsContent ? writeLimiterIn(store) : undefined;
  const github = createGitHub({ ...config.github, writeLimiter, log, redactor });
  await github.start(handlersFor(config, store, github, log));
  const pause = new PauseWatch(store);
  const { web, url, missed } = await openIntake(config, { store, github, pause, log });
  const pages = await openPages(config, store, github.url, shared);
  const threads = new GitThreads();
  threads.warm();
  const shells = await openShells(config.shell, { dataDir: config.store.dataDir, log });
  warnOfServers(config.servers, { shells, log });
  // An answer that came during a downtime counts before the deadline of its question.
  await missed.first(FIRST_LOOK_MS);
  const workers = await startWorkers({
    ...settledBy(config, store, github),
    slots: config.slots.ofProcess,
    admissions: new KeyedMutex(),
    pause,
    threads,
    shells,
    servers: config.servers,
    redact: redactor.redact,
    log,
  });
  log.info({ url, pages: pages.url }, 'Issuewright is ready');
  void greet(github, log);
  const failed = new Promise<Error>((resolve) => {
    store.onLost((words) => resolve(new Error(words)));
  });
  const stop = async (): Promise<void> => {
    log.info('stopping: accepting no new deliveries, deferring running sessions');
    await Promise.all([web.drain(), pages.server.drain(), missed.stop()]);
    await workers.stop();
    await shells?.close();
    await threads.close();
    await Promise.all([web.close(), pages.server.close()]);
    await store.close();
    log.info('stopped');
  };
  return { url, pagesLink: pages.link, failed, stop };
}

/** The longest that the work waits for what was missed. */
const FIRST_LOOK_MS = 30_000;

interface IntakeParts {
  readonly store: OpenStore;
  readonly github: GitHub;
  readonly pause: PauseWatch;
  readonly log: Logger;
}

/** The server for webhooks, and the watch over those that do not reach it. */
async function openIntake(config: Config, { store, github, pause, log }: IntakeParts) {
  const serves = servesOnly(config.github.allowedOwners);
  const missed = new MissedWatch({
    receive: (delivery) => github.receive(delivery),
    look: (signal, isThorough) => catchUp({ github, store, serves, log }, signal, isThorough),
    log,
  });
  const web = createWebhookServer({
    log,
    webhooks: {
      checkSignature: (signature) => github.checkSignature(signature),
      receive: (delivery) => missed.receive(delivery),
    },
    ready: () => store.ready(),
    paused: async () => pause.look(),
  });
  const url = await listen(web, config.http, 'HOST and PORT');
  missed.start();
  return { web, url, missed };
}

/** The server of the session pages, and the link that opens them. The operator's own token is never printed. */
async function openPages(
  { pages: { publicUrl, ...pages } }: Config,
  store: OpenStore,
  githubUrl: string,
  { log, pagesToken }: Shared,
) {
  const server = createPageServer({
    log,
    pages: sessionReader(store),
    token: pagesToken,
    isSecure: publicUrl?.startsWith('https:'),
    githubUrl,
    renderings: renderingsOf(TOOLS),
  });
  const url = await listen(server, pages, 'PAGES_HOST and PAGES_PORT');
  const token = pages.token === undefined ? pagesToken : '<PAGES_TOKEN>';
  return { server, url, link: `${publicUrl ?? url}/?token=${token}` };
}

/** What needs nothing but settings, store and GitHub. */
const settledBy = (config: Config, store: OpenStore, github: GitHub) => ({
  store,
  queue: store.queue,
  repository: github.repository,
  author: github.identity,
  serves: servesOnly(config.github.allowedOwners),
  allowedBots: config.github.allowedBots,
  operator: { ...config.agent, ...offered(config.models) },
  openModel: (name: string) => openModel(name, config.models.settings, config.models.catalog),
  embedder: embedderOf(config),
  pageUrl: pagesAt(config.pages.publicUrl),
  writeBudget: async (installation: number) =>
    config.github.limitsContent ? store.writeBudget(installation) : FULL_WRITE_BUDGET,
});

const embedderOf = ({ models: { embedding, settings, catalog } }: Config) =>
  embedding === undefined ? undefined : openEmbedder(embedding, settings, catalog);

const pagesAt = (publicUrl: string | undefined) => (session: string) =>
  publicUrl === undefined ? undefined : `${publicUrl}/sessions/${session}`;

async function listen(
  server: HttpServer,
  { host, port }: Config['http'],
  settings: string,
): Promise<string> {
  try {
    return await server.listen(host, port);
  } catch (error) {
    const shown = shownHost(host);
    const address = shown === undefined ? 'the address' : `${shown}:${port}`;
    const why = hasCode(error, 'EADDRINUSE') ? 'it is in use by another program' : reasonOf(error);
    throw new Error(
      `Cannot listen on ${address}: ${why}. Set ${settings} to an address of this machine with a free port.`,
      { cause: error },
    );
  }
}

/** Logs early whether GitHub accepts our key. The service runs either way, because GitHub may be down. */
async function greet(github: GitHub, log: Logger): Promise<void> {
  try {
    const { login } = await github.identity();
    log.info({ login }, 'authenticated with GitHub');
  } catch (error) {
    const what =
      error instanceof TryLater
        ? 'failed to reach GitHub: check the network, the proxy and GHE_HOST'
        : 'failed to authenticate with GitHub';
    log.warn({ reason: messageOf(error) }, what);
  }
}

/** What handles GitHub's events. */
function handlersFor({ github }: Config, store: OpenStore, app: GitHub, log: Logger) {
  const sessions = eventHandlers(EVENTS, {
    store,
    serves: servesOnly(github.allowedOwners),
    allowedBots: github.allowedBots,
    slug: () => app.knownIdentity()?.slug,
    log,
  });
  const forget = (installation: number): void => app.forget(installation);
  return [
    ...sessions,
    ...installationHandlers({ store, forget, log }),
    pushHandler({ store, log }),
  ];
}

/** How much each installation may still write, shared by all processes. */
const writeLimiterIn = (store: OpenStore) => (installation: number) => ({
  take: () => store.takeWrite(installation),
  pause: (ms: number) => store.pauseWrites(installation, ms),
});
