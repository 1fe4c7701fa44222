import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { sharedTime } from './lib/clock.ts';
import { AppKeyNeed } from './app/service/app-key.ts';
import { needsOf, SandboxNeed, warnOfServers } from './app/service/shells.ts';
import { openRunTools, PauseWatch, servesOnly } from './app/service/service.ts';
import { earlierWorkGuard, guardStart } from './app/receive/earlier-work.ts';
import { installationHandlers } from './app/receive/installations.ts';
import { eventHandlers, pushHandler } from './app/receive/receive.ts';
import { MissedEvents } from './app/receive/missed-events.ts';
import { startDeletion, startWorkers } from './app/workers.ts';
import { packageVersion, type Role, type RunningService } from './commands/command.ts';
import { openLog } from './commands/log.ts';
import { secretsOf, type Config } from './config.ts';
import { EVENTS } from './events/index.ts';
import { openMonitoring } from './monitoring.ts';
import { openFront } from './front.ts';
import { createGitHub, type GitHub, type GitHubOptions } from './github/index.ts';
import { GITHUB_LIMITS, NO_LIMITS } from './lib/write-budget.ts';
import { messageOf, TryLater } from './lib/errors.ts';
import { FileValue } from './config/key-files.ts';
import { createRedactor, type Redactor } from './lib/text/redact.ts';
import { shownSettingPath } from './lib/directories.ts';
import { KeyedMutex } from './lib/keyed-mutex.ts';
import { offered } from './models/index.ts';
import { inDataDirectory } from './store/embedded/lock.ts';
import { openStore, type OpenStore } from './store/open.ts';
import { endLeftovers } from '../packages/sandbox/src/running/start-contained.ts';
import { patientStore } from './store/patient-store.ts';
import type { Store } from './store/store.ts';
import { keptPagesToken } from './web/pages-token.ts';
import {
  requireTemporaryDirectory,
  sweepWorkDirectories,
  sweepWorkspaces,
} from './workspace/work-directory.ts';

// The composition root: the only file that knows every part.

/** Resolves when the service listens. Rejects with an error for the operator. `leaving`: do not wait for a database. */
export async function startService(
  config: Config,
  role: Role,
  leaving: AbortSignal,
): Promise<RunningService> {
  // Without a server for the database it is needed for more than the token, and `PAGES_TOKEN` would not help.
  if (config.store.databaseUrl === undefined)
    await inDataDirectory(config.store.dataDir, () => Promise.resolve());
  // A process that serves no pages makes no token for them, and redacts the operator's own all the same.
  const pagesToken =
    config.pages.token ?? (role === 'work' ? '' : keptPagesToken(config.store.dataDir));
  const redactor = createRedactor([...secretsOf(config), ...[pagesToken].filter(Boolean)]);
  const log = await openLog(config, redactor);
  log.info({ version: packageVersion(), ...dataOf(config) }, 'Issuewright is starting');
  for (const { name, why, cure } of config.ineffective)
    log.warn({ name, why, cure }, 'ignored a setting, or a part of it');
  await requireTemporaryDirectory();
  const left = await leftOfEarlier(config);
  if (left.length > 0) log.warn({ left }, 'failed to remove workspaces of earlier processes');
  const store = await openStore({
    ...config.store,
    limits: config.slots.limits,
    contentLimits: config.github.contentLimits ?? NO_LIMITS,
    patienceMs: PATIENCE_MS,
    signal: leaving,
    log,
  });
  try {
    return await open(config, store, { role, redactor, log, pagesToken });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Where the data is. People paste secrets into the wrong setting: only what surely is a path is shown. */
const dataOf = ({ store: { dataDir, databaseUrl } }: Config) => ({
  dataDir: shownSettingPath(dataDir) ?? '(not shown)',
  database: databaseUrl === undefined ? 'embedded' : 'DATABASE_URL',
});

/** Removes what earlier processes left of workspaces; answers what stays, and why. */
async function leftOfEarlier({ store }: Config) {
  const work = await sweepWorkDirectories(endLeftovers, workDirectoryIn(store.dataDir));
  const temporary = await sweepWorkspaces(endLeftovers);
  return [...work.left, ...temporary.left];
}

const workDirectoryIn = (dataDir: string): string => resolve(dataDir, 'work');

/** How long the database may be away, at the start and during runs: longer than a failover takes. */
const PATIENCE_MS = 180_000;

interface Startup {
  readonly role: Role;
  readonly redactor: Redactor;
  readonly log: Logger;
  readonly pagesToken: string;
}

async function open(config: Config, store: OpenStore, shared: Startup): Promise<RunningService> {
  const { role, redactor, log, pagesToken } = shared;
  const patient = patientStore(store, { patienceMs: PATIENCE_MS, log });
  const keys = keysNow(config, { redactor, log });
  const github = await startGitHub(config, store, { keys, limits: patient, log, redactor });
  const key = new AppKeyNeed(github);
  const keyTried = key.tryKey();
  const leaving = new AbortController();
  const missed = await openMissed(config, { store, github, leaving: leaving.signal, log });
  // Webhooks, pages and health checks do not wait for a database that is away.
  const sandbox = config.shell.isAllowed && role !== 'serve' ? new SandboxNeed() : undefined;
  const needs = [...needsOf(store, sandbox), key];
  const pause = new PauseWatch(store);
  const closeMonitoring = await openMonitoring(config, { store, pause, needs, redactor, log });
  const behind = { store, github, missed, pause, needs, log, pagesToken };
  const front = role === 'work' ? undefined : await openFront(config, behind);
  const sessionTools = role === 'serve' ? undefined : await openSessionTools(config, keys, log);
  sandbox?.tried(sessionTools?.tools.shells);
  // What people did during a downtime counts before the work continues.
  await (front?.caughtUp() ?? missed.first());
  const service = {
    ...settledBy(config, { store: patient, github, redactor, log }),
    queue: store.queue,
    receiveEventsBefore: (at: Date, signal: AbortSignal) => missed.receiveEventsBefore(at, signal),
    leaving: leaving.signal,
  };
  const workers = await startWorkers(service, {
    sessions: sessionTools && {
      ...service,
      ...sessionTools.tools,
      slots: config.slots.ofProcess,
    },
    publications: front && service,
  });
  const stopDeletion = startDeletion({ store, retentionDays: config.retentionDays, log });
  void greet(await keyTried, front?.addresses ?? {}, { github, log });
  const stop: RunningService['stop'] = async ({ patient }) => {
    log.info('stopping: accepting no new deliveries, handing over running sessions');
    leaving.abort();
    await front?.drain();
    await stopDeletion();
    await workers.stop({ graceMs: patient ? config.stopGraceSeconds * 1000 : 0 });
    await sessionTools?.close();
    await front?.close();
    await closeMonitoring();
    await store.close();
    log.info('stopped');
  };
  return { front, log, failed: lossOf(store), stop };
}

const lossOf = (store: OpenStore): Promise<Error> =>
  new Promise((resolve) => {
    store.onLost((words) => resolve(new Error(words)));
  });

/** What sessions work with. */
async function openSessionTools(config: Config, keys: FileValue<Config>, log: Logger) {
  const { dataDir } = config.store;
  const places = {
    cacheDirectory: resolve(dataDir, 'cache'),
    workDirectory: workDirectoryIn(dataDir),
  };
  const opened = await openRunTools({
    ...config,
    providers: () => keys.current.models.settings,
    git: { ...config.git, ...places },
    dataDir,
    imageRoom: { directory: resolve(dataDir, 'images'), maxBytes: config.git.cacheMaxBytes },
    log,
  });
  warnOfServers(config.servers, { shells: opened.tools.shells, log });
  return opened;
}

interface SettledParts extends Pick<Startup, 'redactor' | 'log'> {
  readonly store: Store;
  readonly github: GitHub;
}

/** What needs nothing but settings, store, log and GitHub. */
const settledBy = (config: Config, { store, github, redactor, log }: SettledParts) => ({
  store,
  admissions: new KeyedMutex(),
  pause: new PauseWatch(store),
  redact: redactor.redact,
  hide: redactor.hide,
  log,
  repository: github.repository,
  author: github.identity,
  serves: servedBy(config.github),
  allowedBots: config.github.allowedBots,
  operator: { ...config.agent, ...offered(config.models) },
  pageUrl: pagesAt(config.pages.publicUrl),
  writeBudget: (installation: number) => store.writeBudget(installation),
  // What the minute's limit delays is waited for in place; what the hour's delays is not.
  roomPatienceMs: (config.github.contentLimits ?? GITHUB_LIMITS).minute.seconds * 1000,
});

type GitHubParts = Pick<GitHubOptions, 'limits' | 'log' | 'redactor'> & {
  readonly keys: FileValue<Config>;
};

async function startGitHub(
  config: Config,
  store: OpenStore,
  { keys, ...parts }: GitHubParts,
): Promise<GitHub> {
  const github = createGitHub({ ...config.github, keys: () => keys.current.github, ...parts });
  await github.start(handlersFor(config, store, github));
  return github;
}

/** The settings with the keys that their files hold now. Only keys are taken from it. */
const keysNow = (config: Config, { redactor, log }: Pick<Startup, 'redactor' | 'log'>) =>
  new FileValue({
    files: config.keyFiles,
    first: config,
    read: config.again,
    changed: (now) => {
      for (const secret of secretsOf(now)) redactor.add(secret);
      log.info('read the changed key files');
    },
    failed: (error) =>
      log.error(
        { reason: messageOf(error) },
        'failed to read the changed key files; the keys from before stay in use',
      ),
  });

const pagesAt = (publicUrl: string | undefined) => (session: string) =>
  publicUrl === undefined ? undefined : `${publicUrl}/sessions/${session}`;

type MissedParts = ConstructorParameters<typeof MissedEvents>[0];

/** @throws {EarlierWork} */
async function openMissed(
  config: Config,
  parts: Omit<MissedParts, 'serves' | 'assignee' | 'since' | 'guard'> & OpenedConnections,
): Promise<MissedEvents> {
  const { github } = config;
  const guard = guardOf(config, parts);
  if (guard !== undefined) await guardStart(guard, parts.log);
  return new MissedEvents({
    ...parts,
    guard,
    serves: servedBy(github),
    assignee: github.assignee,
    since: github.onlyRepository && sharedTime(),
  });
}

interface OpenedConnections {
  readonly store: OpenStore;
  readonly github: GitHub;
}

/** A service for one repository begins with what happens from now on anyway. */
const guardOf = ({ github, store: settings }: Config, { store, github: app }: OpenedConnections) =>
  github.onlyRepository === undefined
    ? earlierWorkGuard({
        store,
        github: app,
        serves: servedBy(github),
        database:
          settings.databaseUrl === undefined
            ? `The data directory ${shownSettingPath(settings.dataDir) ?? 'of DATA_DIR'}`
            : 'The database of DATABASE_URL',
      })
    : undefined;

const servedBy = ({ allowedOwners, onlyRepository }: Config['github']) =>
  servesOnly(allowedOwners, onlyRepository);

/**
 * Logs that the process is ready, unless GitHub rejects our key, and whether GitHub accepts that. The service runs either way,
 * because GitHub may be down.
 */
async function greet(
  isKeyRejected: boolean,
  addresses: object,
  { github, log }: { readonly github: GitHub; readonly log: Logger },
): Promise<void> {
  if (!isKeyRejected) log.info(addresses, 'Issuewright is ready');
  try {
    const { login } = await github.identity();
    log.info({ login }, 'authenticated with GitHub');
  } catch (error) {
    const reason = messageOf(error);
    if (error instanceof TryLater)
      log.warn({ reason }, 'failed to reach GitHub: check the network, the proxy and GHE_HOST');
    else log.error({ reason }, 'failed to authenticate with GitHub');
  }
}

/** What handles GitHub's events. */
function handlersFor({ github }: Config, store: OpenStore, app: GitHub) {
  const sessions = eventHandlers(EVENTS, {
    store,
    serves: servedBy(github),
    allowedBots: github.allowedBots,
    assignee: github.assignee,
    slug: () => app.knownIdentity()?.slug,
  });
  const forget = (installation: number): void => app.forget(installation);
  return [...sessions, ...installationHandlers({ store, forget }), pushHandler({ store })];
}
