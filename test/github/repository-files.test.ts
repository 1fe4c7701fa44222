import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { api, mintsTokens, REPO, repository } from './support.ts';

beforeEach(() => void mintsTokens());
afterEach(() => nock.cleanAll());

describe('a file of the default branch', () => {
  const list = (...names: readonly string[]) => names.map((name) => ({ name, type: 'file' }));
  const content = { content: Buffer.from('hello').toString('base64'), size: 5, type: 'file' };

  it('is not asked for if its directory does not have it', async () => {
    const github = repository();
    api().get(`${REPO}/contents`).reply(200, list('README.md', 'docs'));
    const files = ['AGENTS.md', '.github/x.yml', 'CLAUDE.md'].map((path) => github.readFile(path));
    expect(await Promise.all(files)).toEqual([undefined, undefined, undefined]);
    api().get(`${REPO}/contents`).reply(200, list('README.md'));
    api().get(`${REPO}/contents/README.md`).reply(200, content);
    expect(await github.readFile('README.md')).toBe('hello');
    expect(nock.isDone()).toBe(true);
  });

  it('is asked for if the list is too long to be whole', async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `file-${at}`);
    api()
      .get(`${REPO}/contents`)
      .reply(200, list(...names));
    api().get(`${REPO}/contents/README.md`).reply(200, content);
    expect(await repository().readFile('README.md')).toBe('hello');
  });
});
