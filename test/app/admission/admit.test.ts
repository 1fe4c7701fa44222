import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admit } from '../../../src/app/admission/admit.ts';
import { JournalTracker } from '../../../src/app/service/journal-tracker.ts';
import { KeyedMutex } from '../../../src/lib/keyed-mutex.ts';
import { json } from '../../agent/support.ts';
import { openService, type Service } from '../support.ts';

/** Nothing is left to look up. */
const NOT_ASKED = undefined as never;

describe('a request that both lanes want judged at once', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ 'a.txt': 'a\n' });
  }, 60_000);
  afterAll(() => service.close());

  it('is looked up once, and has one verdict', async () => {
    const session = await service.start('Do it');
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    await Promise.all([session.publish(), session.advance(), session.publish()]);
    const lookUps = service.github.requests.filter(({ path }) => path.endsWith('/permission'));
    expect(lookUps).toHaveLength(1);
    const types = (await session.journal()).map(({ type }) => type);
    expect(types.filter((type) => type === 'admitted')).toHaveLength(1);
    expect((await session.row())?.state).toBe('done');
  });

  it('is not judged by a lane that read the journal before the other had judged it', async () => {
    const session = await service.start('Do that');
    const slow = await JournalTracker.open(service.store, session.id);
    await session.publish();
    const parts = { admissions: new KeyedMutex(), allowedBots: [] };
    const operator = { areImagesSeen: false };
    await expect(admit(slow, NOT_ASKED, { ...parts, operator })).resolves.toBeUndefined();
    const types = (await session.journal()).map(({ type }) => type);
    expect(types.filter((type) => type === 'admitted')).toHaveLength(1);
  });
});
