// Bare repositories on a loopback port, served by git's own http-backend: the real counterpart of the
// workspace. A token is asked for as GitHub does: as the password of `x-access-token`.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs';
import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const IDENTITY = ['-c', 'user.name=maintainer', '-c', 'user.email=maintainer@example.test'];
const ENVIRONMENT = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** Runs native git; answers what it printed, trimmed. */
export function nativeGit(directory: string, ...args: string[]): string {
  const options = { cwd: directory, env: ENVIRONMENT, maxBuffer: 64 * 1024 * 1024 };
  return execFileSync('git', [...IDENTITY, ...args], { ...options, stdio: 'pipe' })
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

export async function startGitServer(): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'git-server-'));
  const server = http.createServer((request, response) => {
    world.requests.push(`${request.method} ${request.url}`);
    request.on('data', (chunk: Buffer) => (world.bytesReceived += chunk.byteLength));
    if (world.intercept?.(request, response) === true) return;
    if (request.headers.authorization !== authorization(world.token)) {
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end('Bad credentials');
    } else {
      serveGit(root, request, response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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

function serveGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...ENVIRONMENT,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'],
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'x-access-token',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => {});
  response.on('close', () => backend.kill());
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => answer(response, Buffer.concat(chunks)));
}

/** What a CGI program printed: header lines, an empty line, the body. */
function answer(response: ServerResponse, output: Buffer): void {
  const end = output.indexOf('\r\n\r\n');
  const lines = output.subarray(0, end).toString().split('\r\n');
  let status = 200;
  for (const line of lines) {
    const [name = '', value = ''] = line.split(/:\s*(.*)/s);
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else if (name !== '') response.setHeader(name, value);
  }
  response.writeHead(status).end(output.subarray(end + 4));
}

function createRepository(root: string, origin: string, name: string, files: Seed): TestRepository {
  const directory = join(root, `${name}.git`);
  const checkout = join(root, `${name}.checkout`);
  mkdirSync(dirname(directory), { recursive: true });
  nativeGit(root, 'init', '-q', '--bare', '-b', 'main', directory);
  nativeGit(directory, 'config', 'http.receivepack', 'true');
  nativeGit(directory, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  nativeGit(root, 'init', '-q', '-b', 'main', checkout);
  nativeGit(checkout, 'remote', 'add', 'origin', directory);
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
      if (words === undefined) rmSync(hook, { force: true });
      else writeFileSync(hook, script, { mode: 0o755 });
    },
  };
  if (Object.keys(files).length > 0) repository.commit(files);
  return repository;
}

function commitFiles(checkout: string, files: Seed, branch: string): string {
  const known = nativeGit(checkout, 'branch', '--list', branch) !== '';
  const current = nativeGit(checkout, 'symbolic-ref', '--short', 'HEAD');
  if (branch !== current)
    nativeGit(checkout, 'checkout', '-q', ...(known ? [branch] : ['-b', branch]));
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
