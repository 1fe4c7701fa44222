import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import type { HeldAnswers } from '../../packages/local-github/src/model/server.ts';
import type { Person } from '../../packages/local-github/src/github/people.ts';
import type { ServiceProcess } from '../../packages/local-github/src/service-process.ts';
import {
  isPull,
  type Comment,
  type Issue,
  type PullRequest,
  type Repository,
} from '../../packages/local-github/src/github/state.ts';
import { SELF_REVIEW_INSTRUCTIONS } from '../../src/agent/prompts/separate-requests.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { openStage, type Stage } from '../../packages/local-github/src/stage.ts';
import { playStory, type Story, type StoryOptions } from '../../packages/local-github/src/story.ts';
import { PERMISSIONS } from '../../src/github/access/permissions.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { prepareData } from '../support/prepared-data.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { replayAll } from '../support/replayed.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';

const exec = promisify(execFile);
const LOOK_MS = 200;

const REVIEW = JSON.stringify(SELF_REVIEW_INSTRUCTIONS);
const isOfAgent = (body: string): boolean => !body.includes(REVIEW);

export interface SceneOptions {
  readonly scripts?: readonly Script[];
  readonly files?: Record<string, string>;
  readonly environment?: Record<string, string>;
  /** Whether the service runs its own PostgreSQL, as one that is killed has to: it then resumes its jobs at once. */
  readonly ownDatabase?: boolean;
  /** What the service does; `start` by default. */
  readonly role?: 'start' | 'serve';
  /** Milliseconds that it waits for anything; `PATIENCE_MS` when left out. */
  readonly patienceMs?: number;
  /** Who is there besides; a login that ends in `[bot]` is a bot's. */
  readonly people?: readonly string[];
  /** What the App is granted besides what it cannot do without. It then hears the events of that too. */
  readonly granted?: Record<string, 'read' | 'write'>;
  /** People sign in on the session pages with GitHub. */
  readonly hasSignIn?: boolean;
}

/** The events that come with an optional permission. */
const EVENTS_OF = new Map([
  ['checks', ['check_run', 'check_suite']],
  ['statuses', ['status']],
  ['actions', ['workflow_run']],
]);

interface Place {
  readonly directory: string;
  readonly patienceMs: number;
  readonly database: TestDatabase | undefined;
  readonly hasSignIn: boolean;
}

/** The shipped service as a child process, a local GitHub with one repository, and its people. */
export class Scene {
  readonly directory: string;
  readonly stage: Stage;
  readonly repository: Repository;
  readonly #patienceMs: number;
  readonly #database: TestDatabase | undefined;
  readonly #hasSignIn: boolean;
  #service: ServiceProcess | undefined;

  private constructor(
    { directory, patienceMs, database, hasSignIn }: Place,
    stage: Stage,
    repository: Repository,
  ) {
    this.directory = directory;
    this.#patienceMs = patienceMs;
    this.#database = database;
    this.#hasSignIn = hasSignIn;
    this.stage = stage;
    this.repository = repository;
  }

  static async open(options: SceneOptions = {}): Promise<Scene> {
    const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-e2e-'));
    const database = options.ownDatabase === true ? undefined : await createDatabase();
    const stage = await openStage({
      directory,
      owner: SAMPLE.owner,
      privateKeyPem: PRIVATE_KEY,
      people: [SAMPLE.maintainer, 'triager', 'stranger', ...(options.people ?? [])],
      scripts: options.scripts ?? [SAMPLE.script],
      permissions: { ...PERMISSIONS, ...options.granted },
      events: Object.keys(options.granted ?? {}).flatMap((name) => EVENTS_OF.get(name) ?? []),
      environment: {
        PATH: process.env['PATH'] ?? '',
        ...(database === undefined ? {} : { DATABASE_URL: database.url }),
        ...options.environment,
      },
    });
    const repository = await stage.github.createRepository({
      owner: SAMPLE.owner,
      name: SAMPLE.name,
      files: options.files ?? SAMPLE.files,
      collaborators: { [SAMPLE.maintainer]: 'admin', triager: 'triage' },
    });
    const { patienceMs = PATIENCE_MS, hasSignIn = false } = options;
    const place = { directory, patienceMs, database, hasSignIn };
    const scene = new Scene(place, stage, repository);
    if (database === undefined) await prepareData(path.join(directory, 'data'));
    await scene.start(options.role);
    return scene;
  }

  get github() {
    return this.stage.github;
  }

  /** Of the service; it has none if it runs its own. */
  get databaseUrl(): string {
    if (this.#database === undefined) throw new Error('the service runs its own database');
    return this.#database.url;
  }

  get maintainer(): Person {
    return this.github.as(SAMPLE.maintainer);
  }

  async start(role: SceneOptions['role'] = 'start'): Promise<void> {
    const settings = this.#hasSignIn ? this.stage.signIn : {};
    this.#service = await this.stage.startService(settings, role);
  }

  get service(): ServiceProcess {
    if (this.#service === undefined) throw new Error('the service was not started');
    return this.#service;
  }

  async kill(): Promise<void> {
    await this.#service?.kill();
  }

  /** Resolves with the exit code. */
  async stop(): Promise<number | null | undefined> {
    return this.#service?.stop();
  }

  /** The demo's story, from the label to the merge. `tell`: see `StoryOptions`. */
  play(tell: StoryOptions['tell'] = () => {}): Promise<Story> {
    return playStory({
      github: this.github,
      repository: this.repository,
      tale: SAMPLE,
      maintainer: SAMPLE.maintainer,
      interactive: false,
      patienceMs: this.#patienceMs,
      tell,
    });
  }

  /** An issue with the label on it. */
  ask(title = SAMPLE.issue.title, body = SAMPLE.issue.body): Issue {
    const issue = this.maintainer.openIssue(this.repository, { title, body });
    this.maintainer.label(this.thread(issue), SAMPLE.label);
    return issue;
  }

  thread({ number }: { number: number }) {
    return { repository: this.repository, number };
  }

  /** Also of what GitHub knows nothing of: logs, pages, journals. */
  until<T>(what: string, predicate: () => T | Promise<T>) {
    return this.github.waitFor(predicate, {
      what: () => `${what}\n${this.stage.log()}`,
      timeoutMs: this.#patienceMs,
      everyMs: LOOK_MS,
    });
  }

  /** Waits until the first line of the status comment says so. */
  untilStatus(issue: Issue, words: RegExp) {
    return this.until(`the status ${String(words)}`, () => {
      const status = this.comments(issue).find(({ body }) => body.includes(':status -->'));
      return words.test(status?.body.split('\n')[0] ?? '') ? status : undefined;
    });
  }

  /** Waits until the App wrote this on an issue, in whichever comment. The status may come before the others. */
  untilSaid(issue: Issue, words: RegExp) {
    return this.until(`the words ${String(words)}`, () =>
      words.test(
        this.comments(issue)
          .map(({ body }) => body)
          .join('\n'),
      ),
    );
  }

  /** What the App wrote on an issue. */
  comments(issue: Issue): Comment[] {
    const ofIssue = this.repository.comments.filter((one) => one.issueNumber === issue.number);
    return ofIssue.filter(({ author }) => author.type === 'Bot');
  }

  /** What the agent's model was sent, in order; not what a reviewer of the change was. */
  get agentRequests(): Stage['model']['requests'] {
    return this.stage.model.requests.filter(({ body }) => isOfAgent(body));
  }

  /**
   * From now on, the agent's requests with these words are answered only once they are released; the first `after` of them
   * at once. People act between the request and its reply, however slow the machine is.
   */
  holdReplies(words: string, after = 0): HeldAnswers {
    let before = 0;
    return this.stage.model.hold(
      (body) => body.includes(words) && isOfAgent(body) && (before += 1) > after,
    );
  }

  /** Resolves when this many of them have arrived; the last one may not be answered yet. */
  async untilAgentAsked(times: number): Promise<void> {
    const { model } = this.stage;
    while (this.agentRequests.length < times) await model.untilAsked(model.requests.length + 1);
  }

  pulls(): PullRequest[] {
    return this.repository.issues.filter(isPull);
  }

  /** Native git, on the bare repository. */
  git(...args: string[]): Promise<string> {
    return this.gitIn(this.repository, ...args);
  }

  /** The same in another repository. */
  async gitIn({ git }: Repository, ...args: string[]): Promise<string> {
    const { stdout } = await exec('git', ['-C', git.directory, ...args]);
    return stdout.trim();
  }

  async branches(): Promise<string[]> {
    const names = await this.git('for-each-ref', '--format=%(refname:short)', 'refs/heads');
    return names.split('\n').filter((name) => name !== 'main');
  }

  /** Closes it, and fails if this version would not do again what the journals of its sessions say. */
  async closeReplayed(): Promise<void> {
    const { differences } = await replayAll(
      this.#database === undefined
        ? { dataDir: path.join(this.directory, 'data') }
        : { databaseUrl: this.#database.url },
    );
    await this.close();
    if (differences.length > 0) throw new Error(`replayed otherwise:\n${differences.join('\n')}`);
  }

  /** @throws if a request of the service did not say which version of the API it is made for */
  async close(): Promise<void> {
    const unversioned = this.github.requests.filter(
      ({ actor, weight, apiVersion }) =>
        /^app$|\[bot\]$/.test(actor) && weight !== undefined && apiVersion === undefined,
    );
    try {
      await this.stage.close();
    } finally {
      await this.#database?.drop();
      await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
    }
    const paths = unversioned.map(({ method, path: of }) => `${method} ${of}`);
    if (paths.length > 0) throw new Error(`without a version of the API: ${paths.join(', ')}`);
  }
}
