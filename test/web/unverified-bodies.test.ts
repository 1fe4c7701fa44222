import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { UnverifiedBodies } from '../../src/web/webhook-route.ts';
import { deliver, headOf, sign, speak, startServer, type TestServer } from './support.ts';

const MIB = 1024 * 1024;

describe('bodies that are not verified yet', () => {
  /** Bodies with a clock that stands still until it is set. */
  function bodies(limit: number) {
    const clock = { now: 0 };
    const all = new UnverifiedBodies(limit, () => clock.now);
    const ended: string[] = [];
    const open = (name: string) => all.open(() => ended.push(name));
    return { all, clock, ended, open };
  }

  it('are whole in the order in which they came, and then no longer counted', () => {
    const { all, open } = bodies(MIB);
    const body = open('one');
    body.add(Buffer.from('ab'));
    body.add(Buffer.from('c'));
    expect(body.size).toBe(3);
    expect(body.take().toString()).toBe('abc');
    expect(all.cost).toBe(0);
  });

  it('keep their order if small and large pieces come by turns, also beyond a block', () => {
    const body = bodies(MIB).open('one');
    const pieces = [
      'a',
      'b'.repeat(5000),
      'c'.repeat(4000),
      'd'.repeat(4000),
      'e'.repeat(90_000),
      'f',
    ];
    const all = [...pieces, ...Array.from({ length: 40 }, (_none, at) => `${at}`.repeat(900)), 'g'];
    for (const piece of all) body.add(Buffer.from(piece));
    expect(body.take().toString()).toBe(all.join(''));
  });

  it('do not hold on to the memory of small pieces, each of which costs more than its bytes', () => {
    const { all, open } = bodies(MIB);
    const body = open('one');
    const piece = Buffer.from('x');
    for (let at = 0; at < 30_000; at += 1) body.add(piece);
    expect(all.cost).toBeLessThan(64 * 1024);
  });

  it('never take more than the limit, however small their pieces are', () => {
    const { all, clock, ended, open } = bodies(MIB);
    for (let at = 0; at < 50; at += 1) {
      clock.now += 1;
      const body = open(`${at}`);
      for (let piece = 0; piece < 200; piece += 1) body.add(Buffer.alloc(1));
      expect(all.cost).toBeLessThanOrEqual(MIB);
    }
    expect(ended).not.toEqual([]);
  });

  it('lose their memory to newer ones, those first that held the most for the longest', () => {
    const { clock, ended, open } = bodies(MIB);
    const [large, old, small] = [open('large'), open('old'), open('small')];
    large.add(Buffer.alloc(500_000));
    old.add(Buffer.alloc(300_000));
    clock.now = 5000;
    small.add(Buffer.alloc(100_000));
    const genuine = open('genuine');
    genuine.add(Buffer.alloc(400_000));
    expect(ended).toEqual(['large']);
    genuine.add(Buffer.alloc(400_000));
    expect(ended).toEqual(['large', 'old']);
    expect(genuine.take()).toHaveLength(800_000);
    large.add(Buffer.alloc(100));
    expect(large.size).toBe(500_000);
  });

  it('that alone exceed the limit are ended themselves', () => {
    const { all, ended, open } = bodies(1000);
    const body = open('huge');
    body.add(Buffer.alloc(5000));
    expect(ended).toEqual(['huge']);
    expect(all.cost).toBe(0);
  });
});

describe('strangers who send large bodies slowly over many connections', () => {
  const LIMIT = 4 * MIB;
  const STRANGERS = 40;
  let server: TestServer | undefined;
  let sockets: Socket[] = [];

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await server?.close();
    server = undefined;
  });

  /** Sends a part of a body, and reads what is answered. */
  async function stranger(port: number, bytes: number) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    const seen = { answer: '', isClosed: false };
    socket.on('data', (chunk) => (seen.answer += chunk.toString()));
    socket.on('error', () => {});
    socket.on('close', () => (seen.isClosed = true));
    await once(socket, 'connect');
    await new Promise((resolve) =>
      socket.write(headOf('content-length: 25000000') + 'x'.repeat(bytes), resolve),
    );
    return seen;
  }

  it('hold no more than the limit, and a genuine delivery is accepted all the while', async () => {
    // The later a body begins, the later it is by this clock, however long the machine takes to read it.
    let now = 0;
    const bodies = new UnverifiedBodies(LIMIT, () => now);
    const web = await startServer({ bodies });
    server = web;
    const strangers: Awaited<ReturnType<typeof stranger>>[] = [];
    const peaks: number[] = [];
    for (let at = 0; at < STRANGERS; at += 1) {
      now += 1;
      strangers.push(await stranger(web.port, 512 * 1024));
      if (at % 10 !== 9) continue;
      now += 1;
      // As large as what is left of the limit: it needs room that strangers hold.
      const answer = await deliver(web, Buffer.alloc(MIB, ' '));
      expect(answer.status).toBe(200);
      peaks.push(bodies.cost);
    }
    expect(Math.max(...peaks)).toBeLessThanOrEqual(LIMIT);
    const ended = () => strangers.filter(({ isClosed }) => isClosed);
    // What a stranger has written may not have been read yet, and an end may not have arrived.
    while (ended().length < STRANGERS - LIMIT / (512 * 1024)) await nextTurn();
    expect(bodies.cost).toBeLessThanOrEqual(LIMIT);
    const answers = ended()
      .map(({ answer }) => answer)
      .filter((answer) => answer !== '');
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
      expect(answer).toMatch(/\r\nretry-after: \d+\r\n/i);
    }
    expect(answers).not.toEqual([]);
  });

  it('lose everything at the deadline of their requests', async () => {
    const bodies = new UnverifiedBodies(LIMIT);
    const web = await startServer({ bodies, timeouts: { arrival: 300 } });
    server = web;
    const { text } = await speak(web.port, [headOf('content-length: 25000000'), 'x'.repeat(MIB)]);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(bodies.cost).toBe(0);
  });

  it('hold nothing once they have left, or their signature was wrong', async () => {
    const bodies = new UnverifiedBodies(LIMIT);
    const web = await startServer({ bodies });
    server = web;
    const answer = await deliver(web, 'x'.repeat(MIB), { 'x-hub-signature-256': sign('y') });
    expect(answer.status).toBe(401);
    expect(bodies.cost).toBe(0);
    await stranger(web.port, MIB);
    for (const socket of sockets) {
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    }
    // The server notices a little later, while it answers other requests.
    while (bodies.cost > 0) await deliver(web, '{}');
  });

  it('are told that their signature is none before they send anything', async () => {
    const web = await startServer();
    server = web;
    const { text } = await speak(web.port, [headOf('content-length: 25000000', 'sha256=5ec7e7')]);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  });
});
