// git over HTTP: `git http-backend` does the talking, this decides who may and tells of what moved.
import { spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { announceMoves, committer } from './actions/pulls.ts';
import type { Actor } from './auth.ts';
import { allows } from './auth.ts';
import { gitEnvironment } from './git.ts';
import { GitHubError } from './github-error.ts';
import { admit } from './rest/access.ts';
import type { Services } from './rest/route.ts';
import type { Repository, User } from './state.ts';

interface GitAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
  /** Resolves when the backend has ended. */
  readonly ended: Promise<void>;
}

const OPERATIONS = ['info/refs', 'git-upload-pack', 'git-receive-pack'] as const;
type Operation = (typeof OPERATIONS)[number];

interface GitCall {
  readonly request: FastifyRequest;
  readonly repository: Repository;
  readonly operation: Operation;
  readonly user: User;
  readonly mayWriteWorkflows: boolean;
}

export function registerGitHttp(
  server: FastifyInstance,
  services: Services,
  setActor: (request: FastifyRequest, actor: Actor) => void,
): void {
  for (const operation of OPERATIONS)
    server.route<{ Params: { owner: string; repo: string } }>({
      method: operation === 'info/refs' ? 'GET' : 'POST',
      url: `/:owner/:repo/${operation}`,
      // The protocol's own bodies are handed to git unread.
      bodyLimit: 1024 ** 3,
      handler: async (request, reply) => {
        try {
          const call = admitted(services, request, operation, setActor);
          return await answer(services, call, reply);
        } catch (error) {
          if (!(error instanceof GitHubError)) throw error;
          return refuse(reply, error);
        }
      },
    });
}

function admitted(
  services: Services,
  request: FastifyRequest<{ Params: { owner: string; repo: string } }>,
  operation: Operation,
  setActor: (request: FastifyRequest, actor: Actor) => void,
): GitCall {
  const { owner, repo } = request.params;
  const { world, authentication } = services;
  const name = repo.replace(/\.git$/, '');
  const renamed = world.moves.repository(`${owner}/${name}`);
  if (renamed !== undefined) throw movedTo(world.url, renamed, request.url);
  const repository = world.repository(owner, name);
  const actor = authentication.identify(request.headers.authorization);
  setActor(request, actor);
  const service = new URL(request.url, world.url).searchParams.get('service');
  const isWrite = operation === 'git-receive-pack' || service === 'git-receive-pack';
  const permission = isWrite ? 'contents:write' : 'contents:read';
  const user = admit(world, actor, repository, permission, isWrite ? 'write' : 'read');
  if (isWrite && repository.archived)
    throw new GitHubError(403, 'This repository was archived so it is read-only.');
  const mayWriteWorkflows = actor.kind !== 'installation' || allows(actor.token, 'workflows:write');
  return { request, repository, operation, user, mayWriteWorkflows };
}

/** git is led to the same address below the new name. */
function movedTo(url: string, { fullName }: Repository, asked: string): GitHubError {
  const location = `${url}/${fullName}.git/${asked.split('/').slice(3).join('/')}`;
  return new GitHubError(301, 'Moved Permanently', undefined, { location });
}

function refuse(reply: FastifyReply, error: GitHubError) {
  if (error.status === 401) reply.header('www-authenticate', 'Basic realm="GitHub"');
  reply.headers(error.headers);
  return reply.code(error.status).type('text/plain').send(`${error.message}\n`);
}

async function answer(services: Services, call: GitCall, reply: FastifyReply) {
  if (call.operation !== 'git-receive-pack') {
    const { status, headers, body } = await backend(services, call);
    return reply.code(status).headers(headers).send(body);
  }
  return services.world.exclusively(call.repository, async () => {
    const before = await call.repository.git.branches();
    const { status, headers, body, ended } = await backend(services, call);
    const bytes = await readAll(body);
    await ended;
    await announceMoves(services, call.repository, call.user, before);
    return reply.code(status).headers(headers).send(bytes);
  });
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function backend(services: Services, call: GitCall): Promise<GitAnswer> {
  const { request, repository } = call;
  const child = spawn('git', ['http-backend'], {
    cwd: repository.git.directory,
    env: backendEnvironment(services, call),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stdin.on('error', () => undefined); // git may answer before it has read everything
  if (isStream(request.body)) request.body.pipe(child.stdin);
  else child.stdin.end();
  // Without its end, git looks for the rest of a request for ever, and takes a processor for it.
  const killBroken = (): void => {
    const { complete, destroyed, socket } = request.raw;
    if (socket.destroyed || (destroyed && !complete)) child.kill();
  };
  request.raw.once('close', killBroken);
  request.raw.socket.once('close', killBroken);
  killBroken();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    let head = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      child.stdout.off('data', onData);
      const body = new PassThrough();
      body.write(head.subarray(end + 4));
      child.stdout.pipe(body);
      resolve({ ...readHead(head.subarray(0, end).toString()), body, ended });
    };
    child.stdout.on('data', onData);
    child.stdout.once('end', () => reject(new Error('git http-backend gave no answer')));
  });
}

const isStream = (body: unknown): body is IncomingMessage =>
  typeof body === 'object' && body !== null && 'pipe' in body;

function backendEnvironment(services: Services, call: GitCall): Record<string, string> {
  const { request, repository, operation, user } = call;
  const header = (name: string): string => String(request.headers[name] ?? '');
  const length = header('content-length');
  return {
    ...gitEnvironment(committer(user)),
    GIT_PROJECT_ROOT: repository.git.directory,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: header('git-protocol'),
    PATH_INFO: `/${operation}`,
    QUERY_STRING: new URL(request.url, services.world.url).search.slice(1),
    REQUEST_METHOD: request.method,
    REMOTE_USER: user.login,
    REMOTE_ADDR: '127.0.0.1',
    CONTENT_TYPE: header('content-type'),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    ...(length === '' ? {} : { CONTENT_LENGTH: length }),
    LOCAL_GITHUB_WORKFLOWS: call.mayWriteWorkflows ? 'allowed' : 'refused',
  };
}

function readHead(text: string): { status: number; headers: Record<string, string> } {
  const lines = text.split('\r\n').map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const status = lines.find(([name]) => name === 'status')?.[1];
  return {
    status: status === undefined ? 200 : Number.parseInt(status, 10),
    headers: Object.fromEntries(lines.filter(([name]) => name !== 'status')),
  };
}
