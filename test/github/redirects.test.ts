// GitHub redirects what is in another place now: a renamed repository, or an issue that was moved away.
import { afterEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { Moved } from '../../src/github/errors.ts';
import { api, mintsTokens, REPO, REPOSITORY, repository } from './support.ts';

const by = (id: number): { location: string } => ({
  location: `https://api.github.com/repositories/${id}/issues/1`,
});
const MOVED = { message: 'Moved Permanently' };
const OWN = `/repositories/${REPOSITORY.id}`;
const label = { labels: ['x'] };

afterEach(() => nock.cleanAll());

describe('a redirect', () => {
  it('to the same repository by its id is followed by a read', async () => {
    mintsTokens();
    api().get(`${REPO}/issues/1`).reply(301, MOVED, by(REPOSITORY.id));
    api().get(`${OWN}/issues/1`).reply(200, { state: 'open', labels: [] });
    await expect(repository().issueState(1)).resolves.toMatchObject({ isOpen: true });
  });

  it('is followed by a write as a write, with the same body', async () => {
    mintsTokens();
    api()
      .post(`${REPO}/issues/1/labels`)
      .reply(307, MOVED, { location: `https://api.github.com${OWN}/issues/1/labels` });
    const made = api().post(`${OWN}/issues/1/labels`, label).reply(200, []);
    await repository().addLabel(1, 'x');
    expect(made.isDone()).toBe(true);
  });

  it.each([
    ['to another repository', 301, { location: 'https://api.github.com/repositories/78/issues/5' }],
    ['to another host', 301, { location: 'https://elsewhere.example.com/repos/a/b' }],
    ['to nowhere', 302, {}],
  ])('%s is none of ours', async (_where, status, headers) => {
    mintsTokens();
    api().get(`${REPO}/issues/1`).reply(status, MOVED, headers);
    await expect(repository().issueState(1)).rejects.toBeInstanceOf(Moved);
  });

  it('to a branch that was renamed is followed to its new name', async () => {
    mintsTokens();
    const one = repository();
    const location = `https://api.github.com${OWN}/branches/a%2Ftrunk`;
    api().get(`${REPO}/compare/main...abc`).reply(404, { message: 'Not Found' });
    api().get(`${REPO}/branches/main`).reply(301, MOVED, { location });
    api().get(`${OWN}/branches/a%2Ftrunk`).reply(200, { name: 'a/trunk', commit: {} });
    api().get(`${REPO}/compare/a%2Ftrunk...abc`).reply(200, { commits: [], files: [] });
    await expect(one.changeSince('main', 'abc')).resolves.toEqual({ commits: [], files: [] });
  });

  it('that leads to a redirect is given up', async () => {
    mintsTokens();
    api().get(`${REPO}/issues/1`).reply(301, MOVED, by(REPOSITORY.id));
    api().get(`${OWN}/issues/1`).reply(301, MOVED, by(REPOSITORY.id));
    await expect(repository().issueState(1)).rejects.toBeInstanceOf(Moved);
  });
});
