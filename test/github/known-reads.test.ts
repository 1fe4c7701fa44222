import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { KnownReads } from '../../src/github/requests/known-reads.ts';
import { api, mintsTokens, REPO, repository } from './support.ts';

beforeEach(() => void mintsTokens());
afterEach(() => nock.cleanAll());

const PERMISSION = `${REPO}/collaborators/octo/permission`;
const writes = { permission: 'write', role_name: 'write' };

describe('a read that is repeated', () => {
  it('is conditional, and answered with what is known if nothing changed', async () => {
    const github = repository();
    api().get(PERMISSION).reply(200, writes, { etag: 'W/"1"' });
    expect(await github.permissionOf('octo')).toBe('write');
    api().get(PERMISSION).matchHeader('if-none-match', 'W/"1"').reply(304);
    expect(await github.permissionOf('octo')).toBe('write');
    const reads = { permission: 'read', role_name: 'read' };
    api().get(PERMISSION).matchHeader('if-none-match', 'W/"1"').reply(200, reads);
    expect(await github.permissionOf('octo')).toBe('read');
    expect(nock.isDone()).toBe(true);
  });

  it('tells of a person who is gone', async () => {
    const github = repository();
    api().get(PERMISSION).reply(200, writes, { etag: 'W/"1"' });
    expect(await github.permissionOf('octo')).toBe('write');
    api().get(PERMISSION).reply(404);
    expect(await github.permissionOf('octo')).toBe('none');
  });
});

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

describe('what is known', () => {
  const answer = (text: string, etag = 'W/"1"') => ({
    status: 200,
    headers: { etag },
    data: { text },
  });

  it('cannot be changed by those who get it', () => {
    const reads = new KnownReads();
    reads.keep('one', answer('as it was'));
    const known = reads.answerOf<ReturnType<typeof answer>>('one');
    if (known !== undefined) known.data.text = 'changed';
    expect(reads.answerOf('one')).toMatchObject({ data: { text: 'as it was' } });
  });

  it('does not grow without end: what was not asked for is dropped first', () => {
    const reads = new KnownReads();
    const long = 'x'.repeat(400_000);
    reads.keep('kept', answer('short'));
    for (let n = 0; n < 100; n += 1) {
      reads.keep(`long ${n}`, answer(long));
      reads.answerOf('kept');
    }
    expect(reads.etagOf('kept')).toBe('W/"1"');
    expect(reads.etagOf('long 0')).toBeUndefined();
    expect(reads.etagOf('long 99')).toBe('W/"1"');
    reads.keep('too long', answer('x'.repeat(600_000)));
    expect(reads.etagOf('too long')).toBeUndefined();
  });

  it('has nothing of the limits, which are of that moment', () => {
    const reads = new KnownReads();
    const headers = { etag: 'W/"1"', 'x-ratelimit-remaining': '7', link: '<a>; rel="last"' };
    reads.keep('one', { status: 200, headers, data: {} });
    expect(reads.answerOf('one')?.headers).toEqual({ etag: 'W/"1"', link: '<a>; rel="last"' });
  });
});
