// Where a fault happens: a GitHub, a model and a database of their own, and services that may be killed.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import type { Person } from '../../packages/local-github/src/github/people.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import {
  isPull,
  type Comment,
  type Issue,
  type PullRequest,
  type Repository,
} from '../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import type { ServiceProcess } from '../../packages/local-github/src/service-process.ts';
import { openStage, type Stage } from '../../packages/local-github/src/stage.ts';
import { SELF_REVIEW_INSTRUCTIONS } from '../../src/agent/prompts/separate-requests.ts';
import { PERMISSIONS } from '../../src/github/access/permissions.ts';
import { readPidFile, socketDirectory } from '../../src/store/embedded/leftovers.ts';
import {
  CLUSTER,
  PORT,
  startEmbedded,
  USER,
  type EmbeddedServer,
} from '../../src/store/embedded/postgres-server.ts';
import { prepareData } from '../support/prepared-data.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { Memory } from './shared-memory.ts';

export type Role = 'start' | 'serve' | 'work';

export interface WorldOptions {
  /** Of the repository. */
  readonly files: Readonly<Record<string, string>>;
  /** Of the model. */
  readonly scripts: readonly Script[];
  /** `embedded`: the service starts it and it ends with it. `server`: it runs by itself. */
  readonly database?: 'embedded' | 'server';
  /** A process for each; one that does everything, by default. */
  readonly roles?: readonly Role[];
  /** The parent of its directory. */
  readonly below?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The services write their log there. */
  readonly logFile?: string;
  readonly patienceMs?: number;
}

/** A service, and as what it was started. */
interface Running {
  readonly role: Role;
  service: ServiceProcess;
}

const PATIENCE_MS = 120_000;
const LOOK_MS = 200;
const silent = pino({ level: 'silent' });

const OPEN = new Set<World>();

/** For the end of the program before its time: services would outlive it. */
export const closeAll = async (): Promise<void> => {
  await Promise.allSettled([...OPEN].map((world) => world.close()));
};

export class World {
  readonly directory: string;
  readonly stage: Stage;
  readonly repository: Repository;
  readonly patienceMs: number;
  /** What no one but the service may ever see. */
  readonly secrets: readonly string[];
  /** What PostgreSQL shared among its processes so far. */
  readonly memory = new Memory();
  readonly running: Running[] = [];
  /** Where the services have their workspaces. */
  readonly temporary: string;
  readonly #clients = new Set<pg.Client>();
  readonly #socket: ReturnType<typeof socketDirectory>;
  #server: EmbeddedServer | undefined;

  private constructor(
    options: WorldOptions,
    parts: {
      directory: string;
      stage: Stage;
      repository: Repository;
      secrets: readonly string[];
      server: EmbeddedServer | undefined;
    },
  ) {
    this.patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.directory = parts.directory;
    this.temporary = options.environment?.['TMPDIR'] ?? path.join(parts.directory, 'tmp');
    this.stage = parts.stage;
    this.repository = parts.repository;
    this.secrets = parts.secrets;
    this.#server = parts.server;
    this.#socket = socketDirectory(this.#cluster);
  }

  static async open(options: WorldOptions): Promise<World> {
    const { below = tmpdir(), database = 'embedded', roles = ['start'] } = options;
    const directory = await mkdtemp(path.join(below, 'iw-faults-'));
    const data = path.join(directory, 'data');
    await prepareData(data);
    const temporary = path.join(directory, 'tmp');
    await mkdir(temporary);
    // If root runs the service, its commands run as another user.
    await chmod(directory, 0o711);
    await chmod(temporary, 0o755);
    const server = database === 'server' ? await startEmbedded(data, silent) : undefined;
    const canary = () => randomBytes(24).toString('hex');
    const secrets = { OPENAI_API_KEY: `sk-${canary()}`, PAGES_TOKEN: canary() };
    const stage = await openStage({
      directory,
      owner: SAMPLE.owner,
      privateKeyPem: PRIVATE_KEY,
      people: [SAMPLE.maintainer, 'stranger'],
      scripts: options.scripts,
      permissions: PERMISSIONS,
      logFile: options.logFile,
      environment: {
        PATH: process.env['PATH'] ?? '',
        TMPDIR: temporary,
        ...(server === undefined ? {} : { DATABASE_URL: urlOf(server.connection.host) }),
        ...secrets,
        ...options.environment,
      },
    });
    const repository = await stage.github.createRepository({
      owner: SAMPLE.owner,
      name: SAMPLE.name,
      files: { ...options.files },
      collaborators: { [SAMPLE.maintainer]: 'admin' },
    });
    const canaries = [...Object.values(secrets), stage.webhookSecret];
    const parts = { directory, stage, repository, secrets: canaries, server };
    const world = new World(options, parts);
    OPEN.add(world);
    for (const role of roles) await world.start(role);
    return world;
  }

  get #cluster(): string {
    return path.join(this.directory, 'data', CLUSTER);
  }

  get databaseUrl(): string {
    return urlOf(this.#socket.host);
  }

  /** A connection of its own, which ends with the world. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    // The server is killed under it.
    client.on('error', () => {});
    await client.connect();
    this.#clients.add(client);
    return client;
  }

  async start(role: Role = 'start'): Promise<ServiceProcess> {
    const service = await this.stage.startService({}, role);
    this.running.push({ role, service });
    this.memory.note(this.#postgresPid);
    return service;
  }

  /** A start that is killed, at the latest when it is ready. */
  async startAndKillAfter(ms: number): Promise<void> {
    const starting = this.stage.startService().catch(() => {});
    await Promise.race([starting, pause(ms)]);
    this.memory.note(this.#postgresPid);
    await this.stage.kill();
    await starting;
  }

  get service(): ServiceProcess {
    const [first] = this.running;
    if (first === undefined) throw new Error('no service is running');
    return first.service;
  }

  /** kill -9, of one or of all. */
  async kill(which: readonly Running[] = [...this.running]): Promise<readonly Role[]> {
    this.memory.note(this.#postgresPid);
    await Promise.all(which.map(({ service }) => service.kill()));
    return this.#forget(which);
  }

  /** SIGTERM to all. Resolves with their exit codes. */
  async terminate(): Promise<readonly (number | null)[]> {
    const codes = this.running.map(({ service }) => service.stop('SIGTERM'));
    this.#forget([...this.running]);
    return Promise.all(codes);
  }

  /** Resolves when all have ended by themselves. */
  async untilEnded(): Promise<void> {
    await Promise.all(this.running.map(({ service }) => service.ended()));
    this.#forget([...this.running]);
  }

  /** Kills the server, or one of its processes for a connection. */
  killDatabase(pid = this.#postgresPid): void {
    this.memory.note(this.#postgresPid);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }

  /** Starts a server of its own again, after it was killed or stopped. */
  async restartDatabase(): Promise<void> {
    await this.#server?.stop();
    this.#server = await startEmbedded(path.join(this.directory, 'data'), silent);
    this.memory.note(this.#postgresPid);
  }

  /** What the agent asked the model for so far, without the reviews of its work. */
  get turns(): number {
    const review = JSON.stringify(SELF_REVIEW_INSTRUCTIONS);
    return this.stage.model.requests.filter(({ body }) => !body.includes(review)).length;
  }

  get #postgresPid(): number | undefined {
    return readPidFile(this.#cluster)?.pid;
  }

  #forget(which: readonly Running[]): readonly Role[] {
    for (const one of which) this.running.splice(this.running.indexOf(one), 1);
    return which.map(({ role }) => role);
  }

  get maintainer(): Person {
    return this.stage.github.as(SAMPLE.maintainer);
  }

  /** An issue with the label on it. */
  ask(title: string, body = 'Please.'): Issue {
    const issue = this.maintainer.openIssue(this.repository, { title, body });
    this.maintainer.label(this.thread(issue.number), SAMPLE.label);
    return issue;
  }

  thread(number: number) {
    return { repository: this.repository, number };
  }

  until<T>(what: string, predicate: () => T | Promise<T>, patienceMs = this.patienceMs) {
    const wait = { what, timeoutMs: patienceMs, everyMs: LOOK_MS };
    return this.stage.github.waitFor(predicate, wait);
  }

  /** Waits until the first line of the status comment says so. Rejects if it says that the work failed. */
  untilStatus(issue: number, words: RegExp, patienceMs = this.patienceMs): Promise<Comment> {
    const reached = () => {
      const status = this.comments(issue).find(({ body }) => body.includes(':status -->'));
      const [line = ''] = status?.body.split('\n') ?? [];
      if (words.test(line)) return status;
      // What GitHub did not do for now, behind the state, is tried again.
      const [, state = ''] = /\*\*(.*?)\*\*/.exec(line) ?? [];
      if (/failed|stopped|not finished/i.test(state)) throw new Error(`the status says: ${line}`);
      return undefined;
    };
    return this.until(`the status ${String(words)}`, reached, patienceMs);
  }

  /** What the App wrote on an issue. */
  comments(issue: number): Comment[] {
    return this.repository.comments.filter(
      ({ issueNumber, author }) => issueNumber === issue && author.type === 'Bot',
    );
  }

  pulls(): PullRequest[] {
    return this.repository.issues.filter(isPull);
  }

  /** Stops the services. Resolves with their exit codes. */
  async stop(): Promise<readonly (number | null)[]> {
    this.memory.note(this.#postgresPid);
    await this.disconnect();
    const codes = await Promise.all(this.running.map(({ service }) => service.stop()));
    this.#forget([...this.running]);
    await this.#server?.stop();
    return codes;
  }

  /** Ends all connections to the database. */
  async disconnect(): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.end().catch(() => {})));
    this.#clients.clear();
  }

  /** Ends what is left, and removes the directory. */
  async close(): Promise<void> {
    OPEN.delete(this);
    await this.disconnect();
    await this.stage.kill();
    await this.stage.close();
    await this.#server?.stop();
    this.#socket.dispose();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

const urlOf = (host: string): string =>
  `postgresql://${USER}@${encodeURIComponent(host)}:${PORT}/postgres`;
