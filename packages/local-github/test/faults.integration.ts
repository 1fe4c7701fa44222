import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Playground } from './support.ts';
import { asInstallation, startPlayground } from './support.ts';

const at = { owner: 'example', repo: 'words' };
let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground();
  const { github } = playground;
  github.as('maintainer').openIssue(github.repository('example', 'words'), { title: 'One' });
});
afterAll(() => playground.close());

const comments = () =>
  playground.github.repository('example', 'words').comments.map((comment) => comment.body);
const comment = (body: string) =>
  asInstallation(playground.github).rest.issues.createComment({ ...at, issue_number: 1, body });
const COMMENTS = { method: 'POST', path: /\/issues\/1\/comments$/ };

describe('a held answer', () => {
  it('is given once it is released; the comment was there before', async () => {
    const hold = playground.github.faults.hold(COMMENTS);
    const asked = comment('Held');
    await hold.applied;
    expect(comments()).toEqual(['Held']);
    hold.release();
    expect((await asked).status).toBe(201);
  });

  it('is lost once it is dropped; the comment stays', async () => {
    const hold = playground.github.faults.hold(COMMENTS);
    const asked = comment('Dropped').then(
      () => 'answered',
      (error: { status: number }) => error.status,
    );
    await hold.applied;
    hold.drop();
    expect(await asked).toBe(500); // what octokit makes of a broken connection
    expect(comments()).toEqual(['Held', 'Dropped']);
  });

  it('holds one request only', async () => {
    expect((await comment('Free')).status).toBe(201);
  });
});

describe('an ordered failure', () => {
  it('fails as often as it was told, and changes nothing', async () => {
    const body = { message: 'You have exceeded a secondary rate limit.' };
    playground.github.faults.failNext({ ...COMMENTS, status: 403, body, times: 2 });
    const before = comments().length;
    for (const text of ['First', 'Second'])
      await expect(comment(text)).rejects.toThrow(/secondary rate limit/);
    expect(comments()).toHaveLength(before);
    await comment('Third');
    expect(comments().at(-1)).toBe('Third');
  });
});

describe('waiting', () => {
  it('ends with the state, or names what did not come', async () => {
    const { github } = playground;
    const found = github.waitFor(() => comments().find((text) => text === 'Awaited'), {
      what: 'the comment',
    });
    const logged = github.waitFor(
      () => github.requests.at(-1)?.actor === 'issuewright[bot]' && github.requests.length,
      { what: 'the request in the log' },
    );
    await comment('Awaited');
    expect(await logged).toBeGreaterThan(0);
    expect(await found).toBe('Awaited');
    await expect(github.waitFor(() => false, { what: 'a miracle', timeoutMs: 20 })).rejects.toThrow(
      'waited 20 ms in vain for a miracle',
    );
  });

  it('looks again from time to time, if told to, at what no change announces', async () => {
    let looks = 0;
    const found = playground.github.waitFor(() => (looks += 1) > 3, {
      what: 'the fourth look',
      everyMs: 1,
    });
    expect(await found).toBe(true);
  });
});
