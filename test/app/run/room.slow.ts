import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const HOUR = 3_600_000;

let service: Service;
beforeAll(async () => {
  service = await openService({}, { isLimited: true });
});
afterAll(() => service.close());

/** The hour is used up until the mocks are restored. */
const fill = () => ({
  take: jest.spyOn(service.store, 'takeWrite').mockResolvedValue({ waitMs: HOUR / 2 }),
  look: jest.spyOn(service.store, 'writeWait').mockResolvedValue(HOUR / 2),
});

const changesAWord = (): void =>
  service.model.says(
    json(['write_file', { path: 'words.txt', content: 'one\n' }]),
    json(['finish', { summary: 'There is a word.', outcome: 'done' }]),
  );

describe('a run for whose pull request there is no room', () => {
  it('works until then, is left, and makes no request before there is some', async () => {
    const session = await service.start('Add a word');
    changesAWord();
    const { take, look } = fill();
    await session.advance();
    expect(entriesOf(await session.journal(), 'run_deferred')).toMatchObject([
      { cause: 'write_budget' },
    ]);
    expect(entriesOf(await session.journal(), 'reply')).toHaveLength(2);
    service.letPass(HOUR);
    const before = service.github.requests.length;
    for (let time = 0; time < 3; time += 1) await session.advance();
    expect(service.github.requests.slice(before)).toEqual([]);
    expect(entriesOf(await session.journal(), 'run_deferred')).toHaveLength(1);
    take.mockRestore();
    look.mockRestore();
    await session.advance();
    expect((await session.row())?.state).toBe('waiting(review)');
    expect(entriesOf(await session.journal(), 'run_resumed')).toHaveLength(1);
  });

  it('is left twice at most: then it waits in its slot', async () => {
    const session = await service.start('Add another word');
    changesAWord();
    const { take, look } = fill();
    await session.advance();
    service.letPass(HOUR);
    // There was room, which others took.
    look.mockRestore();
    await session.advance();
    service.letPass(HOUR);
    take.mockRestore();
    const again = jest.spyOn(service.store, 'takeWrite');
    again.mockResolvedValueOnce({ waitMs: HOUR / 2 });
    await session.advance();
    again.mockRestore();
    expect(entriesOf(await session.journal(), 'run_deferred')).toHaveLength(2);
    expect((await session.row())?.state).toBe('waiting(review)');
  });
});

describe('a commit while edits have used all that they may', () => {
  it('is made by GitHub, which signs it', async () => {
    const session = await service.start('Add a signed word');
    changesAWord();
    let edits = 0;
    while ('write' in (await service.store.takeWrite(1, 'later'))) edits += 1;
    expect(edits).toBeGreaterThan(0);
    const before = service.github.requests.length;
    await session.advance();
    const asked = service.github.requests
      .slice(before)
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path.replace(/^.*\/greeter/, '')}`);
    expect(asked).toEqual(expect.arrayContaining(['POST /git/trees', 'POST /git/commits']));
    expect(asked.join()).not.toContain('git-receive-pack');
    expect(entriesOf(await session.journal(), 'run_deferred')).toEqual([]);
    const { issue = 0 } = (await session.row()) ?? {};
    const head = await service.repository.git.head(`issuewright/issue-${issue}`);
    const page = await fetch(`${service.github.url}/${service.repository.fullName}/commit/${head}`);
    expect(await page.text()).toContain('Verified');
  });
});
