import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TellPerson, TryLater } from '../../../src/lib/errors.ts';
import { resolveRemote } from '../../../src/workspace/git/remote.ts';
import { nativeGit, startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';

let server: GitServer;
let repository: TestRepository;

beforeAll(async () => {
  server = await startGitServer();
  repository = server.createRepository('octo/remote', { 'README.md': 'Sample\n' });
});
afterAll(async () => server.close());
afterEach(() => {
  server.intercept = undefined;
});

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: Error) => error,
  );

describe('a remote that is asked without a clone', () => {
  const resolve = (remoteUrl = repository.url) =>
    resolveRemote({
      remoteUrl,
      credentials: async () => server.token,
      signal: new AbortController().signal,
    });

  it('answers its default branch and its heads', async () => {
    nativeGit(repository.checkout, 'push', '-q', 'origin', 'main:feature/x');
    const remote = await resolve();
    expect(remote.defaultBranch).toBe('main');
    expect(remote.head('main')).toBe(repository.head());
    expect(remote.head('feature/x')).toBe(repository.head());
    expect(remote.head('nowhere')).toBeUndefined();
  });

  it('is asked again if it fails for a moment, and takes no answer for whole that was cut between two lines', async () => {
    const line = `${repository.head()} HEAD symref-target:refs/heads/main\n`;
    const first = `${(line.length + 4).toString(16).padStart(4, '0')}${line}`;
    const parts = ['', first];
    server.intercept = ({ method }, response) => {
      const part = method === 'POST' ? parts.pop() : undefined;
      if (part === undefined) return false;
      const type = 'application/x-git-upload-pack-result';
      response.writeHead(200, { 'content-type': type, 'content-length': '500' });
      response.write(part, () => response.destroy());
      return true;
    };
    expect((await resolve()).head('main')).toBe(repository.head());
    expect(parts).toEqual([]);
  });

  it('is asked again later if it goes on failing', async () => {
    let asked = 0;
    server.intercept = (_request, response) => {
      asked += 1;
      response.writeHead(500).end();
      return true;
    };
    expect(await failureOf(resolve())).toBeInstanceOf(TryLater);
    // Each attempt asks for its default branch and for all branches, and ends with the first failure.
    expect(asked).toBeGreaterThanOrEqual(3);
    expect(asked).toBeLessThanOrEqual(6);
  });

  it('tells the person if it is empty, and if it denies access', async () => {
    const empty = server.createRepository('octo/empty', {});
    expect((await failureOf(resolve(empty.url))).message).toContain('There are no commits in');
    server.intercept = (_request, response) => {
      response.writeHead(403).end();
      return true;
    };
    expect(await failureOf(resolve())).toBeInstanceOf(TellPerson);
  });

  it('names a proxy that takes no request of such a size', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(413, { 'content-type': 'text/html' }).end('<h1>Too large</h1>');
      return true;
    };
    const failure = await failureOf(resolve());
    expect(failure).toBeInstanceOf(TellPerson);
    expect(failure.message).toMatch(/\(status 413\).*such as a proxy.*client_max_body_size/);
  });
});
