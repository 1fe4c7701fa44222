import {
  changeCheck,
  checkContext,
  createCheck,
  findCheck,
  findSuite,
  suiteOf,
} from '../actions/checks.ts';
import { runAgain, runSuiteAgain } from '../actions/workflows.ts';
import { CheckRunChange, NewCheckRun, parseBySchema } from '../checks/bodies.ts';
import type { CheckRun, CheckSuite } from '../checks/state.ts';
import { latestRuns, suitesOf } from '../checks/state.ts';
import { checkFacts } from '../git/check-facts.ts';
import { GitHubError, notAccessible } from '../github-error.ts';
import { annotationPayload, checkRunPayload, checkSuiteInFull } from '../payloads/check.ts';
import { commitNamed } from './history.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, namedPage, numberParam, ok, page } from './route.ts';

const checkOf = (request: RepositoryRequest): CheckRun =>
  findCheck(request.repository, numberParam(request, 'id'));

const suiteNamed = (request: RepositoryRequest): CheckSuite =>
  findSuite(request.repository, numberParam(request, 'id'));

async function present({ services, repository }: RepositoryRequest, run: CheckRun) {
  const suite = suiteOf(repository, run);
  const facts = await checkFacts(repository, suite.headSha);
  return checkRunPayload(services.world, repository, run, { ...facts, suite });
}

async function presentSuite({ services, repository }: RepositoryRequest, suite: CheckSuite) {
  const facts = await checkFacts(repository, suite.headSha);
  return checkSuiteInFull(services.world, repository, suite, facts);
}

/** Only Apps have checks. */
function requireApp({ actor }: RepositoryRequest): void {
  if (actor.kind !== 'installation')
    throw new GitHubError('checks-by-apps', 403, 'You must authenticate via a GitHub App.');
}

function requireOwn({ services }: RepositoryRequest, { app }: CheckSuite): void {
  if (app.id !== services.world.app.id)
    throw new GitHubError(
      'checks-of-others',
      403,
      `Invalid app_id \`${app.id}\` - check run can only be modified by the GitHub App that created it.`,
    );
}

async function create(request: RepositoryRequest) {
  requireApp(request);
  const { services, repository, user, body } = request;
  const wanted = parseBySchema(NewCheckRun, body);
  const run = await createCheck(services, repository, user, services.world.app, wanted);
  return created(await present(request, run));
}

async function change(request: RepositoryRequest) {
  requireApp(request);
  const { services, repository, user, body } = request;
  const run = checkOf(request);
  const suite = suiteOf(repository, run);
  requireOwn(request, suite);
  const wanted = parseBySchema(CheckRunChange, body);
  changeCheck(await checkContext(services, repository, user, suite.headSha), run, wanted);
  return ok(await present(request, run));
}

function listAnnotations(request: RepositoryRequest) {
  const { services, repository } = request;
  const run = checkOf(request);
  const { headSha } = suiteOf(repository, run);
  return page(request, run.annotations, (annotation) =>
    annotationPayload(services.world, repository, headSha, annotation),
  );
}

/** Newest first (rule `newest-first`). */
function selected(request: RepositoryRequest, suites: readonly CheckSuite[]): CheckRun[] {
  const { query, repository } = request;
  const { checks } = repository;
  const isAll = query['filter'] === 'all';
  return suites
    .filter(({ app }) => query['app_id'] === undefined || query['app_id'] === String(app.id))
    .flatMap((suite) =>
      isAll ? checks.runs.filter((one) => one.suiteId === suite.id) : latestRuns(checks, suite),
    )
    .filter(({ name }) => query['check_name'] === undefined || query['check_name'] === name)
    .filter(({ status }) => query['status'] === undefined || query['status'] === status)
    .toSorted((one, other) => other.id - one.id);
}

const listRuns = (request: RepositoryRequest, suites: readonly CheckSuite[]) =>
  namedPage(request, 'check_runs', selected(request, suites), (run) => present(request, run));

async function listForCommit(request: RepositoryRequest) {
  const sha = await commitNamed(request.repository, request.params['ref'] ?? '');
  return listRuns(request, suitesOf(request.repository.checks, sha));
}

async function listSuites(request: RepositoryRequest) {
  const { query, repository, params } = request;
  const sha = await commitNamed(repository, params['ref'] ?? '');
  const { app_id: appId, check_name: name } = query;
  const suites = suitesOf(repository.checks, sha)
    .filter(({ app }) => appId === undefined || appId === String(app.id))
    .filter((suite) => name === undefined || hasRun(request, suite, name));
  return namedPage(request, 'check_suites', suites, (suite) => presentSuite(request, suite));
}

const hasRun = ({ repository }: RepositoryRequest, suite: CheckSuite, name: string): boolean =>
  latestRuns(repository.checks, suite).some((run) => run.name === name);

/** An App may ask for its own checks again; Actions has routes of its own for its jobs. */
function requireRerequestable(request: RepositoryRequest, { app }: CheckSuite): void {
  if (request.actor.kind === 'installation' && app.id !== request.services.world.app.id)
    throw notAccessible('checks:write');
}

async function rerequest(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const run = checkOf(request);
  requireRerequestable(request, suiteOf(repository, run));
  await runAgain(services, repository, user, run);
  return created({});
}

async function rerequestWhole(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const suite = suiteNamed(request);
  requireRerequestable(request, suite);
  await runSuiteAgain(services, repository, user, suite);
  return created({});
}

const read = { method: 'GET', permission: 'checks:read' } as const;
const write = { permission: 'checks:write', role: 'write' } as const;

export const checkRoutes: readonly RepositoryRoute[] = [
  { ...write, method: 'POST', path: '/check-runs', handle: create },
  { ...write, method: 'PATCH', path: '/check-runs/:id', handle: change },
  {
    ...read,
    path: '/check-runs/:id',
    handle: async (request) => ok(await present(request, checkOf(request))),
  },
  { ...read, path: '/check-runs/:id/annotations', handle: listAnnotations },
  { ...write, method: 'POST', path: '/check-runs/:id/rerequest', handle: rerequest },
  { ...read, path: '/commits/:ref/check-runs', handle: listForCommit },
  { ...read, path: '/commits/:ref/check-suites', handle: listSuites },
  {
    ...read,
    path: '/check-suites/:id',
    handle: async (request) => ok(await presentSuite(request, suiteNamed(request))),
  },
  {
    ...read,
    path: '/check-suites/:id/check-runs',
    handle: (request) => listRuns(request, [suiteNamed(request)]),
  },
  { ...write, method: 'POST', path: '/check-suites/:id/rerequest', handle: rerequestWhole },
];
