import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SMALL_HEAP } from '../../bin/small-heap.js';
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
beforeEach(async () => {
  place = await createDatabase();
  store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
  const program = fileURLToPath(new URL('pages-process.ts', import.meta.url));
  child = spawn(process.execPath, [...SMALL_HEAP, '--expose-gc', program, place.url, TOKEN], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  address = (await lines.next()).value as string;
});
afterEach(async () => {
  child?.stdin?.end();
  if (child !== undefined) await once(child, 'exit');
  await store?.close();
  await place?.drop();
});

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
}

async function memory(): Promise<Memory> {
  child.stdin?.write('\n');
  return JSON.parse((await lines.next()).value as string) as Memory;
}

/** As much as files, searches and tests print: some kilobytes, and now and then many. */
const outputOf = (turn: number): string =>
  `line of output ${turn}\n`.repeat(turn % 10 === 9 ? 2000 : 50 + ((turn * 97) % 400));

function turns(journal: Journal, count: number): void {
  for (let turn = 0; turn < count; turn += 1) {
    const result = { output: outputOf(turn) };
    journal.turn({ thought: `Step ${turn}.`, calls: [{ tool: 'read_file', result }] });
  }
}

/** A session at work with so many turns, and a function that adds another. */
async function open(count: number) {
  const id = sessionOf(await store.accept(newRepository()(), delivery()));
  const claim = await store.claim(id);
  const journal = new Journal().start().run();
  let written = 2;
  const work = async (more: number): Promise<void> => {
    turns(journal, more);
    const news = journal.entries.slice(written).map(({ seq: _seq, at: _at, ...entry }) => entry);
    written = journal.entries.length;
    for (let at = 0; at < news.length; at += 200)
      await store.append(id, news.slice(at, at + 200) as NewEntry[], {
        claim,
        projection: { state: 'working' },
      });
  };
  await work(count);
  return { id, journal, addTurn: () => work(1) };
}

const page = async (id: string) => {
  const { body } = await ask(`${address}/sessions/${id}`, { headers: SIGNED_IN });
  return { bytes: body.length, seq: Number(/data-seq="(\d+)"/.exec(body)?.[1]) };
};

/** Opens a page. */
async function watch(id: string) {
  const { bytes, seq } = await page(id);
  const asked = get(`${address}/sessions/${id}/events?after=${seq}`, {
    headers: SIGNED_IN,
    agent: false,
  });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  let told = '';
  const lines = response.on('data', (text: string) => (told += text));
  /** Resolves with the length of all that it was told once it has this entry. */
  const toldOf = async (last: number): Promise<number> => {
    while (!new RegExp(`^id: ${last}\ndata: .*\n\n$`, 'm').test(told)) await once(lines, 'data');
    return told.length;
  };
  return { bytes, toldOf, close: () => response.destroy() };
}

type Open = Awaited<ReturnType<typeof open>>;

/** Opens a page of each, adds a turn to each session, and waits until the pages have it. */
async function cost(sessions: readonly Open[]): Promise<Memory> {
  // What the first page loads is no cost of the others.
  await page(sessions[0]!.id);
  const before = await memory();
  const pages: Awaited<ReturnType<typeof watch>>[] = [];
  for (const { id } of sessions) pages.push(await watch(id));
  for (const one of new Set(sessions)) await one.addTurn();
  for (const [index, { bytes, toldOf }] of pages.entries()) {
    const told = await toldOf(sessions[index]!.journal.entries.length);
    expect(told).toBeLessThan(bytes / 5);
  }
  const after = await memory();
  for (const one of pages) one.close();
  return { rss: after.rss - before.rss, heapUsed: after.heapUsed - before.heapUsed };
}

describe('a hundred open pages cost less than 50 MB, and each is sent only what is new', () => {
  it.each([
    ['of one session with 3,000 entries', 1, 1000],
    ['of a hundred sessions with 150 entries', PAGES, 50],
  ])(
    '%s',
    async (name, count, each) => {
      const sessions: Open[] = [];
      for (let made = 0; made < count; made += 1) sessions.push(await open(each));
      const shown = Array.from({ length: PAGES }, (_, index) => sessions[index % count]!);
      const { rss, heapUsed } = await cost(shown);
      const [more, inUse] = [rss, heapUsed].map((bytes) => (bytes / MEGABYTE).toFixed(1));
      process.stderr.write(
        `${PAGES} pages ${name}: ${more} MB more, the heap in use ${inUse} MB\n`,
      );
      expect(rss).toBeLessThan(50 * MEGABYTE);
      expect(heapUsed).toBeLessThan(10 * MEGABYTE);
    },
    300_000,
  );
});
