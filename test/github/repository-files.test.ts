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

  const link = (name: string) => ({ name, type: 'symlink', sha: `of-${name}` });
  const blobOf = (target: string) => ({
    content: Buffer.from(target).toString('base64'),
    encoding: 'base64',
  });

  it('is found behind links', async () => {
    api()
      .get(`${REPO}/contents`)
      .reply(200, [link('AGENTS.md'), link('docs'), ...list('shared')]);
    api().get(`${REPO}/git/blobs/of-docs`).reply(200, blobOf('./shared'));
    api().get(`${REPO}/contents`).times(2).reply(200, list('shared', 'b.md'));
    api()
      .get(`${REPO}/contents/shared`)
      .reply(200, [link('a.md')]);
    api().get(`${REPO}/git/blobs/of-a.md`).reply(200, blobOf('../b.md'));
    api().get(`${REPO}/contents/b.md`).reply(200, content);
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
    api().get(`${REPO}/git/blobs/of-AGENTS.md`).times(30).reply(200, blobOf(target));
    await expect(repository().readFile('AGENTS.md')).rejects.toThrow(
      `\`AGENTS.md\` is a link that ${why}.`,
    );
  });

  it('is not read behind a link to a path that is closed', async () => {
    api()
      .get(`${REPO}/contents`)
      .times(2)
      .reply(200, [link('AGENTS.md'), ...list('own.md')]);
    api().get(`${REPO}/git/blobs/of-AGENTS.md`).reply(200, blobOf('own.md'));
    await expect(repository().readFile('AGENTS.md', (path) => path === 'own.md')).rejects.toThrow(
      '`AGENTS.md` is a link that leads to a file that the settings close.',
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
