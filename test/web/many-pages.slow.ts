import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewEntry } from '../../src/session/entry.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { delivery, newRepository, sessionOf, silent } from '../contract/store-world.ts';
import { Journal } from '../support/journal.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';
import { ask, SIGNED_IN, TOKEN } from './support.ts';

const PAGES = 100;
const MEGABYTE = 1_000_000;

let place: TestDatabase;
let store: OpenStore;
let child: ChildProcess;
let lines: AsyncIterator<string>;
let address: string;
beforeAll(async () => {
  place = await createDatabase();
  store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
  const program = fileURLToPath(new URL('pages-process.ts', import.meta.url));
  child = spawn(process.execPath, ['--expose-gc', program, place.url, TOKEN], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  address = (await lines.next()).value as string;
}, 120_000);
afterAll(async () => {
  child?.stdin?.end();
  if (child !== undefined) await once(child, 'exit');
  await store?.close();
  await place?.drop();
});

async function memory(): Promise<number> {
  child.stdin?.write('\n');
  return Number((await lines.next()).value);
}

const turns = (journal: Journal, count: number): Journal => {
  const result = { output: 'a line of output\n'.repeat(150) };
  for (let turn = 0; turn < count; turn += 1)
    journal.turn({ thought: `Step ${turn}.`, calls: [{ tool: 'read_file', result }] });
  return journal;
};

/** A session with so many turns; its claim can go on with it. */
async function open(count: number) {
  const id = sessionOf(await store.accept(newRepository()(), delivery()));
  const claim = await store.claim(id);
  const journal = turns(new Journal().start().run(), count);
  let written = 2;
  const write = async (): Promise<void> => {
    const news = journal.entries.slice(written).map(({ seq: _seq, at: _at, ...entry }) => entry);
    written = journal.entries.length;
    for (let at = 0; at < news.length; at += 200)
      await store.append(id, news.slice(at, at + 200) as NewEntry[], {
        claim,
        projection: { state: 'working' },
      });
  };
  await write();
  return { id, journal, write };
}

const page = async (id: string): Promise<number> => {
  const { body } = await ask(`${address}/sessions/${id}`, { headers: SIGNED_IN });
  return Number(/data-seq="(\d+)"/.exec(body)?.[1]);
};

/** Opens a page; `told` resolves with its next event. */
async function watch(id: string) {
  const after = await page(id);
  const asked = get(`${address}/sessions/${id}/events?after=${after}`, {
    headers: SIGNED_IN,
    agent: false,
  });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  const told = new Promise<void>((resolve) => {
    response.on('data', (text: string) => {
      if (/^id: \d+$/m.test(text)) resolve();
    });
  });
  return { told, close: () => response.destroy() };
}

describe('a hundred open pages of a session with 3,000 entries', () => {
  it('cost less than 50 MB, and are all told what is new', async () => {
    const large = await open(1000);
    expect(large.journal.entries.length).toBeGreaterThan(3000);
    // V8 keeps the room that rendering took once. What is measured is what pages cost by staying open.
    for (let round = 0; round < PAGES; round += 3)
      await Promise.all([1, 2, 3].map(() => page(large.id)));
    const before = await memory();

    const pages: Awaited<ReturnType<typeof watch>>[] = [];
    while (pages.length < PAGES)
      pages.push(...(await Promise.all([1, 2, 3].map(() => watch(large.id)))));
    for (let round = 0; round < 5; round += 1) {
      turns(large.journal, 1);
      await large.write();
    }
    await Promise.all(pages.map(({ told }) => told));
    const after = await memory();
    process.stderr.write(
      `${pages.length} pages: ${((after - before) / MEGABYTE).toFixed(1)} MB more\n`,
    );
    expect(after - before).toBeLessThan(50 * MEGABYTE);
    for (const one of pages) one.close();
  }, 180_000);
});
