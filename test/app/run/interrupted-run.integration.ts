import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const MINUTE = 60_000;

describe('an interrupted run', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  /** A session whose run was interrupted after it had changed a file; the next request finishes it. */
  async function interrupted(title: string) {
    service.model.says(json(['write_file', { path: 'NOTES.md', content: 'Notes.\n' }]));
    service.model.says(new TryLater('busy'), json(['finish', { summary: 'Notes are there.' }]));
    const session = await service.start(title);
    await session.advance({ models: ['test:first'] });
    service.letPass(MINUTE);
    return session;
  }

  it('resumes as it was prepared, whatever the operator’s default is now', async () => {
    const session = await interrupted('Go on');
    await session.advance({ models: ['test:second', 'test:first'], protocol: 'react' });
    const entries = await session.journal();
    expect(entriesOf(entries, 'run_prepared')).toHaveLength(1);
    expect(entriesOf(entries, 'run_ended')).toMatchObject([{ run: 1, end: { kind: 'finished' } }]);
    expect(session.onBranch('NOTES.md')).toBe('Notes.');
  });

  it('is prepared again if its model is no longer offered, and keeps what it had done', async () => {
    const session = await interrupted('Change the model');
    await session.advance({ models: ['test:second'] });
    const entries = await session.journal();
    expect(entriesOf(entries, 'run_started')).toHaveLength(1);
    expect(entriesOf(entries, 'run_prepared')).toMatchObject([
      { run: 1, model: 'test:first', destination: 'Nobody (test:first)' },
      { run: 1, model: 'test:second', destination: 'Nobody (test:second)' },
    ]);
    expect(entriesOf(entries, 'run_ended')).toMatchObject([{ run: 1, end: { kind: 'finished' } }]);
    const told = JSON.stringify(service.model.requests.at(-1)?.messages);
    expect(told).toContain('Change the model');
    expect(told).toContain('write_file');
    expect(session.onBranch('NOTES.md')).toBe('Notes.');
  });

  it('was left after the reply that was under way when the process was stopped: that is used, and not asked for again', async () => {
    const leaving = new AbortController();
    const before = service.model.requests.length;
    service.model.says(() => {
      leaving.abort();
      return Promise.resolve(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    });
    const session = await service.start('Hand it over');
    await session.advance({}, undefined, leaving.signal);
    const left = await session.journal();
    expect(left.at(-1)?.type).toBe('reply');
    expect(await session.row()).toMatchObject({ claim: null, state: 'working' });
    // Another process that is stopping too does not begin.
    await session.advance({}, undefined, leaving.signal);
    expect(await session.journal()).toEqual(left);
    await session.advance();
    const entries = await session.journal();
    expect(entriesOf(entries, 'run_resumed')).toHaveLength(1);
    expect(entriesOf(entries, 'run_ended')).toMatchObject([{ run: 1, end: { kind: 'finished' } }]);
    expect(service.model.requests).toHaveLength(before + 1);
  });
});
