import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openPool } from '../../src/store/database.ts';

it('a broken connection is reported, but not while all are being closed', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  const pool = openPool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' }, log);
  pool.emit('error', new Error('terminating connection'), undefined);
  expect(lines).toHaveLength(1);
  const closing = pool.end();
  pool.emit('error', new Error('terminating connection'), undefined);
  await closing;
  expect(lines).toHaveLength(1);
});
