// Many sessions of one installation read the same at once.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Repository } from '../../playground/github/state.ts';
import type { LocalGitHub } from '../../playground/index.ts';
import type { GitHub } from '../../src/github/index.ts';
import { JoinedReads } from '../../src/github/requests/joined-reads.ts';
import { openLocalApp } from './local-app.ts';
import { github } from './support.ts';

describe('a read that many ask for at once', () => {
  let opened: Awaited<ReturnType<typeof openLocalApp>>;
  let local: LocalGitHub;
  let app: GitHub;
  let repository: Repository;
  beforeAll(async () => {
    opened = await openLocalApp('maintainer', 'helper');
    local = opened.local;
    repository = await local.createRepository({
      owner: 'example',
      name: 'words',
      files: { 'README.md': '# Words\n' },
      collaborators: { maintainer: 'maintain', helper: 'triage' },
    });
    app = github({ enterprise: { host: new URL(local.url).host, protocol: 'http' } });
  });
  afterAll(() => opened.close());

  const PERMISSION = /\/helper\/permission$/;
  const asked = (): number => local.requests.filter(({ path }) => PERMISSION.test(path)).length;
  /** By a session of its own. */
  const ask = () =>
    app
      .repository(1, { id: repository.id, owner: 'example', name: 'words' })
      .permissionOf('helper');

  it('is sent once more, for all who came while it was under way', async () => {
    const held = local.faults.hold({ method: 'GET', path: PERMISSION });
    const first = ask();
    await held.applied;
    repository.collaborators.set('helper', 'write');
    const others = Array.from({ length: 20 }, ask);
    held.release();
    expect(await first).toBe('triage');
    expect(new Set(await Promise.all(others))).toEqual(new Set(['write']));
    expect(asked()).toBe(2);
  });

  it('is sent again for who comes later', async () => {
    const before = asked();
    await ask();
    await ask();
    expect(asked()).toBe(before + 2);
  });
});

describe('joined reads', () => {
  /** A read whose answers come when the test says so. */
  function slow() {
    const sent: PromiseWithResolvers<object>[] = [];
    const reads = new JoinedReads<object>();
    const ask = (key = 'one') =>
      reads.read(key, () => {
        const answer = Promise.withResolvers<object>();
        sent.push(answer);
        return answer.promise;
      });
    /** The answer of the second one, once it is sent. */
    const second = async () => {
      for (;;) {
        const [, answer] = sent;
        if (answer !== undefined) return answer;
        await new Promise(setImmediate);
      }
    };
    return { ask, sent, second };
  }

  it('give each its own answer, which others cannot change', async () => {
    const { ask, sent, second } = slow();
    const first = ask();
    const others = [ask(), ask()];
    sent[0]?.resolve({});
    await first;
    (await second()).resolve({ word: 'one' });
    const [one, two] = await Promise.all(others);
    expect(one).toEqual({ word: 'one' });
    expect(one).not.toBe(two);
  });

  it('of different keys do not wait for one another', async () => {
    const { ask, sent } = slow();
    const all = [ask('one'), ask('two')];
    expect(sent).toHaveLength(2);
    for (const { resolve } of sent) resolve({});
    await Promise.all(all);
  });

  it('fail alone: those who came meanwhile ask again', async () => {
    const { ask, sent, second } = slow();
    const first = ask();
    const other = ask();
    sent[0]?.reject(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    (await second()).resolve({ word: 'two' });
    expect(await other).toEqual({ word: 'two' });
  });

  it('wait only a second for one whose answer does not come', async () => {
    const { ask, sent, second } = slow();
    const first = ask();
    const other = ask();
    (await second()).resolve({ word: 'two' });
    expect(await other).toEqual({ word: 'two' });
    sent[0]?.resolve({});
    await first;
  });
});
