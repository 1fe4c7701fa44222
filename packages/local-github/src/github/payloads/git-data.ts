// Objects of git and references, as the Git database API shows them.
import type { CommitFacts } from '../git/pull.ts';
import type { RefFacts } from '../git/refs.ts';
import type { Repository } from '../state.ts';
import type { World } from '../world.ts';
import { verificationOf } from './pull.ts';
import { apiUrl, webUrl } from './repository.ts';

const gitUrl = (world: World, repository: Repository, type: string, name: string): string =>
  `${apiUrl(world, repository)}/git/${type}s/${name}`;

export const blobPayload = (world: World, repository: Repository, sha: string, bytes: Buffer) => ({
  sha,
  node_id: `B_${sha}`,
  size: bytes.length,
  url: gitUrl(world, repository, 'blob', sha),
  content: `${bytes.toString('base64').replace(/.{60}/g, '$&\n')}\n`,
  encoding: 'base64',
});

export async function treePayload(
  world: World,
  repository: Repository,
  sha: string,
  recursive: boolean,
) {
  const entries = await repository.git.tree(sha, recursive);
  return {
    sha,
    url: gitUrl(world, repository, 'tree', sha),
    tree: entries.map(({ path, mode, type, sha: object, size }) => ({
      path,
      mode,
      type,
      sha: object,
      ...(type === 'blob' ? { size } : {}),
      ...(type === 'commit' ? {} : { url: gitUrl(world, repository, type, object) }),
    })),
    truncated: false,
  };
}

export function gitCommitPayload(world: World, repository: Repository, commit: CommitFacts) {
  const { sha, tree, parents, message, author, committer } = commit;
  const html = (one: string): string => `${webUrl(world, repository)}/commit/${one}`;
  return {
    sha,
    node_id: `C_${sha}`,
    url: gitUrl(world, repository, 'commit', sha),
    html_url: html(sha),
    author,
    committer,
    tree: { sha: tree, url: gitUrl(world, repository, 'tree', tree) },
    message,
    parents: parents.map((parent) => ({
      sha: parent,
      url: gitUrl(world, repository, 'commit', parent),
      html_url: html(parent),
    })),
    verification: verificationOf(world, sha),
  };
}

export const refPayload = (
  world: World,
  repository: Repository,
  { name, sha, type }: RefFacts,
) => ({
  ref: name,
  node_id: `REF_${Buffer.from(name).toString('base64url')}`,
  url: `${apiUrl(world, repository)}/git/${name}`,
  object: { sha, type, url: gitUrl(world, repository, type, sha) },
});
