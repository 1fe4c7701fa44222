import { findCheck, suiteOf } from '../actions/checks.ts';
import { findRun, jobsOf } from '../actions/workflows.ts';
import { checkFacts } from '../git/check-facts.ts';
import { GitHubError } from '../github-error.ts';
import { checkRunPath } from '../payloads/check.ts';
import type { Services } from '../rest/route.ts';
import type { Repository } from '../state.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { checkPage } from './checks.ts';
import { sendPage } from './layout.ts';
import { rendererIn } from './markdown.ts';
import { viewerOf, type GetPage, type PageRequest } from './page-request.ts';
import { pathOf } from './parts.ts';

/** The pages of check runs, jobs and workflow runs. */
export function registerCheckPages(services: Services, get: GetPage): void {
  const { world } = services;
  const repositoryOf = ({ params }: PageRequest) => world.repository(params.owner, params.repo);

  for (const below of ['runs/:id', 'actions/runs/:run/job/:id'])
    get(`/:owner/:repo/${below}`, async (request, reply) => {
      const repository = repositoryOf(request);
      const { name } = findCheck(repository, Number(request.params.id));
      const main = await checkView(services, repository, request);
      const path = pathOf(repository);
      return sendPage(reply, { title: name, version: world.version, path, main });
    });

  get('/:owner/:repo/actions/runs/:run', (request, reply) => {
    const repository = repositoryOf(request);
    const run = findRun(repository, Number(request.params.run));
    const [first] = jobsOf(repository, run, 'latest');
    if (first === undefined) throw new GitHubError('own', 404, 'Not Found');
    return reply.redirect(checkRunPath(repository, findCheck(repository, first.id)));
  });
}

async function checkView(
  services: Services,
  repository: Repository,
  request: PageRequest,
): Promise<Html> {
  const run = findCheck(repository, Number(request.params.id));
  const suite = suiteOf(repository, run);
  return checkPage({
    repository,
    run,
    suite,
    job: repository.checks.jobs.find(({ id }) => id === run.id),
    facts: await checkFacts(repository, suite.headSha),
    viewer: viewerOf(services, request),
    render: rendererIn(services.world, repository),
  });
}
