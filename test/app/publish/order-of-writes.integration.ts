// What keeps a place while there is no room to write.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { WRITE_RANKS } from '../../../src/lib/write-budget.ts';
import { json } from '../../agent/support.ts';
import { openService, type Service } from '../support.ts';

describe('the ranks of writes', () => {
  it('have a larger share of both windows the sooner their place comes', () => {
    const ranks = Object.values(WRITE_RANKS).toSorted((one, other) => one.place - other.place);
    for (const [at, { place, minute, hour }] of ranks.entries()) {
      const next = ranks[at + 1] ?? { place: Infinity, minute: 0, hour: 0 };
      const isSame = place === next.place;
      expect(minute > next.minute).toBe(!isSame);
      expect(hour > next.hour).toBe(!isSame);
    }
  });
});

describe('a sign on GitHub for which there is no room', () => {
  let service: Service;
  let client: pg.Client;
  beforeAll(async () => {
    service = await openService({}, { isLimited: true });
    client = new pg.Client({ connectionString: service.connection.databaseUrl });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await service.close();
  });

  const OTHER = { holder: 'other', rank: 'work' } as const;
  type Session = Awaited<ReturnType<Service['start']>>;

  /** While another has so many of the 78 writes of a minute. Resolves with the ranks that keep a place. */
  async function beside(writes: number, { id, publish }: Session): Promise<readonly string[]> {
    expect(await service.store.reserveWrites(1, OTHER, writes)).toBe(0);
    await publish();
    const { rows } = await client.query<{ holder: string }>(
      'select holder from issuewright.write_queue where installation = 1',
    );
    return rows.map(({ holder }) => holder.replace(`publish:${id}:`, ''));
  }
  const reactions = async ({ id }: Session) =>
    (await service.store.publications(id)).map(({ key, remoteId }) => [key, remoteId > 0]);

  it('keeps a place if nothing else says it, and comes as soon as there is room', async () => {
    const session = await service.start('Pause it');
    await session.publish();
    await session.comment('maintainer', '/issuewright pause');
    expect(await beside(67, session)).toContain('acknowledgement');
    const order = expect.arrayContaining([[expect.stringMatching(/^order:/), true]]);
    expect(await reactions(session)).not.toEqual(order);
    await service.store.releaseWrites(1, OTHER.holder);
    await session.publish();
    expect(await reactions(session)).toEqual(order);
  });

  it('is left out if the status says it, and keeps no place', async () => {
    const session = await service.start('Do it');
    await session.publish();
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    await session.advance();
    expect(await beside(45, session)).not.toContain('ending');
    expect(await reactions(session)).toContainEqual(['end:issue', false]);
    await service.store.releaseWrites(1, OTHER.holder);
  });

  it('comes after a pause that GitHub asked for, even if the status says it', async () => {
    const session = await service.start('Do it too');
    await session.publish();
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    await session.advance();
    await service.store.pauseRequests(1, 60_000);
    await session.publish();
    expect(await reactions(session)).not.toContainEqual(['end:issue', expect.anything()]);
    await client.query(`update issuewright.write_budget set paused_until = '-infinity'`);
    await session.publish();
    expect(await reactions(session)).toContainEqual(['end:issue', true]);
  });
});
