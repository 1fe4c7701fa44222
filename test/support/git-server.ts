// Bare repositories on a loopback port, served by git itself: the real counterpart of the workspace. A token is
// asked for as GitHub does: as the password of `x-access-token`. A process of git takes longer than most of what a
// test does with it, so there are as few as can be.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { askGit, type GitService } from '../../packages/local-github/src/github/git/backend.ts';

const MAINTAINER = { name: 'maintainer', email: 'maintainer@example.test' };
const SETTINGS = [
  ['user.name', MAINTAINER.name],
  ['user.email', MAINTAINER.email],
  ['maintenance.auto', 'false'],
  // A wait for the disk takes seconds on a machine that writes much else.
  ['core.fsync', 'none'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);
const ENVIRONMENT = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** Runs native git; answers what it printed, trimmed. */
export function nativeGit(directory: string, ...args: string[]): string {
  const options = { cwd: directory, env: ENVIRONMENT, maxBuffer: 64 * 1024 * 1024 };
  return execFileSync('git', [...SETTINGS, ...args], { ...options, stdio: 'pipe' })
    .toString()
    .trim();
}

interface SeedFile {
  readonly content: string | Uint8Array;
  readonly mode?: 'file' | 'executable' | 'symlink';
}
type Seed = Readonly<Record<string, string | Uint8Array | SeedFile>>;

export interface TestRepository {
  readonly url: string;
  /** The bare repository. */
  readonly directory: string;
  /** A clone of a person, to commit and push from with native git. */
  readonly checkout: string;
  /** Commits files on a branch in the person's clone and pushes it; answers the commit. */
  commit(files: Seed, branch?: string): string;
  git(...args: string[]): string;
  head(branch?: string): string;
  /** Denies pushes from now on with this message; `undefined` allows them again. */
  denyPushes(words: string | undefined): void;
}

export interface GitServer {
  readonly origin: string;
  /** Method and path of each request, with its query. */
  readonly requests: string[];
  /** Bytes that came in as request bodies. */
  bytesReceived: number;
  /** The token that is accepted. */
  token: string;
  /** When set, answers a request in the place of git; false lets git answer after all. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  createRepository(name: string, files: Seed): TestRepository;
  close(): Promise<void>;
}

interface Certified {
  readonly key: Buffer;
  readonly cert: Buffer;
}

interface ServerOptions {
  /** Its key and certificate; without them it speaks HTTP. */
  readonly tls?: Certified;
  /** Whether it leaves files out if it is asked to. */
  readonly canFilter?: boolean;
}

export async function startGitServer({
  tls,
  canFilter = true,
}: ServerOptions = {}): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'git-server-'));
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    world.requests.push(`${request.method} ${request.url}`);
    request.on('data', (chunk: Buffer) => (world.bytesReceived += chunk.byteLength));
    if (world.intercept?.(request, response) === true) return;
    if (request.headers.authorization !== authorization(world.token)) {
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end('Bad credentials');
    } else {
      const environment = { ...SERVES, GIT_CONFIG_VALUE_2: String(canFilter) };
      serveGit(root, environment, request, response).catch((error: unknown) =>
        response.destroy(error as Error),
      );
    }
  };
  const server = tls === undefined ? http.createServer(answer) : https.createServer(tls, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world: GitServer = {
    origin,
    requests: [],
    bytesReceived: 0,
    token: 'token-of-the-test',
    intercept: undefined,
    createRepository: (name, files) => createRepository(root, origin, name, files),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
  return world;
}

const authorization = (token: string): string =>
  `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

async function serveGit(
  root: string,
  environment: Readonly<Record<string, string>>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const [, name = '', operation = ''] =
    /^\/(.*?)\/(info\/refs|git-[a-z]+-pack)$/.exec(pathname) ?? [];
  const advertises = operation === 'info/refs';
  const service = advertises ? searchParams.get('service') : operation;
  const directory = join(root, name);
  if (!isService(service) || !existsSync(directory)) return void response.writeHead(404).end();
  const { headers, body } = await askGit({
    directory,
    service,
    advertises,
    as: MAINTAINER,
    raw: request,
    body: request,
    environment,
  });
  await pipeline(body, response.writeHead(200, headers));
}

/**
 * Settings of git: that any commit and parts of it can be fetched, as from GitHub; that a push tidies nothing up, and waits
 * for no disk.
 */
const SERVES = {
  GIT_CONFIG_COUNT: '4',
  GIT_CONFIG_KEY_0: 'uploadpack.allowAnySHA1InWant',
  GIT_CONFIG_VALUE_0: 'true',
  GIT_CONFIG_KEY_1: 'receive.autogc',
  GIT_CONFIG_VALUE_1: 'false',
  GIT_CONFIG_KEY_2: 'uploadpack.allowFilter',
  GIT_CONFIG_VALUE_2: 'true',
  GIT_CONFIG_KEY_3: 'core.fsync',
  GIT_CONFIG_VALUE_3: 'none',
};

const isService = (name: string | null): name is GitService =>
  name === 'git-upload-pack' || name === 'git-receive-pack';

function createRepository(root: string, origin: string, name: string, files: Seed): TestRepository {
  const directory = join(root, `${name}.git`);
  const checkout = join(root, `${name}.checkout`);
  mkdirSync(dirname(directory), { recursive: true });
  nativeGit(root, 'init', '-q', '--bare', '-b', 'main', '--template=', directory);
  nativeGit(root, 'init', '-q', '-b', 'main', '--template=', checkout);
  appendFileSync(join(checkout, '.git/config'), `[remote "origin"]\n\turl = ${directory}\n`);
  const repository: TestRepository = {
    url: `${origin}/${name}.git`,
    directory,
    checkout,
    commit: (changed, branch = 'main') => commitFiles(checkout, changed, branch),
    git: (...args) => nativeGit(directory, ...args),
    head: (branch = 'main') => nativeGit(directory, 'rev-parse', `refs/heads/${branch}`),
    denyPushes: (words) => {
      const hook = join(directory, 'hooks', 'pre-receive');
      const script = `#!/bin/sh\ncat <<'WORDS' >&2\n${words}\nWORDS\nexit 1\n`;
      mkdirSync(dirname(hook), { recursive: true });
      if (words === undefined) rmSync(hook, { force: true });
      else writeFileSync(hook, script, { mode: 0o755 });
    },
  };
  if (Object.keys(files).length > 0) repository.commit(files);
  return repository;
}

function commitFiles(checkout: string, files: Seed, branch: string): string {
  if (readFileSync(join(checkout, '.git/HEAD'), 'utf8').trim() !== `ref: refs/heads/${branch}`) {
    const known = nativeGit(checkout, 'branch', '--list', branch) !== '';
    nativeGit(checkout, 'checkout', '-q', ...(known ? [branch] : ['-b', branch]));
  }
  for (const [path, file] of Object.entries(files)) {
    const { content, mode = 'file' } =
      typeof file === 'string' || file instanceof Uint8Array ? { content: file } : file;
    const place = join(checkout, path);
    mkdirSync(dirname(place), { recursive: true });
    if (mode === 'symlink') symlinkSync(String(content), place);
    else writeFileSync(place, content);
    if (mode === 'executable') chmodSync(place, 0o755);
  }
  nativeGit(checkout, 'add', '--force', '--all');
  nativeGit(checkout, 'commit', '-q', '--allow-empty', '-m', 'Change files');
  nativeGit(checkout, 'push', '-q', 'origin', branch);
  return nativeGit(checkout, 'rev-parse', 'HEAD');
}
