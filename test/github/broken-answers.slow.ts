// What becomes of a read whose answer breaks on the way, or is none of GitHub's: it is asked again, or fails in words, and
// nothing broken is remembered. Each way of breaking happens to each read.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Distorted, Distortion } from '../../packages/local-github/src/distortions.ts';
import type { LocalGitHub } from '../../packages/local-github/src/index.ts';
import { OPTIONAL_PERMISSIONS, PERMISSIONS } from '../../src/github/access/permissions.ts';
import type { GitHub } from '../../src/github/index.ts';
import type { GitHubRepository } from '../../src/github/repository.ts';
import { TryLater } from '../../src/lib/errors.ts';
import { openLocalApp } from './local-app.ts';
import { github } from './support.ts';

let opened: Awaited<ReturnType<typeof openLocalApp>>;
let local: LocalGitHub;
let repository: ReturnType<LocalGitHub['repository']>;
let issue = 0;
let pull = 0;
let comment = 0;
let review = 0;
let head = '';

beforeAll(async () => {
  opened = await openLocalApp('maintainer', 'helper');
  local = opened.local;
  repository = await local.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n', '.github/issuewright.yml': 'label: agent\n' },
    collaborators: { maintainer: 'maintain', helper: 'triage' },
  });
  local.installations.grant(1, { ...PERMISSIONS, ...OPTIONAL_PERMISSIONS });
  const maintainer = local.as('maintainer');
  issue = maintainer.openIssue(repository, { title: 'Words', body: 'More of them' }).number;
  maintainer.label({ repository, number: issue }, 'agent');
  comment = maintainer.comment({ repository, number: issue }, 'Please').id;
  const change = { branch: 'issuewright/1', files: { 'a.md': 'a\n' }, message: 'Add a' };
  head = await maintainer.push(repository, change);
  pull = (await open(connect()).openPullRequest(text())).number;
  const remark = { path: 'a.md', line: 1, body: 'Say more' };
  const event = 'REQUEST_CHANGES' as const;
  const said = { event, body: '', comments: [remark] } as const;
  review = (await maintainer.review({ repository, number: pull }, said)).id;
});
afterAll(() => opened.close());

const text = () => ({
  session: '5',
  issue,
  branch: 'issuewright/1',
  base: 'main',
  title: 'Add a',
  body: ['Adds a'],
  draft: false,
});

/** A process of the service, which remembers nothing. */
const connect = (deadlineMs?: number): GitHub =>
  github({ enterprise: { host: new URL(local.url).host, protocol: 'http' }, deadlineMs });
const open = (service: GitHub): GitHubRepository =>
  service.repository(1, { id: repository.id, owner: 'example', name: 'words' });

type Read = (words: GitHubRepository, service: GitHub) => Promise<unknown>;

const READS: Readonly<Record<string, Read>> = {
  'a file': (words) => words.readFile('.github/issuewright.yml'),
  'a permission': (words) => words.permissionOf('maintainer'),
  'the state of an issue': (words) => words.issueState(issue),
  'an issue': (words) => words.issue(issue, 1),
  issues: (words) => words.issues({ labels: [], state: 'open', page: 1 }),
  'comments as of a time': async (words) => {
    const found = await words.commentsAsOf(issue, '2100-01-01T00:00:00Z');
    return found.map(({ id, author }) => ({ id, author }));
  },
  'waiting issues': (words) => words.waitingIssues('agent', 1),
  'who started it': (words) => words.triggerOf(issue, { label: 'agent' }),
  'who changed it': async (words) => [...(await words.changersSince(issue, ''))],
  'thumbs up': (words) => words.thumbsUp(comment),
  'a pull request': (words) => words.pullRequest(pull),
  mergeability: (words) => words.mergeability(pull),
  'a review': (words) => words.reviewOf(pull, review),
  'line comments': (words) => words.lineCommentsOf(pull, review),
  'why not to push': (words) => words.whyNotToPush({ number: pull, branch: 'issuewright/1' }),
  commits: (words) => words.commits({ from: 'main', limit: 10 }),
  'files of a commit': (words) => words.commitFiles(head),
  'the change since': (words) => words.changeSince('main', head),
  branches: (words) => words.branches(),
  'a branch': (words) => words.hasBranch('issuewright/1'),
  'related work': (words) => words.relatedWork(issue),
  'the head of a pull request': (words) => words.checks.pullHead(pull),
  'whether a commit is contained': (words) => words.checks.contains(head, head),
  bases: (words) => words.checks.basesOf('main', head),
  checks: (words) => words.checks.of(head),
  'what is lacking': (words) => words.lacking({ checks: 'write' }),
  identity: (_words, service) => service.identity(),
  deliveries: (_words, service) => firstOf(service.deliveries.pages()),
};

async function firstOf<T>(pages: AsyncIterable<T>): Promise<T | undefined> {
  for await (const page of pages) return page;
  return undefined;
}

const ETAG = { etag: '"broken"' };
const HTML = '<!doctype html><title>Sign in</title>';

/** Each as the connection, or a proxy, makes it of any answer. */
const BREAKS: Readonly<Record<string, Distortion>> = {
  cut: { kind: 'cut' },
  reset: { kind: 'reset' },
  doubled: { kind: 'replaced', status: 200, body: '{"id":1}{"id":1}', headers: ETAG },
  empty: { kind: 'replaced', status: 200, body: '', headers: ETAG },
  null: { kind: 'replaced', status: 200, body: null, headers: ETAG },
  'a text': { kind: 'replaced', status: 200, body: '"signed in"', headers: ETAG },
  'another object': { kind: 'replaced', status: 200, body: { message: 'Hello' }, headers: ETAG },
  'a page as JSON': { kind: 'replaced', status: 200, body: HTML, headers: ETAG },
  'a page': {
    kind: 'replaced',
    status: 200,
    body: HTML,
    headers: { ...ETAG, 'content-type': 'text/html' },
  },
  'a denial without its end': { kind: 'replaced', status: 403, body: '{"message":"You have exc' },
};

const isRead = (method: string, path: string): boolean =>
  method === 'GET' || path.endsWith('/graphql');

const ordered: Distorted[] = [];
afterEach(() => {
  for (const order of ordered.splice(0)) order.end();
});

function distort(how: Distortion, times: number, matches = isRead): Distorted {
  const order = local.faults.distortions.add({ how, times, matches });
  ordered.push(order);
  return order;
}

describe.each(Object.entries(READS))('a read of %s', (_name, read) => {
  const now = (service: GitHub): Promise<unknown> => read(open(service), service);

  it.each(Object.entries(BREAKS))('survives one answer that is broken: %s', async (_what, how) => {
    const right = await now(connect());
    const broken = distort(how, 1);
    const service = connect();
    await expect(now(service)).resolves.toEqual(right);
    expect(broken.count).toBe(1);
    await expect(now(service)).resolves.toEqual(right);
  });

  it.each(Object.entries(BREAKS))(
    'fails in words while all are, and remembers none: %s',
    async (_what, how) => {
      const right = await now(connect());
      const service = connect();
      const broken = distort(how, Infinity);
      const failure = await now(service).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(TryLater);
      expect((failure as TryLater).message).toMatch(/GitHub/);
      broken.end();
      await expect(now(service)).resolves.toEqual(right);
    },
  );
});

describe('a read whose answer comes too slowly', () => {
  it.each(['a file', 'a permission', 'an issue'])('is asked again: %s', async (name) => {
    const read = READS[name];
    if (read === undefined) throw new Error(name);
    const right = await read(open(connect()), connect());
    const slow = connect(2_000);
    distort({ kind: 'dripping', overMs: 600_000 }, 1);
    await expect(read(open(slow), slow)).resolves.toEqual(right);
  });
});

describe('the rendering of a text', () => {
  it('that is cut does not count as harmless', async () => {
    distort({ kind: 'cut' }, Infinity, (_method, path) => path.endsWith('/markdown'));
    const body = [{ text: 'some *words*', isQuoted: false }];
    const request = { issue, session: '5', key: 'status', body };
    await expect(open(connect()).comment(request)).rejects.toBeInstanceOf(TryLater);
  });
});
