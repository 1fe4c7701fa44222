import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { SessionFeed, type Update } from '../../src/web/live/event-streams.ts';
import * as stories from '../support/stories.ts';
import { ask, pagesOf, SIGNED_IN, startPages, type TestServer } from './support.ts';

let web: TestServer | undefined;
const open: IncomingMessage[] = [];
afterEach(async () => {
  for (const response of open.splice(0)) response.destroy();
  await web?.close();
});

interface NewsEvent {
  readonly id: string;
  readonly event: string;
  readonly html: string;
}

/** An open stream: `next` resolves with its next event, or `undefined` at its end. */
async function listen(address: string, headers: Record<string, string> = {}) {
  const asked = get(address, { headers: { ...SIGNED_IN, ...headers }, agent: false });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  open.push(response);
  response.setEncoding('utf8');
  const chunks = response[Symbol.asyncIterator]() as AsyncIterator<string>;
  let text = '';
  const next = async (): Promise<NewsEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end === -1) {
        const { done, value } = await chunks.next();
        if (done === true) return undefined;
        text += value;
        continue;
      }
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? '';
      if (!/^data:/m.test(block)) continue;
      const data = field('data');
      return {
        id: field('id'),
        event: field('event') || 'message',
        html: data === '' ? '' : (JSON.parse(data) as string),
      };
    }
  };
  return { status: response.statusCode, response, next };
}

const idsIn = (html = ''): number[] =>
  [...html.matchAll(/id="entry-(\d+)"/g)].map(([, id]) => Number(id));

describe('what an open page is told', () => {
  it('is only what is new, once it is there', async () => {
    const journal = stories.working();
    for (let at = 0; at < 200; at += 1) journal.turn({ thought: `Step ${at}. ${'x'.repeat(500)}` });
    web = await startPages({ pages: pagesOf({ abc: journal.entries }) });
    const whole = await ask(`${web.url}/sessions/abc`, { headers: SIGNED_IN });
    const seq = /<body[^>]* data-seq="(\d+)"/.exec(whole.body)?.[1] ?? '';
    const stream = await listen(`${web.url}/sessions/abc/events?after=${seq}`);
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers['x-content-type-options']).toBe('nosniff');

    journal.turn({ thought: 'A new thought.' });
    const { id, html = '' } = (await stream.next()) ?? {};
    expect(id).toBe(String(journal.entries.length));
    expect(html).toContain('A new thought.');
    expect(html).not.toContain('Step 199.');
    expect(html.length).toBeLessThan(5_000);
    expect(whole.body.length).toBeGreaterThan(150_000);
  });

  it('is what it missed, when it comes back with the last event that it has', async () => {
    const journal = stories.working();
    web = await startPages({ pages: pagesOf({ abc: journal.entries }) });
    const address = `${web.url}/sessions/abc/events?after=1`;
    const told: number[] = [];
    let last = '1';
    for (let round = 0; round < 5; round += 1) {
      const before = journal.entries.length;
      journal.turn({ thought: `Round ${round}.` });
      // The address is the one that the page was opened with: a browser repeats it.
      const stream = await listen(address, round === 0 ? {} : { 'last-event-id': last });
      const { id = '', html } = (await stream.next()) ?? {};
      last = id;
      told.push(...idsIn(html).filter((seq) => round === 0 || seq > before));
      stream.response.destroy();
    }
    const inReply = new Set(['opened', 'admitted', 'call_started', 'call_finished']);
    const expected = journal.entries.filter(({ type }) => !inReply.has(type));
    expect(told).toEqual(expected.map(({ seq }) => seq));
  });

  it('is to load itself again if very much is new', async () => {
    const journal = stories.working();
    for (let at = 0; at < 1_100; at += 1) journal.notice(`topic ${at}`, 'Words.');
    web = await startPages({ pages: pagesOf({ abc: journal.entries }) });
    const stream = await listen(`${web.url}/sessions/abc/events?after=3`);
    expect(await stream.next()).toMatchObject({ event: 'reload', html: '' });
    expect(await stream.next()).toBeUndefined();
  });

  it('ends with the session', async () => {
    const journal = stories.working();
    web = await startPages({ pages: pagesOf({ abc: journal.entries }) });
    const stream = await listen(`${web.url}/sessions/abc/events?after=${journal.entries.length}`);
    journal.end({ kind: 'failed', reason: 'The push was denied.' });
    expect((await stream.next())?.html).toContain('The push was denied.');
    expect(await stream.next()).toBeUndefined();
  });

  it('ends when the server drains', async () => {
    web = await startPages({ pages: pagesOf({ abc: stories.working().entries }) });
    const stream = await listen(`${web.url}/sessions/abc/events?after=99`);
    await web.drain();
    expect(await stream.next()).toBeUndefined();
  });

  it('is nothing for strangers, for unknown sessions, and without a place to begin', async () => {
    web = await startPages({ pages: pagesOf({ abc: stories.working().entries }) });
    const at = (path: string, headers = SIGNED_IN as object) =>
      ask(`${web?.url}/sessions/${path}`, { headers: { ...headers } });
    expect((await at('abc/events?after=1', {})).status).toBe(401);
    for (const path of ['none/events?after=1', 'abc/events', 'abc/events?after=-1'])
      expect([path, (await at(path)).status]).toEqual([path, 404]);
  });

  it('goes on while a thousand strangers connect and say nothing', async () => {
    web = await startPages({ pages: pagesOf({ abc: stories.working().entries }) });
    const stream = await listen(`${web.url}/sessions/abc/events?after=99`);
    const { port } = web;
    const silent = Array.from({ length: 1_010 }, () => connect(port, '127.0.0.1'));
    try {
      const closed = silent.map((socket) => once(socket, 'close'));
      await Promise.race(closed);
      expect((await ask(`${web.url}/sessions/abc`, { headers: SIGNED_IN })).status).toBe(200);
      expect(stream.response.closed).toBe(false);
    } finally {
      for (const socket of silent) socket.destroy();
    }
  });

  it('costs a bounded number of connections, each for a limited time', async () => {
    web = await startPages({
      pages: pagesOf({ abc: stories.working().entries }),
      streams: { most: 2, age: 300 },
    });
    const address = `${web.url}/sessions/abc/events?after=99`;
    const streams = [await listen(address), await listen(address)];
    const third = await listen(address);
    expect([third.status, third.response.headers['retry-after']]).toEqual([503, '2']);
    for (const stream of streams) expect(await stream.next()).toBeUndefined();
    expect((await listen(address)).status).toBe(200);
  });
});

describe('the feed of a session', () => {
  const silent = pino({ level: 'silent' });

  it('reads and renders once for all pages that have the same entries', async () => {
    const counts = { newest: 0, update: 0 };
    let seq = 7;
    const feed = new SessionFeed(
      {
        newest: async (ids) => {
          counts.newest += 1;
          return new Map(ids.map((id) => [id, seq]));
        },
        update: async (_id, after) => {
          counts.update += 1;
          return { seq, html: `after ${after}`, isLast: false };
        },
      },
      silent,
      5,
    );
    const told: string[] = [];
    let whenAll = (): void => {};
    const allTold = () => new Promise<void>((resolve) => (whenAll = resolve));
    const first = allTold();
    const leave = Array.from({ length: 100 }, () =>
      feed.watch('abc', 7, {
        update: ({ html = '' }) => {
          if (told.push(html) % 100 === 0) whenAll();
        },
        end: () => {},
      }),
    );
    seq = 9;
    await first;
    expect(counts.update).toBe(1);
    const second = allTold();
    seq = 12;
    await second;
    expect(counts.update).toBe(2);
    expect(new Set(told)).toEqual(new Set(['after 7', 'after 9']));
    for (const one of leave) one();
  });

  it('goes on after a failure, and tells those who come late the same', async () => {
    let failures = 2;
    const feed = new SessionFeed(
      {
        newest: async (ids) => {
          if (failures-- > 0) throw new Error('away');
          return new Map(ids.map((id) => [id, 3]));
        },
        update: async () => ({ seq: 3, html: 'news', isLast: false }),
      },
      silent,
      5,
    );
    const news = () =>
      new Promise<Update>((resolve) => {
        const leave = feed.watch('abc', 1, {
          update: (one) => {
            leave();
            resolve(one);
          },
          end: () => {},
        });
      });
    expect((await news()).seq).toBe(3);
    expect((await news()).seq).toBe(3);
  });
});
