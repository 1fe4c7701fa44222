// git over HTTP: checks the caller, lets git answer, and sends events for what was pushed.
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { committer } from './actions/committer.ts';
import { announceMoves } from './actions/pulls.ts';
import { branchesForMaintainer } from './actions/forks.ts';
import type { Actor } from './auth.ts';
import {
  askGit,
  headersOf,
  isSecondVersion,
  type GitAnswer,
  type GitService,
} from './git/backend.ts';
import { gitBytes } from './git/git.ts';
import { GitHubError } from './github-error.ts';
import type { Judge } from './git/pre-receive.ts';
import { withReason } from './git/report.ts';
import { admit, mayWriteWorkflows } from './rest/access.ts';
import { violationsOf } from './rules/changes.ts';
import { DECLINED, pushWords } from './rules/words.ts';
import { forbiddenWorkflow, refusedWorkflow } from './rules/workflows.ts';
import type { Services } from './rest/route.ts';
import type { Repository, User } from './state.ts';
import type { World } from './world.ts';

const OPERATIONS = ['info/refs', 'git-upload-pack', 'git-receive-pack'] as const;
type Operation = (typeof OPERATIONS)[number];

interface GitCall {
  readonly request: FastifyRequest;
  readonly repository: Repository;
  readonly service: GitService;
  readonly advertises: boolean;
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
      // Bodies of git's protocol are streamed to git unparsed.
      bodyLimit: 1024 ** 3,
      handler: async (request, reply) => {
        try {
          const call = admitted(services, request, operation, setActor);
          return await answer(services, call, reply);
        } catch (error) {
          if (!(error instanceof GitHubError)) throw error;
          return sendError(reply, error);
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
  const advertises = operation === 'info/refs';
  const asked = new URL(request.url, world.url).searchParams.get('service');
  const service = advertises ? serviceNamed(asked) : operation;
  const isWrite = service === 'git-receive-pack';
  const user = isWrite ? admitPush(world, actor, repository) : admitFetch(world, actor, repository);
  if (isWrite && repository.archived)
    throw new GitHubError(
      'archived-is-read-only',
      403,
      'This repository was archived so it is read-only.',
    );
  return {
    request,
    repository,
    service,
    advertises,
    user,
    mayWriteWorkflows: mayWriteWorkflows(world, actor),
  };
}

const admitFetch = (world: World, actor: Actor, repository: Repository): User =>
  admit(world, actor, repository, 'contents:read', 'read');

/** A maintainer of the base may push to some branches of a fork: the hook's judge says to which. */
function admitPush(world: World, actor: Actor, repository: Repository): User {
  const isMaintainer =
    actor.kind === 'user' && (branchesForMaintainer(world, repository, actor.user)?.size ?? 0) > 0;
  try {
    return admit(world, actor, repository, 'contents:write', isMaintainer ? 'read' : 'write');
  } catch (error) {
    if (!(error instanceof GitHubError) || error.status !== 403 || !('user' in actor)) throw error;
    const { login } = actor.user;
    throw new GitHubError(
      'push-denied',
      403,
      `Permission to ${repository.fullName}.git denied to ${login}.`,
    );
  }
}

function serviceNamed(name: string | null): GitService {
  if (name === 'git-upload-pack' || name === 'git-receive-pack') return name;
  throw new GitHubError('smart-http-only', 403, 'Please upgrade your git client.');
}

/** Redirects git to the new name of the repository. */
function movedTo(url: string, { fullName }: Repository, asked: string): GitHubError {
  const location = `${url}/${fullName}.git/${asked.split('/').slice(3).join('/')}`;
  return new GitHubError('moved-repository', 301, 'Moved Permanently', undefined, { location });
}

function sendError(reply: FastifyReply, error: GitHubError) {
  if (error.status === 401) reply.header('www-authenticate', 'Basic realm="GitHub"');
  reply.headers(error.headers);
  return reply.code(error.status).type('text/plain').send(`${error.message}\n`);
}

async function answer(services: Services, call: GitCall, reply: FastifyReply) {
  const { service, advertises, request } = call;
  reply.headers(headersOf(call));
  if (advertises && service === 'git-upload-pack' && isSecondVersion(request.raw))
    return reply.send(await capabilitiesFor(call));
  if (advertises || service === 'git-upload-pack') return reply.send((await ask(call)).body);
  return services.world.exclusively(call.repository, async () => {
    const before = await call.repository.git.branches();
    await call.repository.git.installHook();
    const judgement = judgeOf(services, call);
    const { body, ended } = await ask(call, judgement.judge);
    const bytes = await readAll(body);
    await ended;
    await announceMoves(services, call.repository, call.user, before);
    const reason = judgement.reason();
    return reply.send(reason === undefined ? bytes : withReason(bytes, reason));
  });
}

/** Judges a push by the rules of the repository. The reason is what git shows beside the name of a ref. */
function judgeOf({ world }: Services, { repository, user, mayWriteWorkflows }: GitCall) {
  let reason: string | undefined;
  const judge: Judge = async ({ moves, objects }) => {
    const caller = { user, mayWriteWorkflows };
    const allowed = branchesForMaintainer(world, repository, user);
    for (const move of moves) {
      if (allowed?.has(move.ref.replace('refs/heads/', '')) === false && user.type === 'User')
        return [`Permission to ${repository.fullName}.git denied to ${user.login}.`];
      const workflow = await forbiddenWorkflow(repository, caller, move, objects);
      if (workflow !== undefined) {
        reason = refusedWorkflow(workflow);
        return [];
      }
      const violations = await violationsOf(world, repository, user, move, objects);
      if (violations.length === 0) continue;
      reason = DECLINED;
      return pushWords(world, repository, move.ref, violations);
    }
    return undefined;
  };
  return { judge, reason: () => reason };
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function ask({ repository, user, ...call }: GitCall, judge?: Judge): Promise<GitAnswer> {
  return askGit({
    directory: repository.git.directory,
    service: call.service,
    advertises: call.advertises,
    as: committer(user),
    raw: call.request.raw,
    body: call.request.body,
    ...(judge === undefined ? {} : { judge }),
  });
}

const capabilities = new WeakMap<Repository, Promise<Buffer>>();

const ADVERTISE = ['upload-pack', '--stateless-rpc', '--advertise-refs', '.'];

/**
 * The capabilities of protocol version 2 do not depend on the refs, so they are cached. They are for all clients: the one
 * that asks first may go away before git has answered.
 */
async function capabilitiesFor({ repository }: GitCall): Promise<Buffer> {
  const known = capabilities.get(repository);
  if (known !== undefined) return known;
  const environment = { GIT_PROTOCOL: 'version=2' };
  const asked = gitBytes(repository.git.directory, ADVERTISE, { environment });
  capabilities.set(repository, asked);
  asked.catch(() => capabilities.delete(repository));
  return asked;
}
