// The service without its process: one repository on the local GitHub, a real database, and a model
// that says its lines. Nothing happens unless a test triggers it.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { afterAll, jest } from '@jest/globals';
import { pino } from 'pino';
import type { Effort, Model, ModelReply, ModelRequest } from '../../src/contracts/model.ts';
import { advance } from '../../src/app/advance/advance.ts';
import { PauseWatch, type Operator } from '../../src/app/service/service.ts';
import type { Shells } from '../../src/app/service/shells.ts';
import type { InstallationOf } from '../../src/github/access/installations.ts';
import { createGitHub } from '../../src/github/index.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import type { Writer } from '../../src/lib/write-budget.ts';
import { KeyedMutex } from '../../src/lib/keyed-mutex.ts';
import { startLocalGitHub } from '../../packages/local-github/src/index.ts';
import { publish } from '../../src/app/publish/publish.ts';
import type { Issue } from '../../packages/local-github/src/github/state.ts';
import { forApp } from '../../src/session/said/asks.ts';
import type { Entry, EntryOf } from '../../src/session/entry.ts';
import type { ImageType } from '../../src/contracts/image.ts';
import type { Intent, RepositoryRef } from '../../src/contracts/intent.ts';
import type { ServerSettings } from '../../src/mcp/settings.ts';
import { openStore } from '../../src/store/open.ts';
import type { SessionRow } from '../../src/store/store.ts';
import type { GitSettings } from '../../src/workspace/git/engines/choose-engine.ts';
import { GitThreads } from '../../src/workspace/git/threads.ts';
import { fakeShell } from '../support/fakes/fake-shell.ts';
import { nativeGit } from '../support/git-server.ts';
import { gitWithCache } from '../support/git-settings.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { createDatabase } from '../support/test-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const webhookSecret = 'a-secret-of-this-test';
const APP = { id: 1, slug: 'issuewright', name: 'Issuewright', privateKeyPem: PRIVATE_KEY };
const PLACE = { owner: 'example', name: 'greeter' };
const log = pino({ level: 'silent' });

const OPERATOR: Operator = {
  models: ['test:first'],
  selfReview: false,
  reviewModel: undefined,
  areImagesSeen: false,
  protocol: 'json',
  mode: 'agent',
  limits: {
    turns: 20,
    minutes: 600,
    outputTokens: 1_000,
    runTokens: undefined,
    dollars: { run: undefined, issue: undefined, repositoryDay: undefined },
  },
  relief: { compaction: undefined, maxMessages: 1_000 },
  instructionFiles: [],
};

/** Commands without a sandbox, as an operator may allow. */
export const SHELLS: Shells = {
  kind: 'unsafe',
  program: 'sh',
  open: ({ directory }) => fakeShell(directory),
  start: () => Promise.reject(new Error('no programs in this test')),
  inImage: () => Promise.reject(new Error('no images')),
  ready: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

const GIT = gitWithCache();

// One after another, the services of a file have them.
const threads = new GitThreads();
afterAll(() => threads.close());

/** What the model says next, or what its adapter throws. */
type Line = string | Error | (() => Error | Promise<string>);

export type Service = Awaited<ReturnType<typeof openService>>;

interface ServiceOptions {
  /** How it clones; with a cache of the test file if omitted. */
  readonly git?: GitSettings;
  readonly shells?: Shells;
  readonly servers?: readonly ServerSettings[];
  /** The files of the owner's `.github` repository; if omitted, there is no such repository. */
  readonly owners?: Readonly<Record<string, string>>;
  /** Whether its writes keep to GitHub's limits. */
  readonly isLimited?: boolean;
  /** Receives what GitHub could not deliver before a deadline; nothing if omitted. */
  readonly receiveEventsBefore?: (at: Date, signal: AbortSignal) => Promise<void>;
  /** Who is there besides. */
  readonly people?: readonly string[];
  /** How it opens models; all of them follow one script if omitted. */
  readonly openModel?: ModelOpener;
}

type ModelOpener = (name: string, effort?: Effort) => Promise<Model>;

/** `files`: what the repository holds besides. */
export async function openService(
  files: Readonly<Record<string, string>> = {},
  {
    shells,
    owners,
    servers = [],
    people = [],
    isLimited = false,
    receiveEventsBefore = () => Promise.resolve(),
    git = GIT,
    openModel,
  }: ServiceOptions = {},
) {
  const clock = startClock();
  const directory = temporaryDirectory();
  const github = await startLocalGitHub({
    directory: join(directory, 'github'),
    app: { ...APP, webhookSecret },
    users: ['stranger', 'writer', 'Good[bot]', ...people].map((login) => ({ login })),
  });
  const repository = await github.createRepository({
    ...PLACE,
    files: { 'README.md': '# Greeter\n', ...files },
    collaborators: { maintainer: 'admin' },
  });
  if (owners !== undefined)
    await github.createRepository({
      owner: PLACE.owner,
      name: '.github',
      files: { ...owners },
      collaborators: {},
    });
  const database = await createDatabase();
  const connection = { databaseUrl: database.url, dataDir: '/unused', log };
  const store = await openStore(connection);
  const app = createGitHub({
    appId: APP.id,
    privateKey: PRIVATE_KEY,
    webhookSecrets: [webhookSecret],
    enterprise: { host: new URL(github.url).host, protocol: 'http' },
    log,
    ...(isLimited ? { limits: store } : {}),
    redactor: createRedactor(),
  });
  const model = scriptedModels();
  const pause = new PauseWatch(store);
  const parts = {
    servers,
    store,
    git,
    threads,
    pause,
    receiveEventsBefore,
    admissions: new KeyedMutex(),
    openModel: openModel ?? model.open,
    author: () => Promise.resolve({ name: 'issuewright', email: 'app@example.test' }),
    ...(shells === undefined ? {} : { shells }),
    pageUrl: () => undefined,
    ...createRedactor(['a-secret']),
    log,
    serves: () => true,
    allowedBots: [] as string[],
    writeBudget: (installation: number) => store.writeBudget(installation),
    roomPatienceMs: 120_000,
    repository: (installation: InstallationOf, ref: RepositoryRef, writer?: Writer) =>
      app.repository(installation, ref, writer),
  };

  const idOf = (login: string): number => github.as(login).user.id;

  /** Something happened on GitHub; the session that it belongs to. */
  const happens = async (
    issue: number,
    login: string,
    intent: Intent,
    id = idOf(login),
  ): Promise<string> => {
    const accepted = await store.accept(
      {
        installation: 1,
        repository: { id: repository.id, ...PLACE },
        thread: { on: 'issue', number: issue },
        sender: { login, id, ...(login.endsWith('[bot]') ? { bot: true } : {}) },
        meaning: randomUUID(),
        intent,
      },
      { id: randomUUID(), event: 'issues' },
    );
    if (accepted.outcome !== 'accepted') throw new Error(`not accepted: ${accepted.outcome}`);
    return accepted.session;
  };

  const service = {
    model,
    store,
    pause,
    github,
    repository,
    connection,
    allowedBots: parts.allowedBots,
    open: (title: string, labels: readonly string[] = [], body = ''): Issue =>
      github.as('maintainer').openIssue(repository, { title, body, labels }),
    /** Somebody comments on GitHub, and the service hears of it; resolves with the session. */
    comment: (number: number, login: string, body: string): Promise<string> => {
      const issue = repository.issues.find((one) => one.number === number);
      const written = github.as(login).comment({ repository, number }, body);
      const about = { title: issue?.title ?? '', body: issue?.body ?? '', isOpen: true };
      const comment = {
        kind: 'comment',
        on: 'issue',
        commentId: written.id,
        body,
        at: written.createdAt,
        ...(issue?.author.login === login ? { byAuthor: true as const } : {}),
        addressed: true,
        thread: about,
      } as const;
      return happens(
        number,
        login,
        forApp(comment, { slug: APP.slug, assignee: undefined }) ?? comment,
      );
    },
    /** The repository, as the service reads and writes it. */
    access: () => app.repository(1, { id: repository.id, ...PLACE }),
    letPass: clock.letPass,
    resetClock: clock.reset,
    /** Resolves once the journal has this output of a running call. */
    untilOutput: async ({ journal }: { journal: () => Promise<Entry[]> }, words: RegExp) => {
      const isThere = async (): Promise<boolean> =>
        entriesOf(await journal(), 'call_output').some(({ text }) => words.test(text));
      while (!(await isThere())) await nextLook(10);
    },
    /** An issue with the label on it: a session, and what may happen in it. */
    start: async (title: string, login = 'maintainer', body = '', id = idOf(login)) => {
      const issue = service.open(title, ['issuewright'], body);
      const start = { kind: 'start', label: 'issuewright', title, body } as const;
      return service.sessionOf(issue, await happens(issue.number, login, start, id));
    },
    /** The session of an issue, and what may happen in it. */
    sessionOf: ({ number }: Issue, id: string) => {
      return {
        id,
        comment: (login: string, body: string) => service.comment(number, login, body),
        happens: (login: string, intent: Intent) => happens(number, login, intent),
        closeIssue: () => happens(number, 'maintainer', { kind: 'issue_closed', at: '' }),
        /** `leaving`: raised when the process is about to stop. */
        advance: (
          operator: Partial<Operator> = {},
          { signal } = new AbortController(),
          leaving?: AbortSignal,
        ) => advance({ ...parts, leaving, operator: { ...OPERATOR, ...operator } }, id, signal),
        publish: () => publish({ ...parts, operator: OPERATOR }, id),
        journal: () => store.journal(id),
        row: async (): Promise<SessionRow | undefined> => store.session(id),
        modeOf: (path: string) =>
          nativeGit(repository.git.directory, 'ls-tree', `issuewright/issue-${number}`, path).split(
            ' ',
          )[0],
        /** The text of a file on the session's branch. */
        onBranch: (path: string) =>
          nativeGit(repository.git.directory, 'show', `issuewright/issue-${number}:${path}`),
      };
    },
    close: async () => {
      await store.close();
      await database.drop();
      await github.close();
      clock.stop();
    },
  };
  return service;
}

/** From here on, the clocks of the process include the time that passed in this way. */
function startClock() {
  const { now } = Date;
  const counted = performance.now.bind(performance);
  let passed = 0;
  const spies = [
    jest.spyOn(Date, 'now').mockImplementation(() => now() + passed),
    jest.spyOn(performance, 'now').mockImplementation(() => counted() + passed),
  ];
  return {
    letPass: (ms: number): void => void (passed += ms),
    reset: (): void => void (passed = 0),
    stop: (): void => spies.forEach((spy) => spy.mockRestore()),
  };
}

/** Models by any name, all with the same lines to say, one for each request. */
function scriptedModels() {
  const lines: Line[] = [];
  const requests: ModelRequest[] = [];
  let imageTypes: ReadonlySet<ImageType> = new Set();
  let cost: number | null = null;
  const next = async (request: ModelRequest, effort?: Effort): Promise<ModelReply> => {
    const own = effort === undefined ? {} : { effort };
    requests.push({ ...request, ...own, messages: [...request.messages] });
    const next = lines.shift();
    if (next === undefined) throw new Error('the script is over');
    const line = typeof next === 'function' ? await next() : next;
    if (typeof line !== 'string') throw line;
    return { ...REPLY, text: line, cost };
  };
  return {
    requests,
    says: (...more: readonly Line[]): void => void lines.push(...more),
    /** From here on, models that are opened see these images. */
    sees: (...types: readonly ImageType[]): void => void (imageTypes = new Set(types)),
    /** From here on, each reply costs this much. */
    costs: (dollars: number | null): void => void (cost = dollars),
    open: async (name: string, effort?: Effort): Promise<Model> => ({
      name,
      destination: `Nobody (${name})`,
      callsTools: false,
      imageTypes,
      contextWindow: undefined,
      reply: (request) => next(request, effort),
    }),
  };
}

const REPLY: ModelReply = {
  text: '',
  reasoning: '',
  calls: [],
  stop: 'end',
  usage: { input: 100, cached: 0, written: 0, output: 10, reasoning: 0 },
  cost: null,
  native: null,
};

/** The entries of a kind, in their order. */
export const entriesOf = <Type extends Entry['type']>(
  entries: readonly Entry[],
  type: Type,
): EntryOf<Type>[] => entries.filter((entry): entry is EntryOf<Type> => entry.type === type);
