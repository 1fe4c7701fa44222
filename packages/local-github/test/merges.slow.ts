// Whether pull requests merge, as git says, and the merges that GitHub makes.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FileChanges } from '../src/github/git/repository.ts';
import type { Playground } from './support.ts';
import { asInstallation, git, mintToken, startPlayground, withToken } from './support.ts';

let playground: Playground;
let count = 0;
beforeAll(async () => {
  playground = await startPlayground({ events: ['pull_request'] });
});
afterAll(() => playground.close());

const maintainer = () => playground.github.as('maintainer');
const client = () => asInstallation(playground.github);

async function repositoryWith(files: Record<string, string> = { 'a.txt': 'a\n' }) {
  count += 1;
  const name = `merges-${count}`;
  const repository = await playground.github.createRepository({
    owner: 'example',
    name,
    files,
    collaborators: { maintainer: 'admin' },
  });
  const push = (branch: string, changes: FileChanges) =>
    maintainer().push(repository, { branch, files: changes, message: `Change ${branch}` });
  const open = async (head: string, draft = false) => {
    const wanted = { title: 'A title', head, base: 'main', draft };
    const { number } = await maintainer().openPull(repository, wanted);
    return { owner: 'example', repo: name, pull_number: number };
  };
  return { repository, at: { owner: 'example', repo: name }, push, open };
}

type Where = { owner: string; repo: string; pull_number: number };
const states = async (where: Where, times: number) => {
  const seen: [boolean | null, string][] = [];
  for (let time = 0; time < times; time += 1) {
    const { data } = await client().rest.pulls.get(where);
    seen.push([data.mergeable, data.mergeable_state]);
  }
  return seen;
};

describe('mergeable', () => {
  it('is unknown at the first look, and again after each push to either branch', async () => {
    const { push, open } = await repositoryWith();
    await push('two', { 'b.txt': 'b\n' });
    const where = await open('two');
    const looks = [
      [null, 'unknown'],
      [true, 'clean'],
    ];
    expect(await states(where, 3)).toEqual([...looks, looks[1]]);
    await push('two', { 'c.txt': 'c\n' });
    expect(await states(where, 2)).toEqual(looks);
    await push('main', { 'd.txt': 'd\n' });
    expect(await states(where, 2)).toEqual(looks);
  });

  it('is false with conflicts, and true again without them', async () => {
    const { push, open } = await repositoryWith();
    await push('two', { 'a.txt': 'two\n' });
    await push('main', { 'a.txt': 'main\n' });
    const where = await open('two');
    expect((await states(where, 2))[1]).toEqual([false, 'dirty']);
    await push('two', { 'a.txt': 'a\n' });
    expect((await states(where, 2))[1]).toEqual([true, 'clean']);
  });

  it('says that a draft is one', async () => {
    const { push, open } = await repositoryWith();
    await push('two', { 'b.txt': 'b\n' });
    expect((await states(await open('two', true), 2))[1]).toEqual([true, 'draft']);
  });
});

describe('the merge of a pull request', () => {
  it.each([
    ['merge', 2, /^Merge pull request #1 from example\/two\n\nA title$/],
    ['squash', 1, /^A title \(#1\)$/],
  ] as const)('by %s has %i parents, and GitHub signs it', async (method, parents, message) => {
    const { repository, push, open } = await repositoryWith();
    await push('two', { 'b.txt': 'b\n' });
    const where = await open('two');
    await push('main', { 'c.txt': 'c\n' });
    const { data } = await client().rest.pulls.merge({ ...where, merge_method: method });
    const { owner, repo } = where;
    const { data: commit } = await client().rest.repos.getCommit({ owner, repo, ref: data.sha });
    expect(commit.parents).toHaveLength(parents);
    expect(commit.commit).toMatchObject({
      message: expect.stringMatching(message),
      author: { name: 'issuewright[bot]' },
      committer: { name: 'GitHub', email: 'noreply@github.com' },
      verification: { verified: true },
    });
    expect(await git(repository.git.directory, 'show', `${data.sha}:b.txt`)).toBe('b');
    expect(await git(repository.git.directory, 'fsck', '--strict')).toBe('');
  });
});

describe('update-branch', () => {
  it('merges the base branch into the head, which is a synchronize event', async () => {
    const { repository, push, open } = await repositoryWith();
    const head = await push('two', { 'b.txt': 'b\n' });
    const where = await open('two');
    const base = await push('main', { 'c.txt': 'c\n' });
    const update = () => client().rest.pulls.updateBranch({ ...where, expected_head_sha: head });
    expect(await update()).toMatchObject({
      status: 202,
      data: { message: 'Updating pull request branch.' },
    });
    const bare = repository.git.directory;
    expect(await git(bare, 'log', '-1', '--format=%P %s', 'two')).toBe(
      `${head} ${base} Merge branch 'main' into two`,
    );
    const { github } = playground;
    const isOurs = ({ before }: Record<string, unknown>) => before === head;
    await github.waitFor(() => github.deliveries.find(({ payload }) => isOurs(payload)), {
      what: 'the synchronize event',
    });
    await expect(update()).rejects.toMatchObject({
      status: 422,
      response: { data: { message: "expected head sha didn't match current head ref." } },
    });
    await expect(client().rest.pulls.updateBranch(where)).rejects.toThrow(
      'There are no new commits on the base branch.',
    );
  });

  it('says that there are conflicts', async () => {
    const { push, open } = await repositoryWith();
    await push('two', { 'a.txt': 'two\n' });
    const where = await open('two');
    await push('main', { 'a.txt': 'main\n' });
    await expect(client().rest.pulls.updateBranch(where)).rejects.toMatchObject({
      status: 422,
      response: { data: { message: 'merge conflict between base and head' } },
    });
  });
});

describe('a merge of branches', () => {
  it('makes a commit, or nothing if there is nothing new', async () => {
    const { at, push, repository } = await repositoryWith();
    await push('two', { 'b.txt': 'b\n' });
    await push('main', { 'c.txt': 'c\n' });
    const merge = () => client().rest.repos.merge({ ...at, base: 'main', head: 'two' });
    const made = await merge();
    expect(made).toMatchObject({
      status: 201,
      data: { commit: { message: 'Merge two into main' } },
    });
    expect(await repository.git.head('main')).toBe(made.data.sha);
    expect((await merge()).status).toBe(204);
  });

  it.each([
    ['main', 'nowhere', 404, 'Head does not exist'],
    ['nowhere', 'two', 404, 'Base does not exist'],
    ['main', 'two', 409, 'Merge conflict'],
  ])('of %s and %s is denied with %i %s', async (base, head, status, message) => {
    const { at, push } = await repositoryWith();
    await push('two', { 'a.txt': 'two\n' });
    await push('main', { 'a.txt': 'main\n' });
    await expect(client().rest.repos.merge({ ...at, base, head })).rejects.toMatchObject({
      status,
      response: { data: { message } },
    });
  });

  it('needs write access to contents', async () => {
    const { at } = await repositoryWith();
    const token = await mintToken(playground.github, { permissions: { contents: 'read' } });
    const merge = withToken(playground.github, token).rest.repos.merge;
    await expect(merge({ ...at, base: 'main', head: 'main' })).rejects.toMatchObject({
      status: 403,
    });
  });
});
