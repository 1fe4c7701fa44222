// The service without its process: one repository on the local GitHub, a real database, and a model
// that says its lines. Nothing happens but when it is told to.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import type { Model, ModelReply, ModelRequest } from '../../src/agent/model.ts';
import { advance } from '../../src/app/advance.ts';
import type { Operator } from '../../src/app/run-context.ts';
import { createGitHub } from '../../src/github/index.ts';
import { createRedactor } from '../../src/lib/redact.ts';
import { startLocalGitHub } from '../../src/playground/index.ts';
import type { Entry, EntryOf } from '../../src/session/entry.ts';
import type { Intent, RepositoryRef } from '../../src/session/intent.ts';
import { openStore } from '../../src/store/open.ts';
import type { SessionRow } from '../../src/store/store.ts';
import { GitThreads } from '../../src/workspace/git/threads.ts';
import { nativeGit } from '../support/git-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const privateKey = key.export({ type: 'pkcs1', format: 'pem' }).toString();
const webhookSecret = 'a-secret-of-this-test';
const APP = { id: 1, slug: 'issuewright', name: 'Issuewright', privateKeyPem: privateKey };
const PLACE = { owner: 'example', name: 'greeter' };
const log = pino({ level: 'silent' });

const OPERATOR: Operator = {
  models: ['test:first'],
  protocol: 'json',
  mode: 'agent',
  limits: {
    turns: 20,
    minutes: 600,
    outputTokens: 1_000,
    runTokens: undefined,
    dollars: { run: undefined, issue: undefined, repositoryDay: undefined },
  },
  memory: { compaction: undefined, maxMessages: 1_000 },
  instructionFiles: [],
};

/** What the model says next, or what its adapter throws. */
type Line = string | Error | (() => Error);

export type Service = Awaited<ReturnType<typeof openService>>;

/** `files`: what the repository holds besides. */
export async function openService(files: Readonly<Record<string, string>> = {}) {
  const clock = startClock();
  const directory = temporaryDirectory();
  const github = await startLocalGitHub({
    directory: join(directory, 'github'),
    app: { ...APP, webhookSecret },
    users: [{ login: 'stranger' }],
  });
  const repository = await github.createRepository({
    ...PLACE,
    files: { 'README.md': '# Greeter\n', ...files },
    collaborators: { maintainer: 'admin' },
  });
  const store = await openStore({ dataDir: join(directory, 'data'), log });
  const threads = new GitThreads();
  const app = createGitHub({
    appId: APP.id,
    privateKey,
    webhookSecret,
    enterprise: { host: new URL(github.url).host, protocol: 'http' },
    handlers: [],
    log,
    redactor: createRedactor(),
  });
  const model = scriptedModels();
  const parts = {
    store,
    threads,
    openModel: model.open,
    author: () => Promise.resolve({ name: 'issuewright', email: 'app@example.test' }),
    redact: (text: string) => text,
    log,
    serves: () => true,
    repository: (installation: number, ref: RepositoryRef) => app.repository(installation, ref),
  };

  /** Something happened on GitHub; the session that it belongs to. */
  const happens = async (issue: number, login: string, intent: Intent): Promise<string> => {
    const accepted = await store.accept(
      {
        installation: 1,
        repository: { id: repository.id, ...PLACE },
        thread: { on: 'issue', number: issue },
        sender: { login, id: login.length },
        meaning: randomUUID(),
        intent,
      },
      { id: randomUUID(), event: 'issues' },
    );
    if (accepted.outcome !== 'accepted') throw new Error(`not accepted: ${accepted.outcome}`);
    return accepted.session;
  };

  return {
    model,
    letPass: clock.letPass,
    /** An issue with the label on it: a session, and what may happen in it. */
    start: async (title: string) => {
      const { number } = github.as('maintainer').openIssue(repository, { title, body: '' });
      const start = { kind: 'start', label: 'issuewright', title, body: '' } as const;
      const id = await happens(number, 'maintainer', start);
      return {
        comment: (login: string, body: string) =>
          happens(number, login, { kind: 'comment', on: 'issue', commentId: 1, body }),
        closeIssue: () => happens(number, 'maintainer', { kind: 'issue_closed' }),
        advance: (operator: Partial<Operator> = {}, { signal } = new AbortController()) =>
          advance({ ...parts, operator: { ...OPERATOR, ...operator } }, id, signal),
        journal: () => store.journal(id),
        row: async (): Promise<SessionRow | undefined> => store.session(id),
        /** The text of a file on the session's branch. */
        onBranch: (path: string) =>
          nativeGit(repository.git.directory, 'show', `issuewright/issue-${number}:${path}`),
      };
    },
    close: async () => {
      await store.close();
      await threads.close();
      await github.close();
      clock.stop();
    },
  };
}

/** Whoever asks what time it is, from here on, is told what has passed in this way too. */
function startClock() {
  const { now } = Date;
  let passed = 0;
  const spy = jest.spyOn(Date, 'now').mockImplementation(() => now() + passed);
  return {
    letPass: (ms: number): void => void (passed += ms),
    stop: (): void => spy.mockRestore(),
  };
}

/** Models by any name, all with the same lines to say, one for each request. */
function scriptedModels() {
  const lines: Line[] = [];
  const requests: ModelRequest[] = [];
  const next = async (request: ModelRequest): Promise<ModelReply> => {
    requests.push({ ...request, messages: [...request.messages] });
    const line = lines.shift();
    if (line === undefined) throw new Error('the script is over');
    if (typeof line !== 'string') throw typeof line === 'function' ? line() : line;
    return { ...REPLY, text: line };
  };
  return {
    requests,
    says: (...more: readonly Line[]): void => void lines.push(...more),
    open: async (name: string): Promise<Model> => ({
      name,
      destination: `Nobody (${name})`,
      callsTools: false,
      contextWindow: undefined,
      reply: next,
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
