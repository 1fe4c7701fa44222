import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TellPerson, TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const note = json(['write_file', { path: 'NOTES.md', content: 'Half of the notes.\n' }]);

describe('what a run had changed and not committed', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  }, 60_000);
  afterAll(() => service.close());

  it('is kept on the branch when the provider ends the run', async () => {
    const session = await service.start('Write notes');
    service.model.says(note, new TellPerson('The key of the provider was refused.'));
    await session.advance();
    const entries = await session.journal();
    expect(entries.slice(-2)).toMatchObject([
      { type: 'work_kept', effects: [{ type: 'commit', files: [{ path: 'NOTES.md' }] }] },
      {
        type: 'run_ended',
        end: { kind: 'failed', words: 'The key of the provider was refused.' },
      },
    ]);
    expect(session.onBranch('NOTES.md')).toBe('Half of the notes.');
  });

  it('waits, uncommitted, for a run that goes on later', async () => {
    const session = await service.start('Write notes later');
    service.model.says(note, new TryLater('busy'));
    await session.advance();
    expect((await session.journal()).at(-1)).toMatchObject({ type: 'run_parked' });
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
    expect(entriesOf(entries, 'work_kept')).toEqual([]);
    expect(entriesOf(entries, 'run_ended')).toEqual([]);
    service.model.says(json(['finish', { summary: 'Notes are there.' }]));
    await session.advance();
    expect(session.onBranch('NOTES.md')).toBe('Half of the notes.');
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'finished' } });
  });
});
