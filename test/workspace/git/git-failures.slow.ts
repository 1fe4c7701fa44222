import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BranchMoved } from '../../../src/workspace/git/publish/push.ts';
import { contentOf } from '../../../src/workspace/files/recorded-changes.ts';
import { TellPerson, TryLater } from '../../../src/lib/errors.ts';
import type { GitSettings } from '../../../src/workspace/git/engines/choose-engine.ts';
import type { EngineName } from '../../../src/workspace/git/engines/engine.ts';
import type { GitPlace } from '../../../src/workspace/git/operations.ts';
import { encodePktLine, FLUSH } from '../../../src/workspace/git/http-client.ts';
import { resolveRemote } from '../../../src/workspace/git/remote.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { AT, BRANCH, GIT, open, text, withoutThread } from '../support.ts';
import { ENGINES } from './engines.ts';

let server: GitServer;
let repository: TestRepository;
let workspaces: Workspace[];
let count = 0;

beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(() => {
  count += 1;
  workspaces = [];
  repository = server.createRepository(`octo/failing-${count}`, { 'README.md': 'Sample\n' });
});
afterEach(async () => {
  server.intercept = undefined;
  server.token = 'token-of-the-test';
  await Promise.all(workspaces.map((workspace) => workspace.close()));
});

const ourDirectories = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`issuewright-${process.pid}-`));

async function opened(): Promise<Workspace> {
  const workspace = await open(server, repository);
  workspaces.push(workspace);
  await workspace.files.write('a.txt', text('1'));
  return workspace;
}

const clone = (place: Partial<GitPlace>, commit = repository.head()) =>
  withoutThread(repository, place).git.clone({ commit, token: server.token });

const gitOf = (engine: EngineName): GitSettings =>
  engine === 'native' ? GIT : { engine, maxBytes: GIT.maxBytes };

async function push(): Promise<void> {
  const { git, tree } = withoutThread(repository);
  await git.clone({ commit: repository.head(), token: server.token });
  writeFileSync(join(tree, 'a.txt'), '1');
  const content = contentOf({ mode: '100644', content: Buffer.from('1') });
  const considered = { except: [], recorded: new Map([['a.txt', content]]) };
  await git.commit({ message: 'Change', at: AT.getTime(), only: undefined, ...considered });
  await git.push({ unsigned: undefined, token: server.token, branch: BRANCH });
}

function answerWith(status: number, headers: Record<string, string> = {}, body = ''): void {
  server.intercept = (_request, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const failure: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof Error) return failure;
  throw new Error('it did not fail');
}

describe.each(ENGINES)('a clone by the %s engine that fails', (engine) => {
  const git = gitOf(engine);
  it.each([
    [
      403,
      'text/plain',
      'Repository access blocked\u001b[0m\r\n',
      'status 403: Repository access blocked',
    ],
    [404, 'text/html', '<h1>Not found</h1>', 'status 404'],
  ])('with status %i tells a person which repository, and what to check', async (...row) => {
    const [status, type, body, reason] = row;
    answerWith(status, { 'content-type': type }, body);
    const failure = await failureOf(open(server, repository, { git }));
    expect(failure).toBeInstanceOf(TellPerson);
    expect(failure.message).toBe(
      `GitHub denied access to the repository \`octo/failing-${count}\` (${reason}). ` +
        'Check that it exists, and that the App is installed on it with the permission *contents*.',
    );
  });

  it.each<[number, string, string, number]>([
    [500, 'retry-after', '7', 7_000],
    [429, 'retry-after', '7', 7_000],
    [403, 'retry-after', '7', 7_000],
    [403, 'x-ratelimit-remaining', '0', 60_000],
  ])('with status %i and %s: %s is tried later', async (status, header, value, retryAfterMs) => {
    answerWith(status, { [header]: value });
    expect(await failureOf(clone({ engine }))).toMatchObject({ name: 'TryLater', retryAfterMs });
  });

  it('for want of a connection is tried later', async () => {
    const remoteUrl = 'http://127.0.0.1:1/octo/sample.git';
    expect(await failureOf(clone({ engine, remoteUrl }))).toBeInstanceOf(TryLater);
  });

  it('is retried if its pack is cut off', async () => {
    server.intercept = (request, response) => {
      if (request.method !== 'POST') return false;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      response.write('0008NAK\n', () => response.destroy());
      return true;
    };
    expect(await failureOf(clone({ engine }))).toBeInstanceOf(TryLater);
  });

  it('because the server answers with a page is tried later', async () => {
    answerWith(200, { 'content-type': 'text/html' }, '<h1>Maintenance</h1>');
    expect(await failureOf(clone({ engine }))).toBeInstanceOf(TryLater);
  });

  it('because it is sent to another host gives no credentials away', async () => {
    let asked = false;
    const other = await startGitServer();
    other.intercept = () => (asked = true);
    answerWith(302, { location: `${other.origin}/octo/sample.git/info/refs` });
    const failure = await failureOf(open(server, repository, { git }));
    await other.close();
    expect(failure).toBeInstanceOf(TellPerson);
    expect(failure.message).toContain('another host');
    expect(asked).toBe(false);
  });

  it('because the commit is gone says so', async () => {
    const failure = await failureOf(clone({ engine }, '1'.repeat(40)));
    expect(failure).toBeInstanceOf(TellPerson);
    expect(failure.message).toContain(`The commit ${'1'.repeat(40)} is no longer in`);
  });

  it('because the download or its files are too large says so', async () => {
    repository.commit({ 'zeros.bin': Buffer.alloc(3_000_000) });
    for (const maxBytes of [100, 1_000_000]) {
      const failure = await failureOf(clone({ engine, maxBytes }));
      expect(failure).toBeInstanceOf(TellPerson);
      expect(failure.message).toContain(`is too large to work on`);
    }
  });

  it('comes out of the git thread as it is, and leaves nothing behind on the disk', async () => {
    answerWith(503, { 'retry-after': '7' });
    const failure = await failureOf(open(server, repository, { git }));
    expect(failure).toBeInstanceOf(TryLater);
    expect(failure).toMatchObject({ retryAfterMs: 7000 });
    expect(ourDirectories()).toEqual([]);
  });

  it('by an abort ends at once', async () => {
    const abort = new AbortController();
    server.intercept = () => {
      abort.abort(new Error('the run was stopped'));
      return true;
    };
    const failure = await failureOf(open(server, repository, { git, signal: abort.signal }));
    expect(failure.message).toBe('the run was stopped');
    expect(ourDirectories()).toEqual([]);
  });
});

describe('a merge with isomorphic-git that fails', () => {
  it('because the history is too large says so, and does not blame the files', async () => {
    for (const byte of [1, 2]) repository.commit({ 'bytes.bin': Buffer.alloc(3_000_000, byte) });
    const commit = repository.commit({ 'bytes.bin': 'small' });
    const place = { engine: 'isomorphic', maxBytes: 1_000_000 } as const;
    const { git } = withoutThread(repository, place);
    const { token } = server;
    await git.clone({ commit, token });
    const failure = await failureOf(git.deepen({ commits: [commit], depth: 10, token }));
    expect(failure).toBeInstanceOf(TellPerson);
    expect(failure.message).toMatch(
      /I didn't merge .*\(all versions of its files in the history together are larger than 4000000/,
    );
  });
});

describe.each(ENGINES)('a redirect within the host, for the %s engine,', (engine) => {
  it('is followed, as for a renamed repository', async () => {
    server.intercept = (request, response) => {
      if (request.url?.startsWith('/old/') !== true) return false;
      response.writeHead(301, {
        location: request.url.replace('/old/name', `/octo/failing-${count}`),
      });
      response.end();
      return true;
    };
    const remoteUrl = `${server.origin}/old/name.git`;
    const workspace = await open(server, repository, { git: gitOf(engine), remoteUrl });
    workspaces.push(workspace);
    await workspace.files.write('a.txt', text('1'));
    expect((await workspace.git.commit({ message: 'x', at: AT }))?.sha).toBe(
      repository.head(BRANCH),
    );
  });
});

describe('a push that is denied', () => {
  it("by a hook tells a person the server's own words, made harmless", async () => {
    repository.denyPushes(`error: GH006: Protected branch\u001b[31m update\n${'x'.repeat(2000)}`);
    const failure = await failureOf(push());
    expect(failure).toBeInstanceOf(TellPerson);
    expect(failure.message).toMatch(
      /denied\..* The server's message: error: GH006: Protected branch update x+…/,
    );
    expect(failure.message.length).toBeLessThan(1000);
  });

  it.each([
    [
      'a protected branch',
      'error: GH006: Protected branch update failed for refs/heads/b.\nerror: Changes must be made through a pull request.',
      'protected branch hook declined',
      /An administrator can add the App to the rule's bypass list, or exclude `issuewright\/\*\*` from the rule/,
    ],
    [
      'a ruleset',
      'error: GH013: Repository rule violations found for refs/heads/b.\n- Cannot create ref due to creations being restricted.',
      'push declined due to repository rule violations',
      /stops the App from creating this branch\. An administrator/,
    ],
    [
      'a secret that GitHub found',
      'error: GH013: Repository rule violations found for refs/heads/b.\n- GITHUB PUSH PROTECTION\n- Push cannot contain secrets',
      'push declined due to repository rule violations',
      /looks like a secret/,
    ],
    [
      'a workflow file',
      '',
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
      /Change them by hand/,
    ],
    [
      'an unknown reason',
      'no',
      'declined',
      /administrator of the repository should check the rules/,
    ],
  ])('by %s says who can fix it, with GitHub’s message', async (...row) => {
    const [, messages, status, fix] = row;
    const band = (channel: number, text: string) =>
      encodePktLine(`${String.fromCharCode(channel)}${text}`);
    server.intercept = (request, response) => {
      if (request.method !== 'POST' || request.url?.includes('receive-pack') !== true) return false;
      const report = [
        encodePktLine('unpack ok\n'),
        encodePktLine(`ng refs/heads/${BRANCH} ${status}\n`),
        FLUSH,
      ];
      response.writeHead(200, { 'content-type': 'application/x-git-receive-pack-result' });
      response.end(
        Buffer.concat([
          ...(messages === '' ? [] : [band(2, `${messages}\n`)]),
          band(1, Buffer.concat(report).toString()),
          FLUSH,
        ]),
      );
      return true;
    };
    const failure = await failureOf(push());
    expect(failure).toBeInstanceOf(TellPerson);
    expect(failure.message).toMatch(fix);
    expect(failure.message).toContain(status);
    expect(failure.message).toContain('The work so far is saved');
  });

  it('by an archived repository says who can fix it', async () => {
    server.intercept = (request, response) => {
      if (request.url?.includes('receive-pack') !== true) return false;
      response
        .writeHead(403, { 'content-type': 'text/plain' })
        .end('This repository was archived so it is read-only.\n');
      return true;
    };
    expect((await failureOf(push())).message).toContain('An administrator can unarchive it');
  });

  it('for want of permission says what to check', async () => {
    server.intercept = (request, response) => {
      if (request.url?.includes('receive-pack') !== true) return false;
      response
        .writeHead(403, { 'content-type': 'text/plain' })
        .end('Permission denied to the App.');
      return true;
    };
    const failure = await failureOf(push());
    expect(failure).toBeInstanceOf(TellPerson);
    expect(failure.message).toMatch(
      /^GitHub denied a push to the repository `[^`]+` \(status 403: Permission denied to the App\.\)/,
    );
    expect(failure.message).toContain('contents: write');
  });

  it('because someone else pushed overwrites nothing', async () => {
    const workspace = await opened();
    const theirs = repository.commit({ 'theirs.txt': 'x' }, BRANCH);
    const failure = await failureOf(workspace.git.commit({ message: 'Change', at: AT }));
    expect(failure).toBeInstanceOf(BranchMoved);
    expect(failure.message).toContain(`Someone else pushed to \`${BRANCH}\``);
    expect(repository.head(BRANCH)).toBe(theirs);
  });

  it('because someone else pushed between our look-up and our push overwrites nothing', async () => {
    const workspace = await opened();
    let theirs = '';
    server.intercept = (request) => {
      if (request.method === 'POST') theirs = repository.commit({ 'theirs.txt': 'x' }, BRANCH);
      return false;
    };
    const failure = await failureOf(workspace.git.commit({ message: 'Change', at: AT }));
    expect(failure.message).toContain(`Someone else pushed to \`${BRANCH}\``);
    expect(repository.head(BRANCH)).toBe(theirs);
  });

  it('can be repeated once pushes are allowed again', async () => {
    const workspace = await opened();
    answerWith(503);
    expect(await failureOf(workspace.git.commit({ message: 'Change', at: AT }))).toBeInstanceOf(
      TryLater,
    );
    server.intercept = undefined;
    const done = await workspace.git.commit({ message: 'Change', at: AT });
    expect(repository.head(BRANCH)).toBe(done?.sha);
  });
});

describe.each(ENGINES)('the token for the %s engine', (engine) => {
  const git = gitOf(engine);
  it('is requested before each use, and is never stored', async () => {
    let asked = 0;
    const workspace = await open(server, repository, {
      git,
      credentials: async () => {
        asked += 1;
        server.token = `secret-token-${asked}`;
        return server.token;
      },
    });
    workspaces.push(workspace);
    await workspace.files.write('a.txt', text('1'));
    await workspace.git.commit({ message: 'Change', at: AT });
    expect(asked).toBe(2);
    const places = ourDirectories().map((name) => join(tmpdir(), name));
    expect(places).toHaveLength(1);
    const basic = Buffer.from('x-access-token:secret-token').toString('base64').slice(0, -2);
    for (const word of ['secret-token', basic])
      expect(() => execFileSync('grep', ['-rqa', word, ...places])).toThrow();
    execFileSync('grep', ['-rqa', repository.url, ...places]);
  });

  it('is requested once more, as a new one, for every access to git that does not take it', async () => {
    const rejected: (string | undefined)[] = [];
    server.token = 'the-good-one';
    const credentials = async (_access: string, known?: string): Promise<string> => {
      rejected.push(known);
      return known === undefined ? 'withdrawn' : 'the-good-one';
    };
    const remote = { remoteUrl: repository.url, credentials };
    await resolveRemote({ ...remote, signal: new AbortController().signal });
    const workspace = await open(server, repository, { git, credentials });
    workspaces.push(workspace);
    await workspace.files.write('a.txt', text('1'));
    await workspace.git.commit({ message: 'Change', at: AT });
    expect(rejected).toEqual([
      undefined,
      'withdrawn',
      undefined,
      'withdrawn',
      undefined,
      'withdrawn',
    ]);
  });

  it('that is not accepted twice in a row, although it was just made, is tried later', async () => {
    const credentials = async (): Promise<string> => 'never good';
    const failure = await failureOf(open(server, repository, { git, credentials }));
    expect(failure).toBeInstanceOf(TryLater);
    expect(failure.message).toMatch(/denied access to the repository `[^`]+` \(status 401/);
  });
});
