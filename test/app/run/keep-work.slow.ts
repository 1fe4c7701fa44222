import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TellPerson, Termination, TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const note = json(['write_file', { path: 'NOTES.md', content: 'Half of the notes.\n' }]);

const HOUR = 3_600_000;

const look = json(['list_directory', { path: '.' }]);

describe('what a run had changed and not committed', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  it('is kept on the branch when the provider ends the run', async () => {
    const session = await service.start('Write notes');
    service.model.says(note, new TellPerson('The API key is invalid.'));
    await session.advance();
    const entries = await session.journal();
    expect(entries.slice(-2)).toMatchObject([
      { type: 'work_saved', effects: [{ type: 'commit', files: [{ path: 'NOTES.md' }] }] },
      {
        type: 'run_ended',
        end: { kind: 'failed', reason: 'The API key is invalid.' },
      },
    ]);
    expect(session.onBranch('NOTES.md')).toBe('Half of the notes.');
  });

  it('is kept on the branch when the run gives up after its last retry', async () => {
    const session = await service.start('Write notes with a busy model');
    service.model.says(note, ...Array.from({ length: 9 }, () => new TryLater('busy')));
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await session.advance();
      service.letPass(HOUR);
    }
    const words = 'Gave up after 9 attempts. The last error was: Busy.';
    expect((await session.journal()).slice(-2)).toMatchObject([
      { type: 'work_saved', effects: [{ type: 'commit', files: [{ path: 'NOTES.md' }] }] },
      { type: 'run_ended', end: { kind: 'failed', reason: words } },
    ]);
  });

  it('stays uncommitted for a run that continues later', async () => {
    const session = await service.start('Write notes later');
    service.model.says(note, new TryLater('busy'));
    await session.advance();
    expect((await session.journal()).at(-1)).toMatchObject({ type: 'run_deferred' });
    expect(() => session.onBranch('NOTES.md')).toThrow();
  });

  it('waits as well when it is the service that is stopping, whatever breaks then', async () => {
    const session = await service.start('Write notes after the stop');
    const stopping = new AbortController();
    service.model.says(note, () => {
      stopping.abort(new Error('stop'));
      return new TellPerson('The connection was closed.');
    });
    await session.advance({}, stopping);
    const entries = await session.journal();
    expect(entriesOf(entries, 'work_saved')).toEqual([]);
    expect(entriesOf(entries, 'run_ended')).toEqual([]);
    service.model.says(json(['finish', { summary: 'Notes are there.' }]));
    await session.advance();
    expect(session.onBranch('NOTES.md')).toBe('Half of the notes.');
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'finished' } });
  });

  it('is kept on the branch when the issue is closed, and the status says where', async () => {
    const session = await service.start('Write notes, or do not');
    service.model.says(note, async () => {
      await session.closeIssue();
      return look;
    });
    await session.advance();
    const entries = await session.journal();
    expect(entries.slice(-2)).toMatchObject([
      { type: 'work_saved' },
      { type: 'run_ended', end: { kind: 'stopped' } },
    ]);
    expect(session.onBranch('NOTES.md')).toBe('Half of the notes.');
    await session.publish();
    const { number } = service.repository.issues.at(-1)!;
    const place = `${service.github.url}/example/greeter/tree/issuewright/issue-${number}`;
    expect(service.repository.comments.at(-1)?.body).toContain(
      `1 commit on the branch [\`issuewright/issue-${number}\`](${place}).`,
    );
  });

  it('stays stored if saving it takes too long: the run ends all the same', async () => {
    const session = await service.start('Write notes to a slow place');
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const tooSlow = new DOMException('too slow', 'TimeoutError');
    const spy = jest
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation((ms) => (ms === 120_000 ? AbortSignal.abort(tooSlow) : timeout(ms)));
    service.model.says(note, async () => {
      await session.closeIssue();
      return look;
    });
    await session.advance();
    spy.mockRestore();
    const entries = await session.journal();
    expect(entries.at(-1)).toMatchObject({ type: 'run_ended', end: { kind: 'stopped' } });
    expect(entriesOf(entries, 'work_saved')).toEqual([]);
    expect(await service.store.changes(session.id, 0)).toHaveLength(1);
  });

  it('is not pushed after a merge, though only the issue is known to be closed', async () => {
    const session = await service.start('Write notes and more');
    service.model.says(note, json(['finish', { summary: 'Notes are there.' }]));
    await session.advance();
    const { repository, github } = service;
    const { number } = repository.issues.at(-1)!;
    await session.comment('maintainer', '/issuewright add more');
    const more = json(['write_file', { path: 'MORE.md', content: 'More.\n' }]);
    service.model.says(more, async () => {
      await github.as('maintainer').merge({ repository, number });
      await session.closeIssue();
      return look;
    });
    await session.advance();
    const entries = await session.journal();
    expect(entries.at(-1)).toMatchObject({ type: 'run_ended', end: { kind: 'stopped' } });
    expect(entriesOf(entries, 'work_saved')).toEqual([]);
    expect(() => session.onBranch('MORE.md')).toThrow();
  });
});

describe('what a run had changed and not committed when it was stopped', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({}, { isLimited: true });
  });
  afterAll(() => service.close());

  it("is kept on the branch, although it has to wait for GitHub's limits", async () => {
    const session = await service.start('Write notes within the limits');
    const stopping = new AbortController();
    const { store } = service;
    const takeWrite = store.takeWrite.bind(store);
    const take = jest.spyOn(store, 'takeWrite');
    let asked = 0;
    service.model.says(note, async () => {
      await session.closeIssue();
      take.mockImplementation(async (...of) =>
        (asked += 1) % 2 === 1 ? { waitMs: 10 } : takeWrite(...of),
      );
      stopping.abort(new Termination('The issue was closed.'));
      return look;
    });
    await session.advance({}, stopping);
    take.mockRestore();
    expect(asked).toBeGreaterThan(1);
    expect((await session.journal()).slice(-2)).toMatchObject([
      { type: 'work_saved' },
      { type: 'run_ended', end: { kind: 'stopped' } },
    ]);
    expect(session.onBranch('NOTES.md')).toBe('Half of the notes.');
  });
});
