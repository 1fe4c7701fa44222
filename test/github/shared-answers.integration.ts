// What several processes know together of GitHub's answers.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Repository } from '../../playground/github/state.ts';
import type { LocalGitHub } from '../../playground/index.ts';
import type { AnswerStore } from '../../src/contracts/answers.ts';
import { SharedAnswers } from '../../src/github/requests/shared-answers.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import type { OpenStore } from '../../src/store/open.ts';
import { openTestStore } from '../support/test-database.ts';
import { openLocalApp } from './local-app.ts';
import { github } from './support.ts';

let opened: Awaited<ReturnType<typeof openLocalApp>>;
let local: LocalGitHub;
let repository: Repository;
let store: OpenStore;
beforeAll(async () => {
  opened = await openLocalApp('maintainer', 'helper');
  local = opened.local;
  repository = await local.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n', 'AGENTS.md': 'Be brief.\n' },
    collaborators: { maintainer: 'maintain', helper: 'triage' },
  });
  store = await openTestStore();
});
afterAll(async () => {
  await store.close();
  await opened.close();
});

describe('processes that share answers', () => {
  /** A process that remembers nothing of its own. */
  const connect = (answers: AnswerStore | undefined = store.answers) =>
    github({ enterprise: { host: new URL(local.url).host, protocol: 'http' }, answers }).repository(
      1,
      { id: repository.id, owner: 'example', name: 'words' },
    );

  /** What GitHub answered to the reads of `work`. */
  async function statuses(work: () => Promise<unknown>): Promise<readonly number[]> {
    const before = local.requests.length;
    await work();
    return local.requests
      .slice(before)
      .filter(({ method }) => method === 'GET')
      .map(({ status }) => status);
  }

  it('are told by GitHub each by itself what they read first: ETags are of one token', async () => {
    const read = async (words: ReturnType<typeof connect>) => [
      await words.readFile('AGENTS.md'),
      await words.permissionOf('helper'),
    ];
    for (const words of [connect(), connect()]) {
      expect(await statuses(() => read(words))).toEqual([200, 200, 200]);
      expect(await statuses(() => read(words))).toEqual([304, 304, 304]);
      expect(await read(words)).toEqual(['Be brief.\n', 'triage']);
    }
  });

  it('see at once what changed', async () => {
    expect(await connect().permissionOf('helper')).toBe('triage');
    repository.collaborators.set('helper', 'write');
    expect(await connect().permissionOf('helper')).toBe('write');
  });

  it('know whose login it was: another account that has it now may nothing', async () => {
    const { id } = local.as('maintainer').user;
    for (const _process of [1, 2]) {
      expect(await connect().permissionOf('maintainer', id)).toBe('maintain');
      expect(await connect().permissionOf('maintainer', id + 100_000)).toBe('none');
    }
  });

  it('read for themselves without the database', async () => {
    const away = () => Promise.reject(new Error('away'));
    const words = connect({ find: away, keep: away });
    expect(await words.readFile('AGENTS.md')).toBe('Be brief.\n');
  });
});

describe('a shared answer', () => {
  const ROUTE = '/repos/{owner}/{repo}/contents/{path}';
  const secret = 'sk-a-key-of-the-operator-0123456789';
  const shared = () => new SharedAnswers(store.answers, createRedactor([secret]));
  const file = (more: object) => ({
    status: 200,
    headers: { etag: 'W/"1"' },
    data: { type: 'file', size: 1, content: 'eA==', ...more },
  });

  it('has only what is used of it', async () => {
    const signed = 'https://raw.example.test/x?token=ABC';
    await shared().keep(1, ROUTE, 'signed', file({ download_url: signed }));
    expect((await shared().find(1, ROUTE, 'signed'))?.data).toEqual(file({}).data);
  });

  it.each([
    ['of another installation', 2, ROUTE],
    ['of reads that sessions do not have in common', 1, '/repos/{owner}/{repo}/issues'],
  ])('is not one %s', async (_which, installation, route) => {
    await shared().keep(1, ROUTE, 'one', file({}));
    expect(await shared().find(installation, route, 'one')).toBeUndefined();
  });

  it.each([
    ['a secret of ours', secret],
    ['a token', `ghp_${'a1'.repeat(18)}`],
  ])('is never one with %s', async (_which, hidden) => {
    const content = Buffer.from(`key: ${hidden}\n`).toString('base64');
    await shared().keep(1, ROUTE, 'secret', file({ content }));
    expect(await shared().find(1, ROUTE, 'secret')).toBeUndefined();
  });

  it('is never a long one, and an installation has so many at most', async () => {
    await shared().keep(1, ROUTE, 'long', file({ content: 'x'.repeat(300_000) }));
    expect(await shared().find(1, ROUTE, 'long')).toBeUndefined();
    await shared().keep(3, ROUTE, 'kept', file({}));
    for (let n = 0; n < 500; n += 1) await shared().keep(4, ROUTE, `${n}`, file({}));
    expect(await shared().find(4, ROUTE, '0')).toBeDefined();
    await shared().keep(4, ROUTE, 'one more', file({}));
    expect(await shared().find(4, ROUTE, '0')).toBeUndefined();
    expect(await shared().find(4, ROUTE, '1')).toBeDefined();
    expect(await shared().find(3, ROUTE, 'kept')).toBeDefined();
  });
});
