// Commits and branches, always read from git.
import { GitHubError } from '../github-error.ts';
import { patchAnswer } from '../payloads/patch.ts';
import { commitPayload, filePayload } from '../payloads/pull.ts';
import { apiUrl, webUrl } from '../payloads/repository.ts';
import { commitFacts, filesBetween, log, type CommitFacts } from '../git/pull.ts';
import type { Repository } from '../state.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { ok, page } from './route.ts';

/** A branch, `heads/branch`, tag or SHA. */
export async function resolveRef(repository: Repository, ref: string): Promise<string | undefined> {
  return (
    (await repository.git.head(ref.replace(/^(refs\/)?heads\//, ''))) ??
    (/^[\w./-]+$/.test(ref) ? await repository.git.resolve(ref) : undefined)
  );
}

/** The full hash of what a route names. Throws GitHub's 422 if there is no such commit. */
export async function commitNamed(repository: Repository, ref: string): Promise<string> {
  const sha = await resolveRef(repository, ref);
  if (sha === undefined)
    throw new GitHubError('unknown-commit', 422, `No commit found for SHA: ${ref}`);
  return sha;
}

/** The maximum of commits that can be listed (rule `commits-without-limit`). */
const MAX_COMMITS = 1000;

async function listCommits(request: RepositoryRequest) {
  const { repository, query, services } = request;
  const sha = await resolveRef(repository, query['sha'] ?? repository.defaultBranch);
  if (sha === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  const commits = await log(repository, [`-${MAX_COMMITS}`, sha], query['path']);
  return page(request, commits, (one) => commitPayload(services.world, repository, one));
}

/** git's hash of the empty tree. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function factsOf(repository: Repository, ref: string): Promise<CommitFacts | undefined> {
  const sha = await resolveRef(repository, ref);
  return sha === undefined ? undefined : commitFacts(repository, sha);
}

async function commit({ repository, params, services, patch }: RepositoryRequest) {
  const ref = params['*'] ?? '';
  const facts = await factsOf(repository, ref);
  if (facts === undefined)
    throw new GitHubError('unknown-commit', 422, `No commit found for SHA: ${ref}`);
  const before = facts.parents[0] ?? EMPTY_TREE;
  const { sha } = facts;
  if (patch !== undefined)
    return patchAnswer(repository, { from: before, to: sha, commits: ['-1', sha] }, patch);
  const files = await filesBetween(repository, before, facts.sha);
  const total = (of: 'additions' | 'deletions') => files.reduce((sum, file) => sum + file[of], 0);
  const [additions, deletions] = [total('additions'), total('deletions')];
  return ok({
    ...commitPayload(services.world, repository, facts),
    stats: { additions, deletions, total: additions + deletions },
    files: files.map((file) => filePayload(services.world, repository, file, facts.sha)),
  });
}

async function compare({ repository, params, services, patch }: RepositoryRequest) {
  const [base, head] = await endsOf(repository, params['*'] ?? '');
  const start = await repository.git.mergeBase(base.sha, head.sha);
  if (start === undefined)
    throw new GitHubError('compare-without-ancestor', 404, 'No common ancestor between the two');
  if (patch !== undefined) return patchAnswer(repository, { from: start, to: head.sha }, patch);
  const [ahead, behind, files] = await Promise.all([
    log(repository, ['--reverse', '--topo-order', `${start}..${head.sha}`]),
    log(repository, [`${start}..${base.sha}`]),
    filesBetween(repository, start, head.sha),
  ]);
  const present = (one: CommitFacts) => commitPayload(services.world, repository, one);
  const startCommit = await commitFacts(repository, start);
  const name = `compare/${base.sha}...${head.sha}`;
  const web = `${webUrl(services.world, repository)}/${name}`;
  return ok({
    url: `${apiUrl(services.world, repository)}/${name}`,
    html_url: web,
    permalink_url: web,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    base_commit: present(base),
    merge_base_commit: present(startCommit ?? base),
    status: statusOf(ahead.length, behind.length),
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: ahead.map(present),
    files: files.map((file) => filePayload(services.world, repository, file, head.sha)),
  });
}

function statusOf(ahead: number, behind: number): string {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}

/** Parses `base...head`. Throws GitHub's 404 if one of them does not exist. */
async function endsOf(
  repository: Repository,
  baseAndHead: string,
): Promise<[CommitFacts, CommitFacts]> {
  const names = baseAndHead.split('...');
  const [base, head] = await Promise.all(names.map((name) => factsOf(repository, name)));
  if (base === undefined || head === undefined || names.length > 2)
    throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return [base, head];
}

async function listBranches(request: RepositoryRequest) {
  const { repository, services } = request;
  const api = apiUrl(services.world, repository);
  const branches = await repository.git.branches();
  return page(request, [...branches], ([name, sha]) => ({
    name,
    commit: { sha, url: `${api}/commits/${sha}` },
    protected: false,
  }));
}

async function branch({ repository, params, services }: RepositoryRequest) {
  const name = params['*'] ?? '';
  const sha = await repository.git.head(name);
  const facts = sha === undefined ? undefined : await commitFacts(repository, sha);
  if (facts === undefined) {
    const renamed = services.world.moves.branch(repository, name);
    if (renamed === undefined) throw new GitHubError('unknown-branch', 404, 'Branch not found');
    const location = `${services.world.url}/api/v3/repositories/${repository.id}/branches/${encodeURIComponent(renamed)}`;
    throw new GitHubError('renamed-branch', 301, 'Moved Permanently', undefined, { location });
  }
  const payload = commitPayload(services.world, repository, facts);
  const self = `${apiUrl(services.world, repository)}/branches/${name}`;
  return ok({
    name,
    commit: payload,
    protected: false,
    protection: { enabled: false },
    protection_url: `${self}/protection`,
    _links: { self, html: `${webUrl(services.world, repository)}/tree/${name}` },
  });
}

const permission = 'contents:read';

export const historyRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/commits', permission, handle: listCommits },
  { method: 'GET', path: '/commits/*', permission, handle: commit },
  { method: 'GET', path: '/compare/*', permission, handle: compare },
  { method: 'GET', path: '/branches', permission, handle: listBranches },
  { method: 'GET', path: '/branches/*', permission, handle: branch },
];
