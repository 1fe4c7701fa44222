// Threads of reviews: where they are, what is said in them, and the events about them.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Repository } from '../src/github/state.ts';
import type { Playground } from './support.ts';
import { asInstallation, git, mintToken, startPlayground, withToken } from './support.ts';

const FILE = 'src/list.js';
const lines = (...changed: [number, string][]): string => {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  for (const [line, words] of changed) text[line - 1] = words;
  return `${text.join('\n')}\n`;
};

let playground: Playground;
let count = 0;
beforeAll(async () => {
  const events = [
    'pull_request_review',
    'pull_request_review_comment',
    'pull_request_review_thread',
  ];
  playground = await startPlayground({ events });
});
afterAll(() => playground.close());

const maintainer = () => playground.github.as('maintainer');
const client = () => asInstallation(playground.github);

/** A pull request that changes line 10 of a file of twenty lines. */
async function propose() {
  count += 1;
  const name = `list-${count}`;
  const files = { [FILE]: lines(), 'a.sh': 'one\r\ntwo\r\n' };
  const repository = await playground.github.createRepository({
    owner: 'example',
    name,
    files,
    collaborators: { maintainer: 'admin', helper: 'triage' },
  });
  const push = (text: string, path = FILE) =>
    maintainer().push(repository, { branch: 'ten', files: { [path]: text }, message: 'Ten' });
  const head = await push(lines([10, 'ten']));
  const wanted = { title: 'Ten', head: 'ten', base: 'main' };
  const { number } = await maintainer().openPull(repository, wanted);
  const at = { owner: 'example', repo: name, pull_number: number };
  return { repository, at, head, push };
}

const remark = { path: FILE, line: 10, body: 'Why?' };

const THREADS = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 2, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes {
      id isResolved isOutdated path line startLine originalLine diffSide resolvedBy { login }
      comments(first: 10) { nodes { databaseId body author { login } replyTo { databaseId } } }
    } }
  } }
}`;

interface Threads {
  readonly repository: { readonly pullRequest: { readonly reviewThreads: Page } };
}
interface Page {
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  readonly nodes: readonly { readonly id: string; readonly line: number | null }[];
}

async function threadsOf(repository: Repository, after?: string): Promise<Page> {
  const variables = { owner: 'example', name: repository.name, number: 1, after };
  return (await client().graphql<Threads>(THREADS, variables)).repository.pullRequest.reviewThreads;
}

const RESOLVE = `mutation ($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { isResolved resolvedBy { login } } }
}`;

async function deliveredTo(name: string, many: number) {
  const { github } = playground;
  const ours = () =>
    github.deliveries.filter(
      ({ payload, status }) =>
        status === 202 && JSON.stringify(payload['repository']).includes(`"${name}"`),
    );
  await github.waitFor(() => ours().length >= many, { what: 'the deliveries' });
  return ours();
}

describe('a review with comments', () => {
  it('begins a thread for each, on a line, several lines and either side', async () => {
    const { at, head } = await propose();
    const { data: review } = await client().rest.pulls.createReview({
      ...at,
      event: 'COMMENT',
      comments: [
        remark,
        { path: FILE, start_line: 9, line: 11, body: 'These three' },
        { path: FILE, side: 'LEFT', line: 10, body: 'It was better' },
        { path: FILE, position: 1, body: 'By position' },
      ],
    });
    const where = { ...at, review_id: review.id };
    const { data } = await client().rest.pulls.listCommentsForReview(where);
    const unmoved = { commit_id: head, original_commit_id: head, path: FILE };
    expect(data).toMatchObject([
      { ...unmoved, line: 10, original_line: 10, side: 'RIGHT', position: 5, start_line: null },
      { ...unmoved, line: 11, start_line: 9, start_side: 'RIGHT', position: 6 },
      { ...unmoved, line: 10, side: 'LEFT', position: 4 },
      { ...unmoved, line: 7, original_position: 1 },
    ]);
    expect(data[0]?.diff_hunk).toBe(
      '@@ -7,7 +7,7 @@ line 6\n line 7\n line 8\n line 9\n-line 10\n+ten',
    );
  });

  it('sends one event for itself, and one for each comment', async () => {
    const { at } = await propose();
    const comments = [remark, { ...remark, line: 11 }];
    await client().rest.pulls.createReview({ ...at, event: 'COMMENT', comments });
    const events = await deliveredTo(at.repo, 3);
    expect(events.map(({ event, action }) => `${event}.${action}`)).toEqual([
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
      'pull_request_review_comment.created',
    ]);
  });

  it.each([
    [{ path: 'nowhere.js', line: 1, body: 'x' }, 'Path could not be resolved'],
    [{ ...remark, line: 1 }, /thread line must be part of the diff/],
    [{ ...remark, start_line: 12 }, /start line must precede the end line/],
    [{ ...remark, body: ' ' }, 'Body can not be blank'],
  ])('cannot have the comment %j', async (comment, message) => {
    const { at, repository } = await propose();
    const submit = client().rest.pulls.createReview({
      ...at,
      event: 'COMMENT',
      comments: [comment],
    });
    await expect(submit).rejects.toMatchObject({
      status: 422,
      response: { data: { errors: [expect.stringMatching(message)] } },
    });
    expect(repository.reviews).toEqual([]);
  });

  it('is edited and dismissed, with an event each', async () => {
    const { at, repository } = await propose();
    const helper = playground.github.as('helper');
    const wanted = { event: 'REQUEST_CHANGES', body: 'No.' } as const;
    const { id } = await helper.review({ repository, number: 1 }, wanted);
    const where = { ...at, review_id: id };
    await withToken(playground.github, 'user_helper').rest.pulls.updateReview({
      ...where,
      body: 'No!',
    });
    const { data } = await client().rest.pulls.dismissReview({ ...where, message: 'Outdated' });
    expect(data).toMatchObject({ state: 'DISMISSED', body: 'No!' });
    const events = await deliveredTo(at.repo, 3);
    expect(events.map(({ action }) => action)).toEqual(['submitted', 'edited', 'dismissed']);
    expect(events[1]?.payload).toMatchObject({ changes: { body: { from: 'No.' } } });
  });
});

describe('a thread', () => {
  it('moves with its line, and is outdated when the line changes', async () => {
    const { at, repository, push, head } = await propose();
    await maintainer().remark({ repository, number: 1 }, remark);
    const second = await push(`new\n${lines([10, 'ten'])}`);
    const one = async () => (await client().rest.pulls.listReviewComments(at)).data[0];
    expect(await one()).toMatchObject({ line: 11, original_line: 10, commit_id: second });
    expect((await threadsOf(repository)).nodes).toMatchObject([{ isOutdated: false, line: 11 }]);
    await push(`new\n${lines([10, 'TEN'])}`);
    expect(await one()).toMatchObject({
      line: null,
      position: null,
      original_line: 10,
      original_commit_id: head,
    });
    expect((await threadsOf(repository)).nodes).toMatchObject([
      { isOutdated: true, line: null, originalLine: 10 },
    ]);
  });

  it('about several lines is outdated when one of them changes', async () => {
    const { repository, push } = await propose();
    await maintainer().remark({ repository, number: 1 }, { ...remark, startLine: 8, line: 11 });
    await push(lines([10, 'ten'], [12, 'twelve']));
    expect((await threadsOf(repository)).nodes).toMatchObject([
      { isOutdated: false, startLine: 8 },
    ]);
    await push(lines([10, 'TEN'], [12, 'twelve']));
    expect((await threadsOf(repository)).nodes).toMatchObject([{ isOutdated: true }]);
  });

  it('stays where it is when the lines beside it change', async () => {
    const { repository, push } = await propose();
    await maintainer().remark({ repository, number: 1 }, remark);
    await push(lines([9, 'nine'], [10, 'ten']));
    await push(lines([9, 'nine'], [10, 'ten'], [11, 'eleven']));
    expect((await threadsOf(repository)).nodes).toMatchObject([{ isOutdated: false, line: 10 }]);
  });

  it('is outdated when its file is as on the base branch again', async () => {
    const { repository, push } = await propose();
    await maintainer().remark({ repository, number: 1 }, { ...remark, line: 12 });
    await push('b\n', 'b.txt');
    expect((await threadsOf(repository)).nodes).toMatchObject([{ isOutdated: false }]);
    await push(lines());
    expect((await threadsOf(repository)).nodes).toMatchObject([{ isOutdated: true }]);
  });

  it('collects replies, each with a review of its own', async () => {
    const { at, repository } = await propose();
    const { id } = await maintainer().remark({ repository, number: 1 }, remark);
    const replyTo = (comment_id: number, body: string) =>
      client().rest.pulls.createReplyForReviewComment({ ...at, comment_id, body });
    const { data: first } = await replyTo(id, 'Because.');
    const { data: second } = await replyTo(first.id, 'And so on.');
    expect([first.in_reply_to_id, second.in_reply_to_id]).toEqual([id, id]);
    expect(first.pull_request_review_id).not.toBe(second.pull_request_review_id);
    const { nodes } = await threadsOf(repository);
    expect(nodes).toMatchObject([
      {
        comments: {
          nodes: [
            { body: 'Why?', author: { login: 'maintainer' }, replyTo: null },
            { body: 'Because.', replyTo: { databaseId: id } },
            { body: 'And so on.', author: { login: 'issuewright' } },
          ],
        },
      },
    ]);
    const events = await deliveredTo(at.repo, 6);
    expect(events.map(({ event }) => event.replace('pull_request_review', ''))).toEqual([
      '',
      '_comment',
      '',
      '_comment',
      '',
      '_comment',
    ]);
    await expect(replyTo(99, 'To nobody')).rejects.toMatchObject({ status: 404 });
  });

  it('loses a comment that is deleted, and shows one that is edited', async () => {
    const { at, repository } = await propose();
    const { id } = await maintainer().remark({ repository, number: 1 }, remark);
    const where = { owner: at.owner, repo: at.repo, comment_id: id };
    await client().rest.pulls.updateReviewComment({ ...where, body: 'How?' });
    expect((await client().rest.pulls.getReviewComment(where)).data.body).toBe('How?');
    await client().rest.pulls.deleteReviewComment(where);
    expect((await threadsOf(repository)).totalCount).toBe(0);
    const events = await deliveredTo(at.repo, 4);
    expect(events.map(({ action }) => action)).toEqual([
      'submitted',
      'created',
      'edited',
      'deleted',
    ]);
    expect(events[2]?.payload).toMatchObject({ changes: { body: { from: 'Why?' } } });
  });

  it('is resolved and opened again, with an event for each change', async () => {
    const { at, repository } = await propose();
    const { id } = await maintainer().remark({ repository, number: 1 }, remark);
    const [thread] = (await threadsOf(repository)).nodes;
    const resolved = { thread: { isResolved: true, resolvedBy: { login: 'issuewright' } } };
    for (const _ of [1, 2])
      expect(await client().graphql(RESOLVE, { id: thread?.id })).toEqual({
        resolveReviewThread: resolved,
      });
    maintainer().resolve(repository, id, false);
    const events = await deliveredTo(at.repo, 4);
    expect(events.slice(2).map(({ event, action }) => `${event}.${action}`)).toEqual([
      'pull_request_review_thread.resolved',
      'pull_request_review_thread.unresolved',
    ]);
    expect(events[2]?.payload).toMatchObject({
      thread: { node_id: thread?.id, comments: [{ id }] },
    });
    await expect(client().graphql(RESOLVE, { id: 'PRRT_no' })).rejects.toThrow(
      /Could not resolve to a node/,
    );
  });

  it('can be resolved by an App only if it may write contents too, as on GitHub', async () => {
    const { repository } = await propose();
    await maintainer().remark({ repository, number: 1 }, remark);
    const [thread] = (await threadsOf(repository)).nodes;
    const token = await mintToken(playground.github, { permissions: { pull_requests: 'write' } });
    const resolve = withToken(playground.github, token).graphql(RESOLVE, { id: thread?.id });
    await expect(resolve).rejects.toThrow('Resource not accessible by integration');
  });

  it('is found on the next page', async () => {
    const { repository } = await propose();
    for (const line of [9, 10, 11])
      await maintainer().remark({ repository, number: 1 }, { ...remark, line });
    const first = await threadsOf(repository);
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const second = await threadsOf(repository, first.pageInfo.endCursor);
    expect(second).toMatchObject({ nodes: [{ line: 11 }], pageInfo: { hasNextPage: false } });
  });
});

describe('the list of review comments', () => {
  it('has pages, and only what changed since', async () => {
    const { at, repository } = await propose();
    for (const line of [9, 10, 11])
      await maintainer().remark({ repository, number: 1 }, { ...remark, line });
    const list = (query: object) => client().rest.pulls.listReviewComments({ ...at, ...query });
    expect((await list({ per_page: 2, page: 2 })).data).toMatchObject([{ line: 11 }]);
    expect((await list({ since: '2100-01-01T00:00:00Z' })).data).toEqual([]);
    expect((await list({ sort: 'created', direction: 'desc' })).data[0]).toMatchObject({
      line: 11,
    });
  });
});

describe('a suggestion', () => {
  const suggestion = '```suggestion\nTEN\nand more\n```';

  it('becomes a commit of the person, signed by GitHub, and its thread is resolved', async () => {
    const { at, repository, head } = await propose();
    const body = `Louder:\n\n${suggestion}`;
    const { id } = await playground.github
      .as('helper')
      .remark({ repository, number: 1 }, { ...remark, startLine: 9, body });
    const sha = await maintainer().commitSuggestion(repository, id);
    const bare = repository.git.directory;
    expect(await git(bare, 'show', '--format=%P%n%an%n%cn%n%b', '--stat', sha)).toMatch(
      new RegExp(`^${head}\nmaintainer\nGitHub\nCo-authored-by: helper <`),
    );
    const text = await git(bare, 'show', `ten:${FILE}`);
    expect(text.split('\n').slice(7, 11)).toEqual(['line 8', 'TEN', 'and more', 'line 11']);
    expect((await threadsOf(repository)).nodes).toMatchObject([
      { isResolved: true, isOutdated: true, resolvedBy: { login: 'maintainer' } },
    ]);
    const { data: commit } = await client().rest.repos.getCommit({
      owner: at.owner,
      repo: at.repo,
      ref: sha,
    });
    expect(commit.commit.verification).toMatchObject({ verified: true, reason: 'valid' });
    expect(await git(bare, 'fsck', '--strict')).toBe('');
    await expect(maintainer().commitSuggestion(repository, id)).rejects.toThrow(
      /cannot be applied/,
    );
  });

  it('keeps the line breaks and all other bytes of the file', async () => {
    const { repository } = await propose();
    const bare = repository.git.directory;
    await maintainer().push(repository, {
      branch: 'ten',
      files: { 'a.sh': 'one\r\nTWO \u00e9\r\nthree' },
      message: 'x',
    });
    const { id } = await maintainer().remark(
      { repository, number: 1 },
      { path: 'a.sh', line: 2, body: '```suggestion\nzwei ü\n```' },
    );
    await maintainer().commitSuggestion(repository, id);
    expect(await git(bare, 'show', 'ten:a.sh')).toBe('one\r\nzwei ü\r\nthree');
  });
});

describe('the page of the pull request', () => {
  const post = (path: string, form: Record<string, string>) =>
    fetch(playground.github.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: playground.github.url },
      body: new URLSearchParams({ as: 'maintainer', ...form }),
    });

  it('begins a thread, replies, commits the suggestion and resolves', async () => {
    const { repository } = await propose();
    const form = `/ui/${repository.fullName}/1`;
    const page = async () =>
      (await fetch(`${playground.github.url}/${repository.fullName}/pull/1`)).text();
    await post(`${form}/remark`, { path: FILE, line: '9-10', body: '```suggestion\nX\n```' });
    const id = String(repository.reviewComments[0]?.id);
    await post(`${form}/reply`, { comment: id, body: 'Yes, please.' });
    const before = await page();
    expect(before).toMatch(/lines 9 to 10/);
    expect(before).toMatch(/-ten.*\+X/s);
    expect(before).toContain('Yes, please.');
    expect(before).toContain('Commit suggestion');
    const answer = await post(`${form}/suggestion`, { comment: id });
    expect(answer.status).toBe(303);
    const after = await page();
    expect(after).toContain('Outdated');
    expect(after).toContain('Unresolve conversation');
    expect(after).not.toContain('Commit suggestion');
    await post(`${form}/unresolve`, { comment: id });
    expect(await page()).toContain('>Resolve conversation');
  });
});
