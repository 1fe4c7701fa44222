// What is published while there is little room to write, and what is left out.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { json } from '../../agent/support.ts';
import { openService, type Service } from '../support.ts';

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

  type Session = Awaited<ReturnType<Service['start']>>;

  /** While others have made so many of the 78 writes of a minute. */
  async function publishBeside(writes: number, session: Session): Promise<void> {
    await client.query('delete from issuewright.writes');
    await client.query(
      `insert into issuewright.writes (installation, at)
       select 1, now() from generate_series(1, $1)`,
      [writes],
    );
    await session.publish();
    await client.query('delete from issuewright.writes');
  }
  const reactions = async ({ id }: Session) =>
    (await service.store.publications(id)).map(({ key, remoteId }) => [key, remoteId > 0]);

  it('comes later if nothing else says it', async () => {
    const session = await service.start('Pause it');
    await session.publish();
    await session.comment('maintainer', '/issuewright pause');
    await publishBeside(78, session);
    const order = expect.arrayContaining([[expect.stringMatching(/^order:/), true]]);
    expect(await reactions(session)).not.toEqual(order);
    await session.publish();
    expect(await reactions(session)).toEqual(order);
  });

  it('comes at once if a person waits for it, while other writes leave room to that', async () => {
    const session = await service.start('Pause it too');
    await session.publish();
    await session.comment('maintainer', '/issuewright pause');
    await publishBeside(60, session);
    expect(await reactions(session)).toContainEqual([expect.stringMatching(/^order:/), true]);
  });

  it('is left out if the status says it', async () => {
    const session = await service.start('Do it');
    await session.publish();
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    await session.advance();
    await publishBeside(60, session);
    await session.publish();
    expect(await reactions(session)).toContainEqual(['end:issue', false]);
  });

  it.each([
    ['before it was looked for', 0],
    ['while others are published', 1],
  ])(
    'comes after a pause that GitHub asked for %s, even if the status says it',
    async (_moment, looks) => {
      const session = await service.start('Do it too');
      await session.publish();
      service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
      await session.advance();
      await service.store.pauseRequests(1, 60_000);
      const look = jest.spyOn(service.store, 'requestPause');
      for (let time = 0; time < looks; time += 1) look.mockResolvedValueOnce(0);
      await session.publish();
      look.mockRestore();
      expect(await reactions(session)).not.toContainEqual(['end:issue', expect.anything()]);
      await client.query(`update issuewright.write_budget set paused_until = '-infinity'`);
      await session.publish();
      expect(await reactions(session)).toContainEqual(['end:issue', true]);
    },
  );
});

describe('what leads to another comment', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  it('has its link at once: the status is written once, after the question', async () => {
    const session = await service.start('Ask me');
    await session.publish();
    service.model.says(json(['ask_question', { question: 'Which?' }]));
    await session.advance();
    const edits = () =>
      service.github.requests.filter(
        ({ method, path }) => method === 'PATCH' && path.includes('/issues/comments/'),
      ).length;
    const before = edits();
    await session.publish();
    const bodies = service.repository.comments.map(({ body }) => body).join('\n');
    expect(bodies).toMatch(
      /💬 Waiting for \S+ answer\*\* · \[see the question\]\(https?:[^)]+#issuecomment-\d+\)/,
    );
    await session.publish();
    expect(edits()).toBe(before + 1);
  });
});

describe('the answer to a question that is asked while a run works', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  type Session = Awaited<ReturnType<Service['start']>>;
  type StoreMethod = 'append' | 'savePublication';

  /** As if the process died where it would call this about the answer. */
  async function publishUntil(
    method: StoreMethod,
    session: Pick<Session, 'publish'>,
  ): Promise<void> {
    const called = service.store[method] as (...given: unknown[]) => Promise<unknown>;
    const spy = jest.spyOn(service.store, method) as unknown as jest.Mock<typeof called>;
    spy.mockImplementation((...given) =>
      JSON.stringify(given).includes('"reply:')
        ? Promise.reject(new Error('the process died'))
        : called.apply(service.store, given),
    );
    await session.publish().catch(() => {});
    spy.mockRestore();
  }

  it.each([
    ['before that is journaled', 'append'],
    ['after that is journaled', 'savePublication'],
  ] as const)(
    'is on GitHub before the run ends, and once, also if the publisher dies %s',
    async (_when, method) => {
      const session = await service.start(`Greet: ${method}`);
      await session.publish();
      const answers = (): string[] =>
        service.repository.comments
          .map(({ body }) => body)
          .filter((body) => body.startsWith(`@maintainer Yes, by ${method}.`));
      let during: string[] = [];
      service.model.says(
        async () => {
          await session.comment('maintainer', '@issuewright Does it greet people by name?');
          return json(['write_file', { path: 'a.md', content: 'a' }]);
        },
        json(['reply', { to: '@maintainer', text: `Yes, by ${method}.` }]),
        async () => {
          await publishUntil(method, session);
          during = answers();
          return json(['finish', { summary: 'Writes a.' }]);
        },
      );
      await session.advance();
      expect(during).toHaveLength(1);
      await session.publish();
      await session.publish();
      expect(answers()).toEqual(during);
    },
  );
});
