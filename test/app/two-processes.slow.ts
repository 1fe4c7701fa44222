// A process that froze and goes on may do the same as the one that took over from it.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openService, type Service } from './support.ts';

let service: Service;

beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const COMMENTS = /\/issues\/\d+\/comments$/;

it('two processes that publish at once leave one comment', async () => {
  const session = await service.start('Say hello');
  const looked = service.github.faults.hold({ method: 'GET', path: COMMENTS });
  const frozen = session.publish();
  await looked.applied;
  await session.publish();
  looked.release();
  await frozen;
  const statuses = service.repository.comments.filter(({ body }) => body.includes(':status -->'));
  expect(statuses).toHaveLength(1);
  const standing = await service.store.publications(session.id);
  expect(standing.find(({ key }) => key === 'status')?.remoteId).toBe(statuses[0]?.id);
});

it('a process that loses its claim asks for another look, as the other may end too', async () => {
  const session = await service.start('Say more');
  service.model.says(async () => {
    await service.store.claim(session.id);
    return '{"tool_calls": []}';
  });
  expect(await session.advance()).toBe('again');
});
