// The routes of the pages.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { headRepository } from '../actions/forks.ts';
import { assignableIn } from '../actions/assignees.ts';
import { findIssue } from '../actions/issues.ts';
import { GitHubError } from '../github-error.ts';
import { commitFacts, decidedFacts, filesBetween, log } from '../git/pull.ts';
import { placementsOf } from '../git/placing.ts';
import type { Services } from '../rest/route.ts';
import type { PullRequest, Repository, User } from '../state.ts';
import { isPull } from '../state.ts';
import { registerAppPages } from './app-pages.ts';
import { registerCheckPages } from './check-routes.ts';
import { registerFormActions } from './form-actions.ts';
import type { Viewer } from './forms.ts';
import { checkHost } from './guard.ts';
import { accountPage, commitPage, homePage, labelsPage, repositoryPage } from './home.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';
import type { World } from '../world.ts';
import { sendPage } from './layout.ts';
import type { Render } from './markdown.ts';
import { rendererIn } from './markdown.ts';
import { avatar, issuePath, pathOf } from './parts.ts';
import { viewerOf, type Address, type GetPage, type PageRequest } from './page-request.ts';
import { pullPage, type IsVerified } from './pull.ts';
import { registerRulesPage } from './rules.ts';
import { registerSignInPages } from './sign-in-pages.ts';
import { issuePage, type ThreadView } from './thread.ts';

const RECENT_COMMITS = 15;

export function registerPages(server: FastifyInstance, services: Services): void {
  const { world } = services;
  const isVerified: IsVerified = (sha) => world.signatures.has(sha);
  const get: GetPage = (url, answer) => {
    server.get<Address>(url, async (request, reply) => {
      checkHost(request);
      return answer(request, reply);
    });
  };
  const repositoryOf = ({ params }: PageRequest) => world.repository(params.owner, params.repo);
  const send = (reply: FastifyReply, title: string, path: Html, main: Html) =>
    sendPage(reply, { title, version: world.version, path, main });

  get('/', (_request, reply) =>
    send(reply, 'Local GitHub', html``, homePage([...world.repositories.values()])),
  );
  get('/ui/version', (_request, reply) => reply.type('text/plain').send(String(world.version)));
  get('/:owner/:repo', async (request, reply) => {
    const repository = repositoryOf(request);
    const render = rendererIn(world, repository);
    const main = await overview(repository, viewerOf(services, request), render, isVerified);
    return send(reply, repository.fullName, pathOf(repository), main);
  });
  get('/:owner/:repo/commit/:sha', async (request, reply) => {
    const repository = repositoryOf(request);
    const main = await commitView(repository, request.params.sha, isVerified);
    return send(reply, request.params.sha, pathOf(repository), main);
  });
  for (const kind of ['issues', 'pull'])
    get(`/:owner/:repo/${kind}/:number`, async (request, reply) => {
      const repository = repositoryOf(request);
      const issue = findIssue(repository, Number(request.params.number));
      if (isPull(issue) !== (kind === 'pull')) return reply.redirect(issuePath(repository, issue));
      const viewer = viewerOf(services, request);
      const assignable = assignableIn(world, repository);
      const view = { repository, issue, viewer, assignable, render: rendererIn(world, repository) };
      const main = isPull(issue) ? await pullView(world, view, issue) : issuePage(view);
      return send(reply, `${issue.title} · #${issue.number}`, pathOf(repository), main);
    });
  registerAccountPages(services, get);
  registerLabelsPage(services, get);
  registerAppPages(server, services);
  registerSignInPages(server, services);
  registerCheckPages(services, get);
  registerRulesPage(services, get);
  registerFormActions(server, services);
}

function registerAccountPages({ world }: Services, get: GetPage): void {
  const accountOf = (login: string): User => {
    const user = world.user(login);
    if (user === undefined) throw new GitHubError('own', 404, 'Not Found');
    return user;
  };
  get('/avatars/:login', (request, reply) => {
    const user = accountOf(request.params.login);
    return reply.type('image/svg+xml').send(avatar(user).text);
  });
  get('/:owner', (request, reply) => {
    const user = accountOf(request.params.owner);
    if (user.type === 'Bot') return reply.redirect(`/apps/${world.app.slug}`);
    const main = accountPage(user, [...world.repositories.values()]);
    return sendPage(reply, { title: user.login, version: world.version, path: html``, main });
  });
}

function registerLabelsPage({ world }: Services, get: GetPage): void {
  get('/:owner/:repo/labels', (request, reply) => {
    const repository = world.repository(request.params.owner, request.params.repo);
    const path = pathOf(repository);
    const title = `Labels of ${repository.fullName}`;
    return sendPage(reply, { title, version: world.version, path, main: labelsPage(repository) });
  });
}

async function pullView(world: World, view: ThreadView, issue: PullRequest): Promise<Html> {
  const { repository } = view;
  const { head } = issue.pull;
  const from = headRepository(world, repository, issue);
  const more = {
    placements: await placementsOf(repository, issue),
    isVerified: (sha: string) => world.signatures.has(sha),
    headLabel: from === repository ? head : `${from?.owner.login ?? 'unknown repository'}:${head}`,
  };
  return pullPage({ ...view, ...more }, issue, await decidedFacts(repository, issue));
}

async function overview(
  repository: Repository,
  viewer: Viewer,
  render: Render,
  isVerified: IsVerified,
): Promise<Html> {
  const head = await repository.git.head(repository.defaultBranch);
  if (head === undefined) throw new GitHubError('own', 404, 'Not Found');
  const [commits, { list: files }] = await Promise.all([
    log(repository, [`-${RECENT_COMMITS}`, head]),
    repository.git.entries(head, ''),
  ]);
  const file = files.find(({ name, type }) => /^readme(\.md)?$/i.test(name) && type === 'blob');
  const readme = file === undefined ? '' : (await repository.git.blob(file.sha)).toString();
  return repositoryPage({ repository, viewer, commits, files, readme, render, isVerified });
}

/** git's hash of the empty tree. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function commitView(
  repository: Repository,
  name: string,
  isVerified: IsVerified,
): Promise<Html> {
  const sha = /^[0-9a-f]{4,40}$/.test(name) ? await repository.git.resolve(name) : undefined;
  const commit = sha === undefined ? undefined : await commitFacts(repository, sha);
  if (commit === undefined) throw new GitHubError('own', 404, 'Not Found');
  const files = await filesBetween(repository, commit.parents[0] ?? EMPTY_TREE, commit.sha);
  return commitPage(commit, files, isVerified(commit.sha));
}
