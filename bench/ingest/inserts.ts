// The floor of the database: rows of the size of an entry, each durable before the next of its connection.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Sent } from './sender.ts';

export interface InsertOrder {
  readonly senders: number;
  readonly ms: number;
}

const BODY = 'x'.repeat(700);
const INSERT = { name: 'insert', text: 'insert into bench_rows (id, body) values ($1, $2)' };

const pool = new pg.Pool({ connectionString: process.argv[2], max: 64 });
await pool.query('create table if not exists bench_rows (id text primary key, body text not null)');

async function insert({ senders, ms }: InsertOrder): Promise<Sent> {
  const clients = await Promise.all(Array.from({ length: senders }, () => pool.connect()));
  const took: number[] = [];
  const begun = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - begun < ms) {
        const sent = performance.now();
        await client.query({ ...INSERT, values: [randomUUID(), BODY] });
        took.push(performance.now() - sent);
      }
    }),
  );
  const elapsed = performance.now() - begun;
  for (const client of clients) client.release();
  return { took, elapsed, refused: 0 };
}

process.on('message', (order) => {
  void insert(order as InsertOrder).then((sent) => process.send?.(sent));
});
process.send?.('ready');
