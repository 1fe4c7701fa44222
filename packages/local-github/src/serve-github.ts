import { writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import {
  ADD_USAGE,
  askRunning,
  readAddRequest,
  runningAddress,
  runningFile,
} from './add-to-github.ts';
import { firstSignal } from '../../../src/commands/command.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import type { PlaygroundCommand } from './command.ts';
import { EVENTS, PERMISSIONS, startLocalGitHub, type LocalGitHub } from './github/local-github.ts';
import { clientIdOf } from './github/user-sign-in.ts';
import { listenOnPort } from './listen-on-port.ts';
import { SAMPLE } from './sample/index.ts';
import { newPrivateKey } from './private-key.ts';
import { spellCommand } from '../../../src/lib/program-name.ts';
import {
  DirectoryInUse,
  lockDirectory,
  type DirectoryLock,
} from '../../../src/store/embedded/lock.ts';

const PORT = 3456;
const FOLDER = 'data/github';
const WEBHOOK = 'http://127.0.0.1:3000/api/github/webhooks';

/** Apps of all kinds are developed here, also those with checks. */
const OF_CHECKS = { checks: 'write', statuses: 'write', actions: 'write' } as const;

const App = z.strictObject({
  id: z.number(),
  slug: z.string(),
  name: z.string(),
  webhookSecret: z.string(),
  webhookUrl: z.string(),
  clientSecret: z.string().optional(),
  callbackUrls: z.array(z.string()).optional(),
  /** Of an App that was created from a manifest. */
  permissions: z.record(z.string(), z.enum(['read', 'write'])).optional(),
  events: z.array(z.string()).optional(),
});
type App = z.infer<typeof App>;

export const github: PlaygroundCommand = {
  name: 'github',
  summary:
    'a GitHub on this machine for developing Apps (--port, --data FOLDER, --webhook URL); add …',
  run: async ({ arguments: args, print }) => {
    if (args[0] === 'add') return addToGitHub(args, print);
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        data: { type: 'string', default: FOLDER },
        webhook: { type: 'string' },
      },
    });
    const folder = path.resolve(values.data);
    const lock = await lockFolder(folder);
    const app = await openApp(folder, values.webhook);
    const stopped = firstSignal();
    const key = randomBytes(32).toString('hex');
    const server = await listen(folder, app, { port: values.port, print, key });
    await createSample(server);
    const running = JSON.stringify({ url: server.url, key });
    await writeFile(runningFile(folder), running, { mode: 0o600 });
    print(welcome(server, folder, app));
    await stopped;
    await rm(runningFile(folder), { force: true });
    await server.close();
    lock.release();
    return 0;
  },
};

async function addToGitHub(words: readonly string[], print: (text: string) => void) {
  const request = readAddRequest(words, FOLDER);
  if (request === undefined) {
    print(ADD_USAGE);
    return 2;
  }
  const told = await askRunning(request);
  if (told !== undefined) print(told);
  else {
    const { folder, addition } = request;
    const lock = await lockFolder(folder);
    const server = await listen(folder, await openApp(folder, undefined), { port: '0', print });
    try {
      const message = await server.add(addition);
      print(`${message}\nIt is there when \`${spellCommand('github')}\` starts.`);
    } finally {
      await server.close();
      lock.release();
    }
  }
  return 0;
}

/** Makes this process the only one that changes the folder, which it creates if there is none. */
async function lockFolder(folder: string): Promise<DirectoryLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const lock = lockDirectory(folder);
    // Of a server that was killed.
    await rm(runningFile(folder), { force: true });
    return lock;
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
    const url = await runningAddress(folder);
    const where = url === undefined ? '' : ` at ${url}`;
    throw new Error(
      `A local GitHub${where}${error.owner} has the folder ${folder} already. Use that one, stop it first, or choose another folder with --data.`,
      { cause: error },
    );
  }
}

const appFile = (folder: string): string => path.join(folder, 'app.json');
const textOf = (app: App): string => `${JSON.stringify(app, undefined, 2)}\n`;
const keyFile = (folder: string): string => path.join(folder, 'app.pem');

/** Reads the App of the folder. If there is none yet, creates one with a new key. */
async function openApp(folder: string, webhook: string | undefined): Promise<App> {
  const file = appFile(folder);
  const known = await readApp(file);
  const app = {
    ...newSignIn(),
    ...(known ?? newApp()),
    ...(webhook === undefined ? {} : { webhookUrl: webhook }),
  };
  if (URL.parse(app.webhookUrl)?.protocol !== 'http:')
    throw new Error(`--webhook ${app.webhookUrl} is not an http:// address`);
  const ownerOnly = { mode: 0o600 };
  if (known === undefined) await writeFile(keyFile(folder), newPrivateKey(), ownerOnly);
  await writeFile(file, textOf(app), ownerOnly);
  return app;
}

async function readApp(file: string): Promise<App | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Object && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return App.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Also for an App of an earlier version. */
const newSignIn = () => ({
  clientSecret: randomBytes(20).toString('hex'),
  callbackUrls: ['http://127.0.0.1:3001/sign-in/callback'],
});

const newApp = (): App => ({
  id: 1,
  slug: 'issuewright',
  name: 'Issuewright',
  webhookSecret: randomBytes(32).toString('hex'),
  webhookUrl: WEBHOOK,
});

async function listen(
  folder: string,
  app: App,
  { port, print, key }: { port: string | undefined; print: (text: string) => void; key?: string },
): Promise<LocalGitHub> {
  const privateKeyPem = await readFile(keyFile(folder), 'utf8');
  const start = (number: number) =>
    startLocalGitHub({
      directory: path.join(folder, 'repositories'),
      worldFile: path.join(folder, 'world.json'),
      app: {
        ...app,
        privateKeyPem,
        permissions: app.permissions ?? { ...PERMISSIONS, ...OF_CHECKS },
        events: app.events ?? [...EVENTS, 'check_run', 'check_suite', 'status', 'workflow_run'],
      },
      users: [{ login: SAMPLE.maintainer }],
      port: number,
      ...(key === undefined ? {} : { additionKey: key }),
      onNewApp: ({ privateKeyPem: key, ...made }) => {
        writeFileSync(keyFile(folder), key, { mode: 0o600 });
        writeFileSync(
          appFile(folder),
          textOf({ ...made, events: [...made.events], callbackUrls: [...made.callbackUrls] }),
          {
            mode: 0o600,
          },
        );
      },
    });
  return listenOnPort(port, PORT, { start, print });
}

async function createSample(server: LocalGitHub): Promise<void> {
  if (server.hasRepositories) return;
  const repository = await server.createRepository({
    owner: SAMPLE.owner,
    name: SAMPLE.name,
    files: SAMPLE.files,
    collaborators: { [SAMPLE.maintainer]: 'admin' },
  });
  server.as(SAMPLE.maintainer).openIssue(repository, SAMPLE.issue);
}

const welcome = (server: LocalGitHub, folder: string, app: App): string => `
A GitHub on this machine. Everything in it stays in ${folder}

  Open   ${server.url}/${SAMPLE.owner}/${SAMPLE.name}

For the App that you develop:

GHE_HOST=${new URL(server.url).host}
GHE_PROTOCOL=http
APP_ID=${app.id}
PRIVATE_KEY_PATH=${keyFile(folder)}
WEBHOOK_SECRET=${app.webhookSecret}
CLIENT_ID=${clientIdOf(app)}
CLIENT_SECRET=${app.clientSecret ?? ''}
ALLOWED_OWNERS=${SAMPLE.owner}

Webhooks go to ${app.webhookUrl} (--webhook URL changes that).
Ctrl-C stops it.`;
