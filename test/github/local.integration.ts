// The gate against a GitHub that answers through real HTTP, holds answers back, and loses them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ResponseLost, NotFound, Suspended } from '../../src/github/errors.ts';
import type { GitHub } from '../../src/github/index.ts';
import { PERMISSIONS } from '../../src/github/access/permissions.ts';
import type { GitHubRepository } from '../../src/github/repository.ts';
import type { LocalGitHub } from '../../packages/local-github/src/index.ts';
import { openLocalApp } from './local-app.ts';
import { APP_ID, github } from './support.ts';

let opened: Awaited<ReturnType<typeof openLocalApp>>;
let local: LocalGitHub;
let app: GitHub;
let words: GitHubRepository;
let repository: ReturnType<LocalGitHub['repository']>;
let number = 0;

beforeAll(async () => {
  opened = await openLocalApp('maintainer', 'stranger');
  local = opened.local;
  repository = await local.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n', '.github/issuewright.yml': 'label: agent\n' },
    collaborators: { maintainer: 'maintain', helper: 'triage', renamed: 'write' },
  });
  app = connect();
  words = open(app);
});
afterAll(() => opened.close());
beforeEach(() => {
  number = local.as('maintainer').openIssue(repository, { title: 'Words', body: '' }).number;
});

/** A process of the service; another call is another one, which remembers nothing. */
const connect = (deadlineMs?: number): GitHub =>
  github({ enterprise: { host: new URL(local.url).host, protocol: 'http' }, deadlineMs });
const open = (service: GitHub): GitHubRepository =>
  service.repository(1, { id: repository.id, owner: 'example', name: 'words' });
const commentsOf = (issue: number) =>
  repository.comments.filter((comment) => comment.issueNumber === issue);
const status = (...body: string[]) => ({ issue: number, session: '5', key: 'status', body });

describe('a comment', () => {
  it('is created, then edited, and appears once under the name of the App', async () => {
    const { id } = await words.comment(status('working'));
    await words.comment({ ...status('still working'), known: id });
    await expect(words.comment(status('done'))).resolves.toMatchObject({ id });
    expect(commentsOf(number)).toMatchObject([
      { author: { login: 'issuewright[bot]' }, body: 'done\n\n<!-- issuewright:5:status -->' },
    ]);
  });

  it('whose answer is lost is found', async () => {
    const hold = local.faults.hold({ method: 'POST', path: /\/comments$/ });
    const made = words.comment(status('working'));
    await hold.applied;
    hold.drop();
    const { id } = await made;
    expect(commentsOf(number)).toMatchObject([{ id }]);
  });

  it('whose answer does not come within the deadline is found', async () => {
    const hold = local.faults.hold({ method: 'POST', path: /\/comments$/ });
    const { id } = await open(connect(1000)).comment(status('working'));
    expect(commentsOf(number)).toMatchObject([{ id }]);
    hold.release();
  });

  it('is not made again by a process that takes over while the answer is held', async () => {
    const hold = local.faults.hold({ method: 'POST', path: /\/comments$/ });
    const before = words.comment(status('working'));
    await hold.applied;
    const { id } = await open(connect()).comment(status('resumed'));
    hold.release();
    await expect(before).resolves.toMatchObject({ id });
    expect(commentsOf(number)).toMatchObject([{ id, body: expect.stringMatching(/^resumed/) }]);
  });

  it('that two processes made at once is there once after the next look, the oldest', async () => {
    const hold = local.faults.hold({ method: 'GET', path: /\/comments$/ });
    const late = words.comment(status('late'));
    await hold.applied;
    const { id } = await open(connect()).comment(status('early'));
    hold.release();
    await late;
    expect(commentsOf(number)).toHaveLength(2);
    await words.comment(status('done'));
    expect(commentsOf(number)).toMatchObject([{ id, body: expect.stringMatching(/^done/) }]);
  });

  it('that a person forged is left alone, beside the real one', async () => {
    const forged = 'working\n\n<!-- issuewright:5:status -->';
    local.as('stranger').comment({ repository, number }, forged);
    const { id } = await words.comment(status('done'));
    expect(commentsOf(number)).toMatchObject([{ body: forged }, { id }]);
  });

  it('that a maintainer deleted is made again', async () => {
    const { id } = await words.comment(status('working'));
    local.as('maintainer').deleteComment(repository, id);
    const again = await words.comment({ ...status('working'), known: id });
    expect(commentsOf(number)).toMatchObject([{ id: again.id }]);
  });

  it('is found among hundreds', async () => {
    const { id } = await words.comment(status('working'));
    for (let at = 0; at < 230; at += 1)
      local.as('stranger').comment({ repository, number }, `comment ${at}`);
    await expect(words.comment(status('done'))).resolves.toMatchObject({ id });
  });

  it('fails in the end if GitHub keeps failing, and is published once when it recovers', async () => {
    local.faults.failNext({ method: 'POST', path: /\/comments$/, status: 502 });
    await expect(words.comment(status('working'))).rejects.toBeInstanceOf(ResponseLost);
    await words.comment(status('working'));
    expect(commentsOf(number)).toHaveLength(1);
  });
});

const BEGIN = '<!-- issuewright:5:pull-request:begin -->';
const END = '<!-- issuewright:5:pull-request -->';
const ours = (text: string): string => `${BEGIN}\n${text}\n\n${END}`;

describe('a pull request', () => {
  let branch = '';
  const request = () => ({
    session: '5',
    branch,
    base: 'main',
    title: 'More words',
    body: ['Some'],
    draft: true,
  });
  const pulls = () => repository.issues.filter((issue) => issue.pull?.head === branch);
  beforeEach(async () => {
    branch = `issuewright/${number}-words`;
    await local
      .as('maintainer')
      .push(repository, { branch, files: { 'more.md': `${number}\n` }, message: 'Add more' });
  });

  it('is opened once, updated, and made ready', async () => {
    const opened = await words.openPullRequest(request());
    await expect(words.openPullRequest(request())).resolves.toEqual(opened);
    await words.updatePullRequest({
      session: '5',
      number: opened.number,
      body: ['Done @stranger'],
    });
    expect(pulls()).toMatchObject([{ body: ours('Done @\u200Bstranger'), pull: { draft: true } }]);
    await words.markReady(opened.number);
    await words.markReady(opened.number);
    expect(pulls()).toMatchObject([{ pull: { draft: false } }]);
  });

  it('keeps what people write in its body', async () => {
    const opened = await words.openPullRequest(request());
    const [pull] = pulls();
    if (pull === undefined) throw new Error('there is no pull request');
    pull.body = `Mine\r\n${pull.body}`;
    await words.updatePullRequest({ session: '5', number: opened.number, body: ['More'] });
    expect(pull.body).toBe(`Mine\r\n${ours('More')}`);
  });

  it('is not written again if its body is as it should be', async () => {
    const opened = await words.openPullRequest(request());
    const hold = local.faults.hold({ method: 'PATCH', path: /\/pulls\// });
    await words.updatePullRequest({ session: '5', number: opened.number, body: ['Some'] });
    hold.drop();
    expect(pulls()[0]?.body).toBe(ours('Some'));
  });

  it('whose answer is lost, or held while another process takes over, is opened once', async () => {
    const hold = local.faults.hold({ method: 'POST', path: /\/pulls$/ });
    const before = words.openPullRequest(request());
    await hold.applied;
    const { number: found } = await open(connect()).openPullRequest(request());
    hold.drop();
    await expect(before).resolves.toMatchObject({ number: found });
    expect(pulls()).toHaveLength(1);
  });

  it('that was closed does not prevent a new one', async () => {
    const first = await words.openPullRequest(request());
    await local.as('maintainer').close({ repository, number: first.number });
    const second = await words.openPullRequest(request());
    expect(second.number).not.toBe(first.number);
  });

  it('is ready although the answer to that was lost', async () => {
    const { number: pull } = await words.openPullRequest(request());
    const hold = local.faults.hold({ method: 'POST', path: /graphql$/ });
    const ready = words.markReady(pull);
    await hold.applied;
    hold.drop();
    await expect(ready).resolves.toBeUndefined();
    expect(pulls()).toMatchObject([{ pull: { draft: false } }]);
  });

  it('without a commit of its own is denied with the reason of GitHub', async () => {
    branch = 'main';
    await expect(words.openPullRequest(request())).rejects.toThrow(/No commits between/);
  });

  it('gives the line comments of one review', async () => {
    const { number: pull } = await words.openPullRequest(request());
    const say = (body: string) =>
      local
        .as('maintainer')
        .review(
          { repository, number: pull },
          { event: 'REQUEST_CHANGES', body: 'see', comments: [{ path: 'more.md', line: 1, body }] },
        );
    await say('an earlier one');
    const { id } = await say('name it');
    const found = await words.lineCommentsOf(pull, id);
    expect(found).toHaveLength(1);
    expect(found).toMatchObject([{ path: 'more.md', line: 1, body: 'name it', images: [] }]);
  });
});

describe('a request for a review', () => {
  let pull = 0;
  beforeEach(async () => {
    const branch = `issuewright/${number}-review`;
    const work = { branch, files: { 'more.md': `${number}\n` }, message: 'Add more' };
    await local.as('maintainer').push(repository, work);
    const text = { session: '5', title: 'More words', body: ['Some'], draft: true };
    ({ number: pull } = await words.openPullRequest({ ...text, branch, base: 'main' }));
  });
  const asked = () =>
    repository.issues
      .find((issue) => issue.number === pull)
      ?.pull?.requestedReviewers.map(({ login }) => login);

  it('reaches those who can be asked, and names the others', async () => {
    const logins = ['maintainer', 'stranger', 'helper', 'nobody-at-all'];
    await expect(words.requestReview(pull, logins)).resolves.toEqual({
      asked: ['maintainer', 'helper'],
      denied: ['stranger', 'nobody-at-all'],
    });
    expect(asked()).toEqual(['maintainer', 'helper']);
  });

  it('whose answer is lost is made once', async () => {
    const hold = local.faults.hold({ method: 'POST', path: /requested_reviewers$/ });
    const request = words.requestReview(pull, ['maintainer']);
    await hold.applied;
    hold.drop();
    await expect(request).resolves.toEqual({ asked: ['maintainer'], denied: [] });
    expect(asked()).toEqual(['maintainer']);
    const events = local.deliveries.filter(
      ({ action, payload }) => action === 'review_requested' && payload['number'] === pull,
    );
    expect(events).toHaveLength(1);
  });

  it('stays until that person has reviewed', async () => {
    await words.requestReview(pull, ['maintainer']);
    await local
      .as('maintainer')
      .review({ repository, number: pull }, { event: 'APPROVE', body: '' });
    expect(asked()).toEqual([]);
  });
});

describe('an issue that is read', () => {
  it('tells the App’s own words from a person’s, and a pull request from an issue', async () => {
    await words.comment({ issue: number, session: '5', key: 'said:1', body: ['mine'] });
    local.as('stranger').comment({ repository, number }, 'theirs');
    const { page, opening, isPullRequest } = await words.issue(number, 1);
    expect(page).toMatchObject([
      { isOwn: true, author: 'issuewright[bot]' },
      { isOwn: false, author: 'stranger' },
    ]);
    expect([opening.author, isPullRequest]).toEqual(['maintainer', false]);
    const pull = repository.issues.find((issue) => issue.pull !== undefined)?.number ?? 0;
    await expect(words.issue(pull, 1)).resolves.toMatchObject({ isPullRequest: true });
  });

  it('is not there: it says so', async () => {
    await expect(words.issue(9999, 1)).rejects.toBeInstanceOf(NotFound);
  });

  it('is in the list, most recently updated first, until there are no more pages', async () => {
    const { issues } = await words.issues({ state: 'open', labels: [], page: 1 });
    expect(issues.map((issue) => issue.number)).toContain(number);
    const dates = issues.map(({ updatedAt }) => updatedAt);
    expect(dates).toEqual(dates.toSorted().toReversed());
    await expect(words.issues({ state: 'open', labels: [], page: 99 })).resolves.toEqual({
      issues: [],
      hasMore: false,
    });
  });
});

describe('the history', () => {
  it('is that of any commit or branch, with what each commit changed', async () => {
    const branch = `history-${number}`;
    const push = (files: Record<string, string | null>, message: string) =>
      local.as('maintainer').push(repository, { branch, files, message });
    await push({ 'docs/a b.md': 'one\ntwo\n' }, 'Add a');
    const sha = await push({ 'docs/a b.md': null, 'docs/c.md': 'one\ntwo\n' }, 'Move it');
    const commits = await words.commits({ from: branch, limit: 2 });
    expect(commits).toMatchObject([
      { sha, message: 'Move it', author: 'maintainer' },
      { message: 'Add a' },
    ]);
    await expect(words.commits({ from: sha, path: 'docs/c.md', limit: 9 })).resolves.toHaveLength(
      1,
    );
    await expect(words.commitFiles(sha)).resolves.toEqual([
      { path: 'docs/c.md', from: 'docs/a b.md', status: 'renamed', hunks: '' },
    ]);
    expect((await words.changeSince('main', sha)).files).toEqual([
      { path: 'docs/c.md', status: 'added', hunks: '@@ -0,0 +1,2 @@\n+one\n+two\n' },
    ]);
    await expect(words.commitFiles('0123456789')).resolves.toBeUndefined();
    await expect(words.hasBranch(branch)).resolves.toBe(true);
    expect((await words.branches()).names).toContain(branch);
  });
});

describe('the repository', () => {
  it('is read as it is', async () => {
    await expect(words.readFile('.github/issuewright.yml')).resolves.toBe('label: agent\n');
    const levels = ['maintainer', 'helper', 'stranger', 'nobody-at-all'].map((login) =>
      words.permissionOf(login),
    );
    await expect(Promise.all(levels)).resolves.toEqual(['maintain', 'triage', 'read', 'none']);
  });

  it('tells what an account may do that has another login by now, and not what its successor may', async () => {
    const { id } = local.as('renamed').user;
    local.renameUser('renamed', 'present-name');
    await expect(words.permissionOf('renamed', id)).resolves.toBe('write');
    await expect(words.permissionOf('renamed')).resolves.toBe('none');
    local.renameUser('stranger', 'renamed');
    await expect(words.permissionOf('renamed', id)).resolves.toBe('write');
    await expect(words.permissionOf('renamed')).resolves.toBe('read');
    await expect(words.permissionOf('present-name', id + 100_000)).resolves.toBe('none');
    local.renameUser('renamed', 'stranger');
  });

  it('is reacted to once', async () => {
    await words.react({ in: { on: 'issue', id: number }, content: 'eyes' });
    await words.react({ in: { on: 'issue', id: number }, content: 'eyes' });
    const { id } = local.as('maintainer').comment({ repository, number }, 'yes');
    await words.react({ in: { on: 'comment', id }, content: 'eyes' });
    const issue = repository.issues.find((one) => one.number === number);
    expect(issue?.reactions).toMatchObject([{ content: 'eyes' }]);
    expect(commentsOf(number)[0]?.reactions).toMatchObject([{ content: 'eyes' }]);
  });

  it('is served on after its tokens have died', async () => {
    await words.issueState(number);
    local.expireTokens();
    await expect(words.issueState(number)).resolves.toMatchObject({ isOpen: true });
  });

  it('of a suspended installation is denied with an explanation', async () => {
    local.installations.suspend(1);
    await expect(open(connect()).issueState(number)).rejects.toBeInstanceOf(Suspended);
    local.installations.unsuspend(1);
  });
});

describe('the App', () => {
  it('knows the name of the author of its comments', async () => {
    const { id } = await words.comment(status('hello'));
    const author = repository.comments.find((comment) => comment.id === id)?.author;
    await expect(app.identity()).resolves.toMatchObject({ login: author?.login, appId: APP_ID });
  });

  it('used no permission that it does not ask for, and put no token into a URL', () => {
    const granted = new Map<string, string>(Object.entries(PERMISSIONS));
    const missing = [...local.usedPermissions].filter((permission) => {
      const [name = '', level] = permission.split(':');
      return granted.get(name) !== 'write' && granted.get(name) !== level;
    });
    expect(missing).toEqual([]);
    for (const request of local.requests) expect(request.path).not.toMatch(/ghs_/);
  });
});
