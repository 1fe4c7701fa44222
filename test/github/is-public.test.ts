import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { api, mintsTokens, REPO, repository } from './support.ts';

beforeEach(() => void mintsTokens());
afterEach(() => nock.cleanAll());

describe('a repository', () => {
  it.each([
    ['is public if everyone can read it', { private: false, visibility: 'public' }, true],
    ['is not if it is private', { private: true, visibility: 'private' }, false],
    ['is not if it is internal', { private: true, visibility: 'internal' }, false],
    ['is not if GitHub does not say for whom it is', { private: false }, false],
  ])('%s', async (_what, facts, is) => {
    api()
      .get(REPO)
      .reply(200, { id: 77, ...facts });
    await expect(repository().isPublic()).resolves.toBe(is);
  });

  it('of an Enterprise Server is not public, whatever that says; it is not asked', async () => {
    const enterprise = { host: 'git.example.test', protocol: 'https' } as const;
    await expect(repository({ enterprise }).isPublic()).resolves.toBe(false);
  });
});
