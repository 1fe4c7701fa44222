// Reviews and their threads, read from the local GitHub and written to it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NotFound } from '../../src/github/errors.ts';
import type { GitHubRepository } from '../../src/github/repository.ts';
import { isPull } from '../../packages/local-github/src/github/state.ts';
import type { LocalGitHub } from '../../packages/local-github/src/index.ts';
import { openLocalApp } from './local-app.ts';
import { github } from './support.ts';

let opened: Awaited<ReturnType<typeof openLocalApp>>;
let local: LocalGitHub;
let words: GitHubRepository;
let repository: ReturnType<LocalGitHub['repository']>;
let pull = 0;

beforeAll(async () => {
  opened = await openLocalApp('maintainer', 'stranger');
  local = opened.local;
  repository = await local.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n' },
    collaborators: { maintainer: 'maintain' },
  });
  const host = new URL(local.url).host;
  words = github({ enterprise: { host, protocol: 'http' } }).repository(1, {
    id: repository.id,
    owner: 'example',
    name: 'words',
  });
});
afterAll(() => opened.close());
beforeEach(async () => {
  const maintainer = local.as('maintainer');
  const { number } = maintainer.openIssue(repository, { title: 'Words', body: '' });
  const branch = `issuewright/issue-${number}`;
  const files = { 'more.md': `one\ntwo\n${number}\n` };
  await maintainer.push(repository, { branch, files, message: 'Add more' });
  const text = { session: '5', title: 'More words', body: ['Some'], draft: false };
  ({ number: pull } = await words.openPullRequest({ ...text, branch, base: 'main' }));
});

const place = () => ({ repository, number: pull });

describe('a comment on lines', () => {
  it('has its place, its side and the end of the diff there', async () => {
    const { id } = await local.as('maintainer').review(place(), {
      event: 'REQUEST_CHANGES',
      body: 'see',
      comments: [{ path: 'more.md', startLine: 1, line: 2, body: 'Say more.' }],
    });
    const [found] = await words.lineCommentsOf(pull, id);
    expect(found).toMatchObject({
      path: 'more.md',
      line: 2,
      body: 'Say more.',
      thread: {
        root: found?.thread.comment,
        firstLine: 1,
        side: 'new',
        hunk: '@@ -0,0 +1,3 @@\n+one\n+two',
        isResolved: false,
        isOutdated: false,
        earlier: [],
      },
    });
  });

  it('comes with what was said in its thread before, and whether that is resolved', async () => {
    const maintainer = local.as('maintainer');
    const first = await maintainer.remark(place(), { path: 'more.md', line: 1, body: 'Why?' });
    await local.as('stranger').replyTo(repository, first.id, 'I wonder too.');
    const last = await maintainer.replyTo(repository, first.id, 'Please say.');
    maintainer.resolve(repository, first.id);
    const [found] = await words.lineCommentsOf(pull, last.reviewId);
    expect(found).toMatchObject({
      body: 'Please say.',
      thread: { root: first.id, comment: last.id, isResolved: true },
    });
    const earlier = found?.thread.earlier ?? [];
    expect(earlier.map(({ author, isOwn }) => [author, isOwn])).toEqual([
      ['maintainer', false],
      ['stranger', false],
    ]);
    const shown = await Promise.all(earlier.map((one) => one.shown()));
    expect(shown.map(({ body }) => body)).toEqual(['Why?', 'I wonder too.']);
  });

  it('is outdated once its lines have changed', async () => {
    const maintainer = local.as('maintainer');
    const { reviewId } = await maintainer.remark(place(), {
      path: 'more.md',
      line: 2,
      body: 'Say more.',
    });
    const branch = repository.issues.find(({ number }) => number === pull)?.pull?.head ?? '';
    const files = { 'more.md': 'one\n2\n' };
    await maintainer.push(repository, { branch, files, message: 'Say it' });
    const [found] = await words.lineCommentsOf(pull, reviewId);
    expect(found).toMatchObject({ line: 2, thread: { isOutdated: true } });
  });
});

describe('a review', () => {
  it('says its verdict and its words, until it is dismissed or gone', async () => {
    const review = { event: 'REQUEST_CHANGES', body: 'see' } as const;
    const { id } = await local.as('maintainer').review(place(), review);
    await expect(words.reviewOf(pull, id)).resolves.toEqual({
      verdict: 'changes_requested',
      body: 'see',
      at: expect.any(String),
    });
    await expect(words.reviewOf(pull, id + 999)).resolves.toBeUndefined();
  });
});

describe('a reply in a thread', () => {
  const remark = () =>
    local.as('maintainer').remark(place(), { path: 'more.md', line: 1, body: 'Why?' });
  type Remark = Awaited<ReturnType<typeof remark>>;
  const request = ({ id }: Remark, body: string) => ({
    session: '5',
    key: `thread:1:${id}`,
    body: [body],
    mentions: [],
    pullRequest: pull,
    root: id,
    comments: [id],
    wasResolved: false,
  });
  const ours = ({ threadId }: Remark) =>
    repository.reviewComments
      .filter((one) => one.threadId === threadId && one.author.type === 'Bot')
      .map(({ body }) => body);

  it('is made once, however often it is published, and edited if it is to say something else', async () => {
    const first = await remark();
    const made = await words.replyToThread(request(first, 'Because.'));
    await expect(words.replyToThread(request(first, 'Because.'))).resolves.toEqual(made);
    expect(ours(first)).toEqual([`Because.\n\n<!-- issuewright:5:thread:1:${first.id} -->`]);
    await words.replyToThread({ ...request(first, 'So.'), known: made?.id });
    await words.replyToThread(request(first, 'So there.'));
    expect(ours(first)).toEqual([`So there.\n\n<!-- issuewright:5:thread:1:${first.id} -->`]);
  });

  it('whose answer is lost is found', async () => {
    const first = await remark();
    const hold = local.faults.hold({ method: 'POST', path: /\/replies$/ });
    const made = words.replyToThread(request(first, 'Because.'));
    await hold.applied;
    hold.drop();
    await made;
    expect(ours(first)).toHaveLength(1);
  });

  it('is not made once the thread is resolved, or what it answers is deleted', async () => {
    const resolved = await remark();
    local.as('maintainer').resolve(repository, resolved.id);
    await expect(words.replyToThread(request(resolved, 'Because.'))).resolves.toBeUndefined();
    await words.replyToThread({ ...request(resolved, 'Still.'), wasResolved: true });
    expect(ours(resolved)).toHaveLength(1);
    const other = await remark();
    const gone = { ...request(other, 'Because.'), comments: [999_999] };
    await expect(words.replyToThread(gone)).resolves.toBeUndefined();
    expect(ours(other)).toEqual([]);
  });
});

describe('a thread', () => {
  const resolvedBy = (id: number) =>
    repository.reviewThreads.find((one) => one.id === id)?.resolvedBy?.login;
  const replied = async (on: { line: number } | { ofFile: true } = { line: 1 }) => {
    const first = await local
      .as('maintainer')
      .remark(place(), { path: 'more.md', ...on, body: 'Why?' });
    const reply = { session: '5', key: `thread:1:${first.id}` };
    const comments = [first.id];
    const about = { pullRequest: pull, root: first.id, comments, wasResolved: false };
    const text = { body: ['Because.'], mentions: [], ...about };
    const publish = () => words.replyToThread({ ...reply, ...text });
    const resolve = () => words.resolveThread({ pullRequest: pull, reply, answered: comments });
    return { first, publish, resolve };
  };

  const change = (content: string) => {
    const issue = repository.issues.find(({ number }) => number === pull);
    const branch = issue !== undefined && isPull(issue) ? issue.pull.head : '';
    return local
      .as('maintainer')
      .push(repository, { branch, files: { 'more.md': content }, message: 'Change it' });
  };

  it('is resolved once our reply is in it and its lines were changed', async () => {
    const { first, publish, resolve } = await replied();
    await change('1\ntwo\n');
    await expect(resolve()).rejects.toThrow(/not published yet/);
    await publish();
    await resolve();
    await resolve();
    expect(resolvedBy(first.threadId)).toBe('issuewright[bot]');
  });

  it('stays open while its lines are as they were, though others of the file were changed', async () => {
    const { first, publish, resolve } = await replied();
    await change('zero\none\n2\n');
    await publish();
    await resolve();
    expect(resolvedBy(first.threadId)).toBeUndefined();
    await change('zero\n1\n2\n');
    await resolve();
    expect(resolvedBy(first.threadId)).toBe('issuewright[bot]');
  });

  it('about a whole file is resolved by our reply', async () => {
    const { first, publish, resolve } = await replied({ ofFile: true });
    await publish();
    await resolve();
    expect(resolvedBy(first.threadId)).toBe('issuewright[bot]');
  });

  it('stays open for a comment that was not answered, whoever wrote it', async () => {
    const { first, publish, resolve } = await replied();
    await local.as('stranger').replyTo(repository, first.id, 'And why that?');
    await change('1\ntwo\n');
    await publish();
    await resolve();
    expect(resolvedBy(first.threadId)).toBeUndefined();
  });
});

describe('a reaction', () => {
  it('is made to a comment on a line, and to the words of a review, once each', async () => {
    const { id } = await local.as('maintainer').review(place(), {
      event: 'COMMENT',
      body: '/issuewright status',
      comments: [{ path: 'more.md', line: 1, body: '/issuewright cost' }],
    });
    const review = repository.reviews.find((one) => one.id === id);
    const comment = repository.reviewComments.find(({ reviewId }) => reviewId === id);
    const places = [
      { on: 'review', id, pullRequest: pull },
      { on: 'line_comment', id: comment?.id ?? 0 },
    ] as const;
    for (const one of places)
      for (const content of ['eyes', '+1', '+1'] as const) await words.react({ in: one, content });
    const contents = () => [review, comment].map((one) => one?.reactions.map((r) => r.content));
    expect(contents()).toEqual([
      ['eyes', '+1'],
      ['eyes', '+1'],
    ]);
    for (const one of places) {
      const reaction = await words.react({ in: one, content: '+1' });
      await words.unreact({ in: one, reaction });
      await words.unreact({ in: one, reaction });
    }
    expect(contents()).toEqual([['eyes'], ['eyes']]);
  });

  it('to a review that is gone says so', async () => {
    const gone = { on: 'review', id: 999_999, pullRequest: pull } as const;
    await expect(words.react({ in: gone, content: 'eyes' })).rejects.toThrow(NotFound);
  });
});
