import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { json } from '../../agent/support.ts';
import { openService, type Service } from '../support.ts';

let service: Service;
let client: pg.Client;
beforeAll(async () => {
  service = await openService();
  client = new pg.Client({ connectionString: service.connection.databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await service.close();
});

/** Sessions that someone is to advance. */
const woken = async (): Promise<readonly string[]> => {
  const { rows } = await client.query<{ id: string }>(
    'select session_id as id from issuewright.session_queue where is_woken',
  );
  return rows.map(({ id }) => id);
};

it('a session whose process is stopped at the end of its run is left to another, which looks for what comes next', async () => {
  service.model.says(
    json(['write_file', { path: 'NOTES.md', content: 'Notes.\n' }]),
    json(['finish', { summary: 'Notes are there.' }]),
  );
  const session = await service.start('Take notes');
  await client.query('delete from issuewright.session_queue');
  const stopping = new AbortController();
  const { store } = service;
  const append = store.append.bind(store);
  const spy = jest.spyOn(store, 'append').mockImplementation(async (id, entries, how) => {
    const written = await append(id, entries, how);
    if (entries.some(({ type }) => type === 'run_ended')) stopping.abort(new Error('stop'));
    return written;
  });
  await session.advance({}, stopping);
  spy.mockRestore();
  expect(await session.row()).toMatchObject({ claim: null, state: 'waiting(review)' });
  expect(await woken()).toEqual([session.id]);
});
