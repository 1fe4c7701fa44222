// A server that fails for a moment: git tries again at once, and the run does not notice.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import type { Workspace, WorkspaceOptions } from '../../../src/workspace/workspace.ts';
import { startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { AT, BRANCH, open, text } from '../support.ts';
import { ENGINES } from './engines.ts';

let server: GitServer;
let repository: TestRepository;
let count = 0;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

type Failure = (response: ServerResponse) => void;

const FAILURES: readonly (readonly [string, Failure])[] = [
  ['a status 500', (response) => void response.writeHead(500).end('Oops')],
  ['a cut connection', (response) => void response.destroy()],
  [
    'a limit for a second',
    (response) => void response.writeHead(429, { 'retry-after': '1' }).end('Slow down'),
  ],
  [
    'an answer that is cut in the middle',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      response.write('0008NAK\n', () => response.destroy());
    },
  ],
];

const isRead = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' || url.endsWith('/git-upload-pack');
const isPush = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'POST' && url.endsWith('/git-receive-pack');

/** Answers the nth request of a kind with a failure. */
function failAt(nth: number, isMeant: (request: IncomingMessage) => boolean, failure: Failure) {
  let seen = 0;
  server.intercept = (request, response) => {
    if (!isMeant(request)) return false;
    seen += 1;
    if (seen === nth) failure(response);
    return seen === nth;
  };
  return () => seen;
}

describe.each(ENGINES)('with the %s engine', (engine) => {
  let opened: Workspace[];
  beforeEach(() => {
    count += 1;
    opened = [];
    repository = server.createRepository(`octo/moments-${count}`, { 'README.md': 'Sample\n' });
  });
  afterEach(async () => {
    server.intercept = undefined;
    for (const workspace of opened) await workspace.close();
  });

  const enter = async (options: Partial<WorkspaceOptions> = {}): Promise<Workspace> => {
    const directory = join(temporaryDirectory(), 'cache');
    const cache = engine === 'native' ? { directory, maxBytes: 2 ** 28 } : undefined;
    const git = { engine, maxBytes: 2 ** 28, cache };
    const workspace = await open(server, repository, { git, ...options });
    opened.push(workspace);
    return workspace;
  };
  const commit = (workspace: Workspace) => workspace.git.commit({ message: 'Change', at: AT });
  const changed = async (): Promise<Workspace> => {
    const workspace = await enter();
    await workspace.files.write('a.txt', text('1'));
    return workspace;
  };

  describe.each(FAILURES)('%s', (_name, failure) => {
    it.each([1, 2])('at request %i of a clone costs a moment', async (nth) => {
      const seen = failAt(nth, isRead, failure);
      const workspace = await enter();
      expect(seen()).toBeGreaterThan(nth);
      expect(await workspace.git.changes()).toEqual([]);
      expect(readFileSync(join(workspace.commands.directory, 'README.md'), 'utf8')).toBe(
        'Sample\n',
      );
    });

    it('at a push costs a moment', async () => {
      const workspace = await changed();
      const seen = failAt(1, isPush, failure);
      const done = await commit(workspace);
      expect(seen()).toBe(2);
      expect(repository.head(BRANCH)).toBe(done?.sha);
    });
  });

  it('a push whose answer is lost is found on the branch, and not made again', async () => {
    const workspace = await changed();
    let seen = 0;
    server.intercept = (request, response) => {
      if (!isPush(request)) return false;
      seen += 1;
      response.write = () => true;
      response.end = () => response.destroy();
      return false;
    };
    const done = await commit(workspace);
    expect(seen).toBe(1);
    expect(repository.head(BRANCH)).toBe(done?.sha);
    expect(repository.git('rev-list', '--count', BRANCH)).toBe('2');
  });

  it('a push meets an earlier attempt that the server still works on, and is not taken for a stranger', async () => {
    const workspace = await changed();
    const lock = join(repository.directory, `refs/heads/${BRANCH}.lock`);
    let seen = 0;
    server.intercept = (request) => {
      if (!isPush(request)) return false;
      seen += 1;
      mkdirSync(dirname(lock), { recursive: true });
      if (seen === 1) writeFileSync(lock, '');
      else rmSync(lock);
      return false;
    };
    const done = await commit(workspace);
    expect(seen).toBe(2);
    expect(repository.head(BRANCH)).toBe(done?.sha);
  });

  it('a server that stays away is left to the run, after three attempts', async () => {
    let asked = 0;
    server.intercept = (request, response) => {
      asked += request.url?.includes('info/refs') === true ? 1 : 0;
      response.destroy();
      return true;
    };
    await expect(enter()).rejects.toBeInstanceOf(TryLater);
    // The program git asks, and our client once more to learn why it failed.
    expect(asked).toBe(engine === 'native' ? 6 : 3);
  });

  it('after a stop there is no next attempt', async () => {
    const stop = new AbortController();
    let asked = 0;
    server.intercept = (_request, response) => {
      asked += 1;
      response.writeHead(429, { 'retry-after': '5' }).end();
      // After the failure has come back, or before: either ends it.
      response.on('finish', () => setImmediate(() => stop.abort(new Error('stopped'))));
      return true;
    };
    await expect(enter({ signal: stop.signal })).rejects.toThrow('stopped');
    // The program git asks, and our client may once more to learn why it failed.
    expect(asked).toBeLessThanOrEqual(engine === 'native' ? 2 : 1);
  });
});
