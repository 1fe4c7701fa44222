import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { openService, type Service } from '../support.ts';

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
});
