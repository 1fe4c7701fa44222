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

  const link = (name: string) => ({ name, type: 'symlink' });

  it('is found behind links, of which GitHub itself follows the last one to a file', async () => {
    api()
      .get(`${REPO}/contents`)
      .reply(200, [link('AGENTS.md'), link('docs'), ...list('shared')]);
    api().get(`${REPO}/contents/docs`).reply(200, { type: 'symlink', target: './shared' });
    api().get(`${REPO}/contents`).reply(200, list('shared'));
    api()
      .get(`${REPO}/contents/shared`)
      .reply(200, [link('a.md')]);
    api().get(`${REPO}/contents/shared%2Fa.md`).times(2).reply(200, content);
    expect(await repository().readFile('docs/a.md')).toBe('hello');
    expect(nock.isDone()).toBe(true);
  });

  it.each([
    ['/etc/passwd', 'leads out of the repository'],
    ['../other/file', 'leads out of the repository'],
    ['AGENTS.md', 'leads in a circle'],
    ['gone.md', 'leads to nothing'],
  ])('is not read behind a link to %s, which %s', async (target, why) => {
    api()
      .get(`${REPO}/contents`)
      .times(30)
      .reply(200, [link('AGENTS.md')]);
    api().get(`${REPO}/contents/AGENTS.md`).times(30).reply(200, { type: 'symlink', target });
    await expect(repository().readFile('AGENTS.md')).rejects.toThrow(
      `\`AGENTS.md\` is a link that ${why}.`,
    );
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
