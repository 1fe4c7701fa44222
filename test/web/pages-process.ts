// Session pages in a process of their own: `pages-process.ts DATABASE_URL TOKEN`. It says its address, and after each line
// that it reads how many bytes it has in memory, and how many of its heap are in use.
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { sessionReader } from '../../src/app/session-reader.ts';
import { openStore } from '../../src/store/open.ts';
import { createPageServer } from '../../src/web/page-server.ts';

const [databaseUrl, token = ''] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const store = await openStore({ databaseUrl, dataDir: '/unused', log });
const server = createPageServer({ log, pages: sessionReader(store), token });
process.stdout.write(`${await server.listen('127.0.0.1', 0)}\n`);
for await (const _line of createInterface(process.stdin)) {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await pause(50);
  }
  const { rss, heapUsed } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ rss, heapUsed })}\n`);
}
await server.close();
await store.close();
