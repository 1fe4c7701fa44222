// A repository in which people do things at random, and a service that is down or suspended for some of it.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { startLocalGitHub, type LocalGitHub } from '../../../packages/local-github/src/index.ts';
import type { Issue, Repository } from '../../../packages/local-github/src/github/state.ts';
import { MissedEvents } from '../../../src/app/receive/missed-events.ts';
import { eventHandlers } from '../../../src/app/receive/receive.ts';
import type { Intent } from '../../../src/contracts/intent.ts';
import { EVENTS } from '../../../src/events/index.ts';
import type { GitHub } from '../../../src/github/index.ts';
import { fold } from '../../../src/session/fold/fold.ts';
import { stateOf } from '../../../src/session/state.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { APP_ID, github, SECRET } from '../../github/support.ts';
import { PRIVATE_KEY } from '../../support/private-key.ts';
import { openTestStore } from '../../support/test-database.ts';

/** One thing that somebody does. `nth`: of the issues or pull requests, counted round. */
export interface Deed {
  readonly kind:
    | 'open'
    | 'label'
    | 'unlabel'
    | 'assign'
    | 'unassign'
    | 'say'
    | 'close'
    | 'reopen'
    | 'review'
    | 'merge';
  readonly nth: number;
  /** Of the words. */
  readonly word: number;
}

/** What the service is while something is done. */
export type Phase = 'up' | 'down' | 'suspended';

const WORDS = [
  'Tabs, please.',
  '/issuewright stop',
  '@issuewright Try again.',
  'Thanks!',
  '/retest',
];
const LABELS = ['issuewright', 'issuewright', 'bug'];
const VERDICTS = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const;
const PULLS = 2;
/** Between two deeds: GitHub's times are in seconds. */
const STEP_MS = 3_000;
const silent = pino({ level: 'silent' });

export class MissedWorld {
  readonly #local: LocalGitHub;
  readonly #directory: string;
  readonly #app: GitHub;
  readonly #store: OpenStore;
  readonly #server: http.Server;
  readonly #repository: Repository;
  #phase: Phase = 'up';
  #now = Date.now();

  private constructor(parts: {
    local: LocalGitHub;
    directory: string;
    app: GitHub;
    store: OpenStore;
    server: http.Server;
    repository: Repository;
  }) {
    this.#local = parts.local;
    this.#directory = parts.directory;
    this.#app = parts.app;
    this.#store = parts.store;
    this.#server = parts.server;
    this.#repository = parts.repository;
    this.#server.on('request', (request, response) => void this.#serve(request, response));
  }

  /** With two pull requests of others, on which the App was asked for a review. */
  static async open(): Promise<MissedWorld> {
    const directory = await mkdtemp(path.join(tmpdir(), 'missed-world-'));
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const local = await startLocalGitHub({
      directory,
      app: {
        id: APP_ID,
        slug: 'issuewright',
        name: 'Issuewright',
        privateKeyPem: PRIVATE_KEY,
        webhookSecret: SECRET,
        webhookUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      },
      users: [{ login: 'maintainer' }, { login: 'helper' }],
    });
    const repository = await local.createRepository({
      owner: 'example',
      name: 'words',
      files: { 'README.md': '# Words\n' },
      collaborators: { maintainer: 'admin', helper: 'write', machine: 'read' },
    });
    const store = await openTestStore();
    const app = github({ enterprise: { host: new URL(local.url).host, protocol: 'http' } });
    const parts = {
      store,
      serves: () => true,
      allowedBots: [],
      assignee: 'machine',
      slug: () => 'issuewright',
    };
    await app.start(eventHandlers(EVENTS, parts));
    const world = new MissedWorld({ local, directory, app, store, server, repository });
    await world.#catchUp();
    for (let nth = 0; nth < PULLS; nth += 1) await world.#openPull(nth);
    return world;
  }

  /** Resolves when it is done, and delivered if somebody listens; with whether it was possible. */
  async do(deed: Deed, phase: Phase): Promise<boolean> {
    await this.#enter(phase);
    this.#tick();
    const isDone = await this.#act(deed);
    await this.#settled();
    return isDone;
  }

  /** The service is up at last, and failed deliveries are sent again: some by hand, and late. */
  async end(): Promise<void> {
    await this.#enter('up');
    const failed = this.#local.deliveries.filter(({ status }) => status === 0);
    for (const { guid } of failed.filter((_one, at) => at % 3 === 0))
      await this.#local.redeliver(guid);
    await this.#catchUp();
  }

  /** The state of each session and all that it was told, by the number of its issue. */
  async told(): Promise<readonly unknown[]> {
    const sessions = await this.#store.sessions({ limit: 1_000 });
    const read = sessions.map(async ({ id, issue }) => {
      const entries = await this.#store.journal(id);
      const intents = entries.flatMap((one) => (one.type === 'received' ? [one.intent] : []));
      return { issue, state: stateOf(fold(entries)), intents: intents.map(wordsFor) };
    });
    return (await Promise.all(read)).toSorted((one, other) => one.issue - other.issue);
  }

  async close(): Promise<void> {
    await this.#local.close();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#store.close();
    await rm(this.#directory, { recursive: true });
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (this.#phase === 'down') {
      request.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const header = (name: string): string => String(request.headers[name]);
    const { status } = await this.#app.receive({
      id: header('x-github-delivery'),
      event: header('x-github-event'),
      rawBody: Buffer.concat(chunks),
    });
    response.writeHead(status).end();
  }

  async #enter(phase: Phase): Promise<void> {
    if (phase === this.#phase) return;
    if (this.#phase !== 'up') await this.#comeBack();
    if (phase === 'suspended') this.#local.installations.suspend(1);
    await this.#settled();
    this.#phase = phase;
  }

  async #comeBack(): Promise<void> {
    this.#tick();
    if (this.#phase === 'suspended') this.#local.installations.unsuspend(1);
    await this.#settled();
    this.#phase = 'up';
    await this.#catchUp();
  }

  #catchUp(): Promise<number> {
    const { signal } = new AbortController();
    const missed = new MissedEvents({
      github: this.#app,
      store: this.#store,
      serves: () => true,
      assignee: 'machine',
      leaving: signal,
      log: silent,
    });
    return missed.look(signal, true);
  }

  #tick(): void {
    this.#now += STEP_MS;
    jest.setSystemTime(this.#now);
  }

  #settled(): Promise<void> {
    return this.#local.webhooksSent();
  }

  async #openPull(nth: number): Promise<void> {
    const maintainer = this.#local.as('maintainer');
    const branch = `change-${nth}`;
    this.#tick();
    const change = { branch, files: { [`${nth}.md`]: 'x\n' }, message: 'A change' };
    await maintainer.push(this.#repository, change);
    const pull = { title: 'A change', body: '', head: branch, base: 'main' };
    const { number } = await maintainer.openPull(this.#repository, pull);
    maintainer.comment({ repository: this.#repository, number }, '@issuewright Look at this.');
    await this.#settled();
  }

  async #act({ kind, nth, word }: Deed): Promise<boolean> {
    const maintainer = this.#local.as('maintainer');
    const { issues } = this.#repository;
    if (kind === 'open') {
      this.#openIssue(word);
      return true;
    }
    const wanted = kind === 'review' || kind === 'merge' ? issues.slice(0, PULLS) : issues;
    const issue = wanted[nth % wanted.length];
    if (issue === undefined || !mayHappen(kind, issue, labelAt(word))) return false;
    const at = { repository: this.#repository, number: issue.number };
    if (kind === 'label') maintainer.label(at, labelAt(word));
    if (kind === 'unlabel') maintainer.unlabel(at, labelAt(word));
    if (kind === 'assign') maintainer.assign(at, 'machine');
    if (kind === 'unassign') maintainer.unassign(at, 'machine');
    if (kind === 'say') maintainer.comment(at, WORDS[word % WORDS.length] ?? '');
    if (kind === 'close') await maintainer.close(at);
    if (kind === 'reopen') await maintainer.reopen(at);
    if (kind === 'merge') await maintainer.merge(at);
    if (kind === 'review')
      await this.#local
        .as('helper')
        .review(at, { event: VERDICTS[word % VERDICTS.length] ?? 'APPROVE', body: `No. ${word}` });
    return true;
  }

  #openIssue(word: number): void {
    const labels = word % 3 === 0 ? ['issuewright'] : [];
    const body = word % 4 === 1 ? '@issuewright please.' : '';
    this.#local
      .as('maintainer')
      .openIssue(this.#repository, { title: `No. ${word}`, body, labels });
  }
}

const labelAt = (word: number): string => LABELS[word % LABELS.length] ?? '';

function mayHappen(kind: Deed['kind'], issue: Issue, label: string): boolean {
  const isOpen = issue.state === 'open';
  const has = issue.labels.some(({ name }) => name === label);
  const isAssigned = issue.assignees.length > 0;
  const isMerged = issue.pull?.merged !== undefined;
  switch (kind) {
    case 'label':
      return !has;
    case 'unlabel':
      return has;
    case 'assign':
      return !isAssigned;
    case 'unassign':
      return isAssigned;
    case 'close':
    case 'merge':
    case 'review':
      return isOpen;
    case 'reopen':
      return !isOpen && !isMerged;
    case 'open':
    case 'say':
      return true;
  }
}

/** What is the same in two worlds. */
function wordsFor(intent: Intent): string {
  const { kind } = intent;
  if (kind === 'start') return `start ${intent.label}${intent.assignee ?? ''}: ${intent.title}`;
  if (kind === 'comment') return `comment: ${intent.body}`;
  if (kind === 'review') return `review ${intent.verdict}: ${intent.body}`;
  if (kind === 'unlabeled') return `unlabeled ${intent.label}`;
  return kind === 'pull_request_closed' && intent.merged ? 'merged' : kind;
}
