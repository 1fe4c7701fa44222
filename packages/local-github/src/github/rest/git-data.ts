// The Git database: objects and references.
import { z } from 'zod';
import { committer } from '../actions/committer.ts';
import { writeSignedCommit } from '../actions/commits.ts';
import { GitFailed } from '../git/git.ts';
import type { Dated, TreeChange } from '../git/objects.ts';
import {
  commitText,
  MODES,
  signedText,
  writeBlob,
  writeCommit,
  writeTree,
} from '../git/objects.ts';
import { commitFacts } from '../git/pull.ts';
import { GitHubError } from '../github-error.ts';
import { blobPayload, gitCommitPayload, treePayload } from '../payloads/git-data.ts';
import type { Repository } from '../state.ts';
import { timestamp } from '../state.ts';
import { checkWorkflows } from './access.ts';
import { resolveRef } from './history.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, ok, parseBody } from './route.ts';

const MIB = 1024 * 1024;
/** The largest blob that can be created, and the largest that can be read. */
const LARGEST_INPUT = 40 * MIB;
const LARGEST_BLOB = 100 * MIB;
/** Base64 in JSON is a third longer than the blob. */
const LARGEST_BODY = 64 * MIB;

const Sha = z.string().regex(/^[0-9a-f]{40}$/);

const BlobBody = z.object({
  content: z.string(),
  encoding: z.enum(['utf-8', 'base64']).default('utf-8'),
});

const TreeBody = z.object({
  base_tree: z.string().nullish(),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.enum(MODES),
      type: z.enum(['blob', 'tree', 'commit']).optional(),
      sha: z.string().nullish(),
      content: z.string().optional(),
    }),
  ),
});

export const Person = z.object({
  name: z.string(),
  email: z.string(),
  date: z.iso.datetime({ offset: true }).optional(),
});

const CommitBody = z.object({
  message: z.string(),
  tree: z.string(),
  parents: z.array(z.string()).default([]),
  author: Person.optional(),
  committer: Person.partial().optional(),
  signature: z.string().optional(),
});

async function createBlob(request: RepositoryRequest) {
  const { services, repository } = request;
  const { content, encoding } = parseBody(BlobBody, request.body);
  const bytes = encoding === 'base64' ? fromBase64(content) : Buffer.from(content);
  if (bytes.length > LARGEST_INPUT)
    throw new GitHubError(
      'author-of-commit',
      422,
      'Sorry, your input was too large to process. Consider creating the blob in a local clone of the repository and then pushing it to GitHub.',
    );
  const { sha, url } = blobPayload(
    services.world,
    repository,
    await writeBlob(repository.git.directory, bytes),
    bytes,
  );
  return created({ sha, url });
}

/** Node ignores what is no Base64 (rule `blob-in-base64`). */
export function fromBase64(text: string): Buffer {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text))
    throw new GitHubError('blob-in-base64', 422, 'content is not valid Base64');
  return Buffer.from(text, 'base64');
}

async function readBlob({ services, repository, params }: RepositoryRequest) {
  const sha = params['sha'] ?? '';
  const known = (await repository.git.objects([sha])).get(sha);
  if (known?.type !== 'blob') throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  if (known.size > LARGEST_BLOB)
    throw new GitHubError('blob-size', 403, 'This API returns blobs up to 100 MB in size.', [
      { resource: 'Blob', field: 'data', code: 'too_large' },
    ]);
  return ok(blobPayload(services.world, repository, sha, await repository.git.blob(sha)));
}

async function createTree(request: RepositoryRequest) {
  const { services, repository } = request;
  const { base_tree: base, tree } = parseBody(TreeBody, request.body);
  if (tree.length === 0) throw new GitHubError('tree-entries', 422, 'Invalid tree info');
  checkWorkflows(
    request,
    tree.map(({ path }) => path),
  );
  const baseSha = typeof base === 'string' ? await treeOf(repository, base) : undefined;
  if (typeof base === 'string' && baseSha === undefined)
    throw new GitHubError('tree-entries', 422, 'base_tree is not a valid tree oid');
  const changes = await Promise.all(tree.map((entry) => changeOf(repository, entry)));
  await checkObjects(repository, changes);
  try {
    const sha = await writeTree(repository.git.directory, baseSha, changes);
    return created(await treePayload(services.world, repository, sha, false));
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new GitHubError('tree-entries', 422, 'tree.path contains a malformed path component');
  }
}

async function changeOf(
  { git }: Repository,
  { path, mode, sha, content }: z.output<typeof TreeBody>['tree'][number],
): Promise<TreeChange> {
  if (sha !== undefined) return { path, mode, sha };
  if (content === undefined)
    throw new GitHubError('tree-entries', 422, 'Must supply either tree.sha or tree.content');
  return { path, mode, sha: await writeBlob(git.directory, Buffer.from(content)) };
}

const TYPES = new Map([
  ['040000', 'tree'],
  ['160000', 'commit'],
]);

/** The commit of a submodule is in another repository. */
async function checkObjects({ git }: Repository, changes: readonly TreeChange[]): Promise<void> {
  const needed = changes.flatMap(({ mode, sha }) =>
    sha === null || mode === '160000' ? [] : [{ sha, type: TYPES.get(mode) ?? 'blob' }],
  );
  const known = await git.objects(needed.map(({ sha }) => sha));
  for (const { sha, type } of needed)
    if (known.get(sha)?.type !== type)
      throw new GitHubError('tree-entries', 422, `tree.sha ${sha} is not a valid ${type}`);
}

/** The tree of a tree, a commit, a branch or a tag. */
async function treeOf({ git }: Repository, name: string): Promise<string | undefined> {
  const known = Sha.safeParse(name).success ? (await git.objects([name])).get(name) : undefined;
  if (known?.type === 'tree') return name;
  const commit = await git.resolve(known === undefined ? `refs/heads/${name}` : name);
  return commit === undefined
    ? undefined
    : (await git.fixed(['rev-parse', `${commit}^{tree}`])).toString().trim();
}

async function readTree({ services, repository, params, query }: RepositoryRequest) {
  const sha = await treeOf(repository, params['*'] ?? '');
  if (sha === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return ok(await treePayload(services.world, repository, sha, query['recursive'] !== undefined));
}

async function createCommit(request: RepositoryRequest) {
  const { services, repository } = request;
  const wanted = parseBody(CommitBody, request.body);
  const known = await repository.git.objects([wanted.tree, ...wanted.parents]);
  if (known.get(wanted.tree)?.type !== 'tree')
    throw new GitHubError('commit-of-known-objects', 422, 'Tree SHA does not exist');
  for (const parent of wanted.parents)
    if (known.get(parent)?.type !== 'commit')
      throw new GitHubError(
        'commit-of-known-objects',
        422,
        'Parent SHA does not exist or is not a commit object',
      );
  const facts = await commitFacts(repository, await writeAs(request, wanted));
  return created(facts && gitCommitPayload(services.world, repository, facts));
}

/** Signed for an App that names no author and no committer and brings no signature (rule `app-commits-are-signed`). */
export async function writeAs(
  { services, repository, actor, user }: RepositoryRequest,
  wanted: z.output<typeof CommitBody>,
): Promise<string> {
  const self = committer(user);
  const { tree, parents, message, signature } = wanted;
  const isOwn = [wanted.author, wanted.committer, signature].every((one) => one === undefined);
  const isSigned = isOwn && services.world.rules.holds('app-commits-are-signed');
  if (isSigned && actor.kind === 'installation')
    return writeSignedCommit(services, repository, { tree, parents, message, author: self });
  const { date = timestamp(), ...author } = wanted.author ?? { ...self, date: undefined };
  const by = { ...author, date };
  const text = commitText({ tree, parents, message, author: by, committer: filled(wanted, by) });
  const { directory } = repository.git;
  return writeCommit(directory, signature === undefined ? text : signedText(text, signature));
}

/** What is missing of the committer is that of the author. */
function filled({ committer: own }: z.output<typeof CommitBody>, author: Dated): Dated {
  return {
    name: own?.name ?? author.name,
    email: own?.email ?? author.email,
    date: own?.date ?? author.date,
  };
}

async function readCommit({ services, repository, params }: RepositoryRequest) {
  const sha = params['sha'] ?? '';
  const facts = Sha.safeParse(sha).success && (await resolveRef(repository, sha)) === sha;
  const commit = facts ? await commitFacts(repository, sha) : undefined;
  if (commit === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return ok(gitCommitPayload(services.world, repository, commit));
}

const permission = 'contents:read';
const write = { permission: 'contents:write', role: 'write' } as const;

export const gitDataRoutes: readonly RepositoryRoute[] = [
  { method: 'POST', path: '/git/blobs', ...write, bodyLimit: LARGEST_BODY, handle: createBlob },
  { method: 'GET', path: '/git/blobs/:sha', permission, handle: readBlob },
  { method: 'POST', path: '/git/trees', ...write, bodyLimit: LARGEST_BODY, handle: createTree },
  { method: 'GET', path: '/git/trees/*', permission, handle: readTree },
  { method: 'POST', path: '/git/commits', ...write, handle: createCommit },
  { method: 'GET', path: '/git/commits/:sha', permission, handle: readCommit },
];
