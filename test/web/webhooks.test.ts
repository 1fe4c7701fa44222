import { afterEach, describe, expect, it } from '@jest/globals';
import type { RawDelivery } from '../../src/contracts/delivery.ts';
import { onMeasured } from '../../src/lib/measurements.ts';
import { UnverifiedBodies } from '../../src/web/webhook-route.ts';
import {
  ask,
  deliver,
  DELIVERY,
  headOf,
  sign,
  speak,
  startServer,
  type TestServer,
} from './support.ts';

let server: TestServer | undefined;
const start = async (options: Parameters<typeof startServer>[0] = {}): Promise<TestServer> =>
  (server = await startServer(options));

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const LIMIT = 64 * 1024;

function* chunks(count: number): Generator<string> {
  yield headOf('transfer-encoding: chunked');
  const piece = 'x'.repeat(16 * 1024);
  for (let at = 0; at < count; at += 1) yield `4000\r\n${piece}\r\n`;
}

describe('a sender that is obviously not GitHub', () => {
  it('is rejected before the body is read', async () => {
    let handled = 0;
    const web = await start({
      webhook: async () => {
        handled += 1;
        return { status: 202, message: '' };
      },
    });
    const head = [
      'POST /api/github/webhooks HTTP/1.1',
      'host: localhost',
      'content-type: application/json',
      'content-length: 20000000',
      '',
      '',
    ].join('\r\n');
    const { text } = await speak(web.port, [head]);
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain('x-github-delivery');
    expect(handled).toBe(0);
  });
});

describe('a delivery', () => {
  it('is handed on with its headers and the very bytes of its body', async () => {
    const seen: RawDelivery[] = [];
    const web = await start({
      webhook: async (request) => {
        seen.push(request);
        return { status: 202, message: 'queued' };
      },
    });
    const bytes = Buffer.concat([Buffer.from('{"a":1,\r\n "ü":2}\u0000 \n'), Buffer.from([0xff])]);
    const answer = await deliver(web, bytes);
    expect(answer).toMatchObject({ status: 202, body: '{"message":"queued"}' });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ id: 'guid-1', event: 'issues' });
    expect(seen[0]?.rawBody.equals(bytes)).toBe(true);
  });

  it('without a body is handed on as empty', async () => {
    const web = await start({
      webhook: async ({ rawBody }) => ({ status: 400, message: `${rawBody.length} bytes` }),
    });
    expect(await deliver(web, '')).toMatchObject({ status: 400, body: '{"message":"0 bytes"}' });
  });

  it.each(['x-github-delivery', 'x-github-event', 'x-hub-signature-256'])(
    'without the header %s is rejected with its name',
    async (name) => {
      const web = await start({ webhook: () => Promise.reject(new Error('must not be called')) });
      const answer = await deliver(web, '{}', { [name]: '' });
      expect(answer.status).toBe(400);
      expect(answer.body).toContain(name);
    },
  );

  it('of another content type is rejected with what to set', async () => {
    const web = await start();
    const answer = await deliver(web, 'a=1', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(answer.status).toBe(415);
    expect(answer.body).toContain('application/json');
  });

  it('that the handler fails on is answered without saying what went wrong inside', async () => {
    const web = await start({
      webhook: () => Promise.reject(new Error('password of db: hunter2')),
    });
    const answer = await deliver(web, '{}');
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('hunter2');
    expect(web.log).toHaveLength(1);
    expect(web.log[0]).toContain('hunter2');
  });

  it('counts as failed only if its signature is valid, so that strangers cannot alarm the operator', async () => {
    const outcomes: string[] = [];
    const stop = onMeasured('delivery', ({ outcome }) => outcomes.push(outcome));
    const web = await start({
      webhook: () => Promise.reject(new Error('the database is away')),
      bodies: new UnverifiedBodies(LIMIT),
    });
    const { text } = await speak(web.port, chunks(2000));
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    await deliver(web, '{}');
    await web.close();
    server = undefined;
    stop();
    expect(outcomes).toEqual(['dropped', 'failed']);
  });

  it('leaves one line in the log, without its body and signature', async () => {
    const web = await start();
    await deliver(web, '{"secret":"of a private repository"}');
    expect(web.log).toHaveLength(1);
    expect(JSON.parse(web.log[0] ?? '')).toMatchObject({
      method: 'POST',
      path: '/api/github/webhooks',
      status: 200,
      delivery: 'guid-1',
      event: 'issues',
    });
    expect(web.log[0]).not.toMatch(/private repository|5ec7e7/);
  });

  it('may come through a proxy', async () => {
    const web = await start();
    const answer = await deliver(web, '{}', {
      'x-forwarded-for': '192.0.2.1',
      host: 'agent.example',
    });
    expect(answer.status).toBe(200);
  });
});

describe('a body that is too large', () => {
  it('is rejected before it is read if its length header is too large', async () => {
    const web = await start({ maxBodyBytes: LIMIT });
    const answer = await deliver(web, Buffer.alloc(LIMIT + 1));
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toEqual({ message: 'The body is too large.' });
  });

  it('of exactly the limit is taken', async () => {
    const web = await start({ maxBodyBytes: LIMIT });
    expect((await deliver(web, Buffer.alloc(LIMIT))).status).toBe(200);
  });

  it('is also rejected when it comes in chunks, and the connection is closed', async () => {
    const web = await start({ maxBodyBytes: LIMIT });
    const { text } = await speak(web.port, chunks(2000));
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('{"message":"The body is too large."}');
    expect(text.toLowerCase()).toContain('connection: close');
  });

  it('may come in a few small pieces', async () => {
    const bodies: string[] = [];
    const web = await start({
      webhook: async ({ rawBody }) => {
        bodies.push(rawBody.toString());
        return { status: 200, message: 'ok' };
      },
    });
    const body = `{"a":"${'x'.repeat(200)}"}`;
    const pieces = body.replaceAll(/./g, '1\r\n$&\r\n');
    const head = headOf('connection: close\r\ntransfer-encoding: chunked', sign(body));
    await speak(web.port, [`${head}${pieces}0\r\n\r\n`]);
    expect(bodies).toEqual([body]);
  });

  it('is rejected in words when it comes in a great many small pieces', async () => {
    const web = await start();
    const pieces = '1;extension\r\nx\r\n'.repeat(5000);
    const { text } = await speak(web.port, [headOf('transfer-encoding: chunked') + pieces]);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('too many small pieces');
  });

  it('is cut at the length that its header claimed', async () => {
    const lengths: number[] = [];
    const web = await start({
      maxBodyBytes: LIMIT,
      webhook: async ({ rawBody }) => {
        lengths.push(rawBody.length);
        return { status: 200, message: 'ok' };
      },
    });
    const { text } = await speak(web.port, [
      headOf('content-length: 2', sign('{}')),
      '{}',
      'x'.repeat(200_000),
    ]);
    expect(lengths).toEqual([2]);
    // What follows is not a request: its 400 may come before the response to the first one.
    expect(text).toMatch(/^HTTP\/1\.1 (200|400) /);
  });

  it('does not keep the server from answering the next one', async () => {
    const web = await start({ maxBodyBytes: LIMIT });
    await speak(web.port, chunks(2000));
    expect((await deliver(web, '{}')).status).toBe(200);
  });
});

describe('an invalid request', () => {
  it.each([
    ['GET', '/api/github/webhooks', 405, 'POST'],
    ['PUT', '/api/github/webhooks', 405, 'POST'],
    ['POST', '/healthz', 405, 'GET, HEAD'],
    ['GET', '/nowhere', 404, undefined],
    ['GET', '/', 404, undefined],
    ['GET', '/sessions', 404, undefined],
    ['GET', '/sessions/abc', 404, undefined],
    ['GET', '/sessions/abc/prompt', 404, undefined],
    ['POST', '/api/github/webhooks/more', 404, undefined],
  ])('%s %s is answered with %d', async (method, path, status, allow) => {
    const web = await start();
    const answer = await ask(web.url + path, { method, headers: DELIVERY, body: '{}' });
    expect(answer.status).toBe(status);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.headers['x-powered-by']).toBeUndefined();
    expect(web.log).toHaveLength(1);
  });

  it('that strangers make without harm is no warning', async () => {
    const web = await start({ timeouts: { arrival: 300 } });
    await ask(`${web.url}/favicon.ico`);
    const headers = { ...DELIVERY, 'x-hub-signature-256': 'none' };
    await ask(`${web.url}/api/github/webhooks`, { method: 'POST', headers, body: '{}' });
    // As browsers do it ahead of time: it asks for nothing.
    expect((await speak(web.port, [])).text).toMatch(/^HTTP\/1\.1 408 /);
    const levels = web.log.map((line) => JSON.parse(line) as { level: number; status: number });
    const WARN = 40;
    expect(levels.filter(({ level }) => level >= WARN)).toEqual([]);
    expect(levels.map(({ status }) => status)).toEqual([404, 401, 408]);
    await speak(web.port, ['POST /api/github/webhooks HTTP/1.1\r\nhost: x\r\n']);
    expect(JSON.parse(web.log.at(-1) ?? '')).toMatchObject({ level: WARN, status: 408 });
  });

  it('with an address that cannot be decoded is a 400', async () => {
    const web = await start();
    expect((await ask(`${web.url}/healthz/%zz`)).status).toBe(400);
  });

  it('that never finishes its headers is ended', async () => {
    const web = await start({ timeouts: { arrival: 300 } });
    const { text } = await speak(web.port, ['POST /api/github/webhooks HTTP/1.1\r\nhost: x\r\n']);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('that never finishes its body is ended', async () => {
    const web = await start({ timeouts: { arrival: 300 } });
    const { text } = await speak(web.port, [headOf('content-length: 100'), '{"a":']);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('with headers beyond all measure is a 431', async () => {
    const web = await start();
    const { text } = await speak(web.port, [headOf(`x-long: ${'x'.repeat(40_000)}`)]);
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('that is not HTTP is a 400', async () => {
    const web = await start();
    const { text } = await speak(web.port, ['\u0016\u0003\u0001 hello\r\n\r\n']);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });
});
