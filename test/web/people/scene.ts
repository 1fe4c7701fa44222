// Session pages with the sign-in of GitHub: the local GitHub, a real store, and browsers that keep cookies.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { pino } from 'pino';
import {
  startLocalGitHub,
  type LocalGitHub,
} from '../../../packages/local-github/src/github/local-github.ts';
import { readConfig } from '../../../src/config.ts';
import { sessionReader } from '../../../src/app/session-reader.ts';
import { createGitHub } from '../../../src/github/index.ts';
import { createRedactor } from '../../../src/lib/text/redact.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { createPageServer, type PageServerOptions } from '../../../src/web/page-server.ts';
import { freePort } from '../../../packages/local-github/src/free-port.ts';
import { GOOD } from '../../config/good.ts';
import { delivery, sessionOf } from '../../contract/store-world.ts';
import { PRIVATE_KEY } from '../../support/private-key.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { openTestStore } from '../../support/test-database.ts';
import { ask, TOKEN, type Answer } from '../support.ts';

export const CLIENT = { clientId: 'Iv23local1', clientSecret: 'the-client-secret-of-this-test' };

export interface Scene {
  readonly github: LocalGitHub;
  readonly store: OpenStore;
  readonly url: string;
  /** A session of each repository. */
  readonly sessions: Readonly<Record<'alpha' | 'beta', string>>;
  readonly log: readonly string[];
  /** Milliseconds that the clock of the pages is ahead. */
  ahead: number;
  close(): Promise<void>;
}

type Options = Pick<PageServerOptions, 'limits' | 'streams'> & {
  /** As in `ADMINS`. */
  readonly admins?: string;
  /** Where people reach the pages, by a proxy that the test plays. */
  readonly publicUrl?: string;
};

/** `ada` writes to alpha and reads beta, `bob` reads beta, `eve` reads nothing, `root` administers the service. */
export async function openScene({ admins = 'root', ...options }: Options = {}): Promise<Scene> {
  const port = await freePort();
  const publicUrl = options.publicUrl ?? `http://127.0.0.1:${port}`;
  const github = await startLocalGitHub({
    directory: temporaryDirectory(),
    app: {
      id: 1,
      slug: 'bot',
      name: 'Bot',
      privateKeyPem: PRIVATE_KEY,
      webhookSecret: 'secret',
      clientSecret: CLIENT.clientSecret,
      callbackUrls: [`${publicUrl}/sign-in/callback`],
    },
    users: ['ada', 'bob', 'eve', 'root'].map((login) => ({ login })),
  });
  const store = await openTestStore();
  const sessions = {
    alpha: await openSession(github, store, 'alpha', { ada: 'write' }),
    beta: await openSession(github, store, 'beta', { ada: 'read', bob: 'read' }),
  };
  const log: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => log.push(line) });
  const app = createGitHub({
    appId: 1,
    privateKey: PRIVATE_KEY,
    webhookSecrets: ['secret'],
    enterprise: { host: new URL(github.url).host, protocol: 'http' },
    log: logger,
    redactor: createRedactor([]),
    backoffMs: 1,
  });
  const scene = { github, store, sessions, log, ahead: 0 };
  const server = createPageServer({
    log: logger,
    pages: sessionReader(store),
    token: TOKEN,
    people: {
      ...CLIENT,
      admins: adminsOf(admins),
      authorization: app.userAuthorization(CLIENT),
      store: store.signIns,
      now: () => Date.now() + scene.ahead,
    },
    ...(options.publicUrl === undefined ? {} : { publicUrl }),
    ...options,
  });
  const url = await server.listen('127.0.0.1', port);
  const close = async (): Promise<void> => {
    await server.close();
    await store.close();
    await github.close();
  };
  return Object.assign(scene, { url, close });
}

/** What the service reads of the setting. */
const adminsOf = (setting: string): ReadonlyMap<string, number | undefined> => {
  const client = { CLIENT_ID: CLIENT.clientId, CLIENT_SECRET: CLIENT.clientSecret };
  return readConfig({ ...GOOD, ...client, ADMINS: setting }).signIn?.admins ?? new Map();
};

async function openSession(
  github: LocalGitHub,
  store: OpenStore,
  name: string,
  collaborators: Record<string, 'read' | 'write'>,
): Promise<string> {
  const files = { 'README.md': name };
  const repository = await github.createRepository({
    owner: 'example',
    name,
    files,
    collaborators,
  });
  const { id } = repository;
  github.as('ada').openIssue(repository, { title: `Work on ${name}` });
  const accepted = await store.accept(
    {
      installation: 1,
      repository: { id, owner: 'example', name },
      thread: { on: 'issue', number: 1 },
      sender: { login: 'ada', id: 9 },
      meaning: name,
      intent: { kind: 'start', label: 'agent', title: `Work on ${name}`, body: '' },
    },
    delivery(),
  );
  return sessionOf(accepted);
}

/** Keeps the cookies of the pages, as a browser does, and follows nothing by itself. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** The header that goes with each request. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#ask(path, { headers });
  }

  /** Like a form of these pages. */
  async post(
    path: string,
    headers: Record<string, string> = {},
    form: Record<string, string> = {},
  ): Promise<Answer> {
    const own = { origin: this.#scene.url, 'sec-fetch-site': 'same-origin' };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(form).toString();
    return this.#ask(path, { method: 'POST', headers: { ...own, ...type, ...headers }, body });
  }

  /** Begins to sign in. Returns the address of GitHub. */
  async begin(back = '/sessions'): Promise<string> {
    const { headers } = await this.get(`/sign-in?${new URLSearchParams({ back }).toString()}`);
    return headers.location ?? '';
  }

  /** Signs in as this person. Returns what the pages say of what GitHub leads back with. */
  async signIn(as: string, back?: string): Promise<Answer> {
    return this.get(await agree(this.#scene, await this.begin(back), as));
  }

  async #ask(path: string, options: NonNullable<Parameters<typeof ask>[1]>): Promise<Answer> {
    const { cookie } = this;
    const headers = { ...(cookie === '' ? {} : { cookie }), ...options.headers };
    const answer = await ask(this.#scene.url + path, { ...options, headers });
    for (const set of answer.headers['set-cookie'] ?? []) this.#keep(set);
    return answer;
  }

  #keep(set: string): void {
    const [pair = ''] = set.split(';');
    const name = pair.slice(0, pair.indexOf('='));
    if (set.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(name.length + 1));
  }
}

/** Opens the news of a session; `ends` resolves when they end. */
export async function listen({ url }: Pick<Scene, 'url'>, cookie: string, session: string) {
  const asked = get(`${url}/sessions/${session}/events?after=0`, {
    headers: { cookie },
    agent: false,
  });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  response.resume();
  return {
    response,
    status: response.statusCode,
    ends: new Promise((resolve) => response.once('close', resolve)),
  };
}

/** Decides on the page of GitHub. Returns the path and the query that it leads back to. */
export async function agree(
  { github }: Pick<Scene, 'github'>,
  address: string,
  as: string,
  decision = 'yes',
): Promise<string> {
  const query = new URL(address).search.slice(1);
  const answer = await fetch(`${github.url}/login/oauth/authorize`, {
    method: 'POST',
    body: new URLSearchParams({ query, as, decision }),
    redirect: 'manual',
  });
  const back = new URL(answer.headers.get('location') ?? '');
  return back.pathname + back.search;
}
