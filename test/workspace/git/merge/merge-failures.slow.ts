// What keeps a merge from being made, and whether it is said of the merge or of the way to the server.
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GitHubDenied } from '../../../../src/github/errors.ts';
import { MergedCommitGone, MergeRejected, TellPerson } from '../../../../src/lib/errors.ts';
import { GitClient } from '../../../../src/workspace/git/client.ts';
import type { GitOperation } from '../../../../src/workspace/git/operations.ts';
import type { GitThreads } from '../../../../src/workspace/git/threads.ts';
import type { WorkspaceOptions } from '../../../../src/workspace/workspace.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { BRANCH, GIT, open } from '../../support.ts';

let server: GitServer;
let repository: TestRepository;
let count = 0;
const TEXT = { 'content-type': 'text/plain' };

beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(() => {
  count += 1;
  repository = server.createRepository(`octo/merging-${count}`, { 'a/x.txt': 'x\n' });
  repository.commit({ 'a/y.txt': 'y\n' }, BRANCH);
  repository.commit({ 'a/z.txt': 'z\n' }, 'main');
});
afterEach(() => {
  server.intercept = undefined;
});

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof Error) return failure;
  throw new Error('it did not fail');
}

describe.each([
  ['a whole workspace', undefined],
  ['a part', ['a']],
])('a merge in %s', (_what, sparse) => {
  const failure = (options: Partial<WorkspaceOptions> = {}, theirs = repository.head()) =>
    failureOf(
      open(server, repository, {
        baseCommit: repository.head(BRANCH),
        merge: { theirs, branch: 'main' },
        sparse,
        ...options,
      }),
    );

  it('of a commit that has left the server says so', async () => {
    const gone = await failure({}, 'd'.repeat(40));
    expect(gone).toBeInstanceOf(MergedCommitGone);
    expect(gone.message).toBe(
      `What is to be merged is not in the repository \`octo/merging-${count}\`. Its branch may have been rewritten.`,
    );
  });

  it('for which the server denies the history is not rejected itself', async () => {
    // Each token is asked for right before a step: those of the merge come after the clone.
    let isMerging = false;
    const credentials = async () => {
      isMerging = server.requests.some((one) => one.startsWith('POST'));
      return server.token;
    };
    server.requests.length = 0;
    server.intercept = (_request, response) => {
      if (isMerging) response.writeHead(403, TEXT).end('Repository access blocked');
      return isMerging;
    };
    const denied = await failure({ credentials });
    expect(denied).toBeInstanceOf(TellPerson);
    expect(denied).not.toBeInstanceOf(MergeRejected);
    expect(denied.message).toMatch(/^GitHub denied access to .*Repository access blocked/);
  });

  it('for which GitHub gives no token is not rejected itself', async () => {
    server.requests.length = 0;
    const credentials = async () => {
      if (server.requests.some((one) => one.startsWith('POST')))
        throw new GitHubDenied('The App may not do that.', 403);
      return server.token;
    };
    const denied = await failure({ credentials });
    expect(denied).toBeInstanceOf(GitHubDenied);
  });

  it('with a link that no system allows is rejected', async () => {
    const link = nativeGit(repository.checkout, 'hash-object', '-w', '-t', 'blob', '/dev/null');
    nativeGit(repository.checkout, 'update-index', '--add', '--cacheinfo', `120000,${link},a/link`);
    nativeGit(repository.checkout, 'commit', '-q', '-m', 'Add a link');
    nativeGit(repository.checkout, 'push', '-q', 'origin', 'HEAD:main');
    const rejected = await failure();
    expect(rejected).toBeInstanceOf(MergeRejected);
    expect(rejected.message).toMatch(/its link "a\/link" has a target that no system allows/);
  });
});

const mergeInSmallWorkspace = () =>
  open(server, repository, {
    baseCommit: repository.head(BRANCH),
    merge: { theirs: repository.head(), branch: 'main' },
    git: { ...GIT, maxBytes: 64 * 1024 },
  });

it('a merge with larger files than a workspace may have is rejected', async () => {
  repository.commit({ 'a/large.txt': 'x'.repeat(100_000) }, 'main');
  const rejected = await failureOf(mergeInSmallWorkspace());
  expect(rejected).toBeInstanceOf(MergeRejected);
  expect(rejected.message).toMatch(
    /^I didn't merge the base branch: its files are larger than 65536 bytes\. .* merge it yourself/,
  );
});

it('a merge with more history than may be fetched is rejected', async () => {
  for (let at = 0; at < 6; at += 1) repository.commit({ 'a/z.bin': randomBytes(60_000) }, 'main');
  repository.commit({ 'a/z.bin': 'small' }, 'main');
  const rejected = await failureOf(mergeInSmallWorkspace());
  expect(rejected).toBeInstanceOf(MergeRejected);
  expect(rejected.message).toMatch(
    /^I didn't merge the base branch: the history .* is too large \(.*more than 262144 bytes.*`WORKSPACE_MAX_BYTES`/,
  );
});

const NOT_ARRIVED =
  /^I didn't merge the base branch: its history had not arrived after 1 seconds\..*`\/issuewright resolve`/;

it.each<[GitOperation, object, boolean, RegExp]>([
  ['merge', {}, true, /^I didn't merge the base branch: git took more than 1 seconds for it/],
  ['deepen', {}, true, NOT_ARRIVED],
  ['fetchMissing', { isForMerge: true }, true, NOT_ARRIVED],
  ['fetchMissing', {}, false, /^Git \(fetchMissing\) took more than 1 seconds .*again/],
])('what is said of a %s (%j) that takes too long', async (operation, asked, ...told) => {
  const [isRejected, words] = told;
  // It never answers.
  const worker = Object.assign(new EventEmitter(), { postMessage: () => {} });
  const threads = {
    take: async () => ({ worker, end: async () => {}, giveBack: () => {} }),
  } as unknown as GitThreads;
  const place = { remoteUrl: repository.url } as ConstructorParameters<typeof GitClient>[1];
  const client = new GitClient(threads, place, new AbortController().signal);
  const failure = await failureOf(client.call(operation, asked as never, 1_000));
  expect(failure).toBeInstanceOf(TellPerson);
  expect(failure instanceof MergeRejected).toBe(isRejected);
  expect(failure.message).toMatch(words);
});
