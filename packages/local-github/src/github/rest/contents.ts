// Files of a repository, read and written one at a time.
import { posix } from 'node:path';
import { z } from 'zod';
import { changeRef } from '../actions/refs.ts';
import { writeBlob, writeTree } from '../git/objects.ts';
import { commitFacts } from '../git/pull.ts';
import type { TreeEntry } from '../git/repository.ts';
import { GitHubError } from '../github-error.ts';
import { gitCommitPayload } from '../payloads/git-data.ts';
import { apiUrl, webUrl } from '../payloads/repository.ts';
import type { Repository } from '../state.ts';
import type { World } from '../world.ts';
import { callerOf, checkWorkflows } from './access.ts';
import { fromBase64, Person, writeAs } from './git-data.ts';
import { resolveRef } from './history.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { ok, parseBody } from './route.ts';

const FileChange = z.object({
  message: z.string(),
  sha: z.string().optional(),
  branch: z.string().optional(),
  author: Person.optional(),
  committer: Person.optional(),
});
const NewFile = FileChange.extend({ content: z.string() });

/** The one in the root. GitHub looks elsewhere too. */
async function readme(request: RepositoryRequest) {
  const { repository, query, params } = request;
  const commit = await resolveRef(repository, query['ref'] ?? repository.defaultBranch);
  const { list } = await repository.git.entries(commit ?? '', '');
  const found = list.find(({ type, name }) => type === 'blob' && /^readme(\.\w+)?$/i.test(name));
  if (found === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return contents({ ...request, params: { ...params, '*': found.path } });
}

async function contents(request: RepositoryRequest) {
  const { repository, params, query, services } = request;
  const ref = query['ref'] ?? repository.defaultBranch;
  const commit = await resolveRef(repository, ref);
  if (commit === undefined)
    throw new GitHubError('unknown-ref-of-contents', 404, `No commit found for the ref ${ref}`);
  const found = await repository.git.entries(commit, params['*'] ?? '');
  const [named] = found.list;
  if (named === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  const isLink = found.isFile && named.mode === '120000';
  const followed = isLink ? await fileBehind(repository, commit, named) : { file: named };
  const first = { ...followed.file, name: named.name, path: named.path };
  const present = (entry: TreeEntry) => entryPayload(services.world, repository, entry, ref);
  // Of a large directory not all (rule `listings-of-a-directory`).
  if (!found.isFile) return ok(found.list.slice(0, 1000).map(present));
  if (followed.target !== undefined) return ok({ ...present(named), target: followed.target });
  // No content of a large file (rule `contents-of-large-files`).
  if ((first.size ?? 0) > 1024 * 1024)
    return ok({ ...present(first), encoding: 'none', content: '' });
  const content = await repository.git.blob(first.sha);
  if (request.isRaw) {
    const headers = { 'content-type': 'application/vnd.github.raw; charset=utf-8' };
    return { status: 200, body: content.toString(), headers };
  }
  const lines = content.toString('base64').replace(/.{60}/g, '$&\n');
  return ok({ ...present(first), encoding: 'base64', content: `${lines}\n` });
}

/** A link to a file is answered like that file; another one with its target (rule `contents-of-links`). */
async function fileBehind({ git }: Repository, commit: string, link: TreeEntry) {
  const target = (await git.blob(link.sha)).toString();
  const path = posix.join(posix.dirname(link.path), target);
  const { isFile, list } = await git.entries(commit, path.startsWith('../') ? '.git' : path);
  const [file] = list;
  return isFile && file !== undefined && file.mode !== '120000' ? { file } : { file: link, target };
}

function entryPayload(world: World, repository: Repository, entry: TreeEntry, ref: string) {
  const name = entry.path.split('/').map(encodeURIComponent).join('/');
  const url = `${apiUrl(world, repository)}/contents/${name}?ref=${encodeURIComponent(ref)}`;
  const gitUrl = `${apiUrl(world, repository)}/git/${entry.type}s/${entry.sha}`;
  const html = `${webUrl(world, repository)}/${entry.type}/${ref}/${name}`;
  const type = entry.type === 'tree' ? 'dir' : entry.mode === '120000' ? 'symlink' : 'file';
  return {
    type,
    size: entry.size,
    name: entry.name,
    path: entry.path,
    sha: entry.sha,
    url,
    git_url: gitUrl,
    html_url: html,
    download_url: type === 'file' ? `${webUrl(world, repository)}/raw/${ref}/${name}` : null,
    _links: { self: url, git: gitUrl, html },
  };
}

/** The branch that is to change, its head, and the file as it is there. */
async function placeOf(request: RepositoryRequest, branch: string | undefined) {
  const { repository, params } = request;
  const name = (branch ?? repository.defaultBranch).replace(/^refs\/heads\//, '');
  const head = await repository.git.head(name);
  const path = (params['*'] ?? '').replace(/^\/+|\/+$/g, '');
  const ref = `refs/heads/${name}`;
  if (head === undefined) {
    const isFirst =
      name === repository.defaultBranch && (await repository.git.branches()).size === 0;
    // The rule `contents-of-empty-repository`.
    if (isFirst) return { ref, head, path, file: undefined };
    throw new GitHubError('unknown-branch-of-contents', 404, `Branch ${name} not found`);
  }
  const { isFile, list } = await repository.git.entries(head, path);
  return { ref, head, path, file: isFile ? list[0] : undefined };
}

async function put(request: RepositoryRequest) {
  const wanted = parseBody(NewFile, request.body);
  const place = await placeOf(request, wanted.branch);
  const { path, file } = place;
  if (file !== undefined && wanted.sha === undefined)
    throw new GitHubError(
      'contents-need-the-blob',
      422,
      `Invalid request.\n\n"sha" wasn't supplied.`,
    );
  checkUnchanged(path, file, wanted.sha);
  const blob = await writeBlob(request.repository.git.directory, fromBase64(wanted.content));
  const answer = await commitChange(request, wanted, place, blob);
  return { status: file === undefined ? 201 : 200, body: answer };
}

async function remove(request: RepositoryRequest) {
  const wanted = parseBody(FileChange.extend({ sha: z.string() }), request.body);
  const place = await placeOf(request, wanted.branch);
  if (place.file === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  checkUnchanged(place.path, place.file, wanted.sha);
  return ok(await commitChange(request, wanted, place, null));
}

function checkUnchanged(path: string, file: TreeEntry | undefined, sha: string | undefined): void {
  if (file !== undefined && file.sha !== sha)
    throw new GitHubError('contents-stale-blob', 409, `${path} does not match ${sha}`);
}

async function commitChange(
  request: RepositoryRequest,
  { message, author, committer }: z.output<typeof FileChange>,
  { ref, head, path, file }: Awaited<ReturnType<typeof placeOf>>,
  blob: string | null,
) {
  const { services, repository } = request;
  const { git } = repository;
  checkWorkflows(request, [path]);
  const mode = file?.mode === '100755' ? '100755' : '100644';
  const tree = await writeTree(git.directory, head, [{ path, mode, sha: blob }]);
  const parents = head === undefined ? [] : [head];
  const sha = await writeAs(request, { message, tree, parents, author, committer });
  await changeRef(services, repository, callerOf(request), {
    ref,
    sha,
    force: false,
    ruleStatus: 409,
  });
  const [{ list }, facts] = [await git.entries(sha, path), await commitFacts(repository, sha)];
  const branch = ref.slice('refs/heads/'.length);
  const present = (one: TreeEntry) => entryPayload(services.world, repository, one, branch);
  return {
    content: blob === null ? null : list.map(present)[0],
    commit: facts && gitCommitPayload(services.world, repository, facts),
  };
}

const permission = 'contents:read';
const write = { permission: 'contents:write', role: 'write' } as const;

export const contentRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/readme', permission, handle: readme },
  { method: 'GET', path: '/contents', permission, handle: contents },
  { method: 'GET', path: '/contents/*', permission, handle: contents },
  { method: 'PUT', path: '/contents/*', ...write, handle: put },
  { method: 'DELETE', path: '/contents/*', ...write, handle: remove },
];
