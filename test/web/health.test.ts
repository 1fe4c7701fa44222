import { Agent, request } from 'node:http';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ask, deliver, halfAsked, startServer, type TestServer } from './support.ts';

const lacking = (details: string) => ({
  lack: 'the database does not answer',
  check: () => Promise.reject(new Error(details)),
});
const present = { lack: 'the database does not answer', check: () => Promise.resolve() };

let server: TestServer | undefined;
const start = async (options: Parameters<typeof startServer>[0] = {}): Promise<TestServer> =>
  (server = await startServer(options));

afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('health', () => {
  it('is reported while the process lives, ready or not', async () => {
    const web = await start({ needs: [lacking('no database')] });
    expect(await ask(`${web.url}/healthz`)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });
});

describe('a port that someone else has', () => {
  const taken = async (): Promise<Server> => {
    const holder = createServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    return holder;
  };
  const portOf = (holder: Server): number => (holder.address() as AddressInfo).port;

  it('is waited for, since the last process may have left it to a child', async () => {
    const holder = await taken();
    const port = portOf(holder);
    const failed = new Promise<void>((resolve) => {
      subscribe('tracing:net.server.listen:error', () => resolve());
    });
    const listening = start({ port });
    await failed;
    holder.close();
    const web = await listening;
    expect(web.port).toBe(port);
  });

  it('is given up after a while', async () => {
    const holder = await taken();
    await expect(start({ port: portOf(holder) })).rejects.toThrow('EADDRINUSE');
    holder.close();
  });
});

describe('readiness', () => {
  it('is there when all that is needed answers', async () => {
    const web = await start({ needs: [present] });
    expect((await ask(`${web.url}/readyz`)).status).toBe(200);
  });

  it('is there while the operator has paused the service, which it says', async () => {
    const since = new Date('2030-01-15T14:00:00Z');
    const web = await start({ paused: () => Promise.resolve({ reason: 'we move house', since }) });
    const { status, body } = await ask(`${web.url}/readyz`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      status: 'ready',
      paused: { reason: 'we move house', since: since.toISOString() },
    });
  });

  it('is shown even if it is unknown whether the service is paused', async () => {
    const web = await start({ paused: () => Promise.reject(new Error('no database')) });
    expect(await ask(`${web.url}/readyz`)).toMatchObject({
      status: 200,
      body: '{"status":"ready"}',
    });
  });

  it('is missing with a reason, of which the details are in the log only', async () => {
    const web = await start({ needs: [present, lacking('10.0.0.7 unreachable')] });
    const answer = await ask(`${web.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body)).toEqual({
      status: 'not ready',
      reason: 'the database does not answer',
    });
    expect(web.log.join('')).toContain('10.0.0.7');
  });

  it('is missing when the check does not come to an end', async () => {
    const never = { lack: 'the queue does not answer', check: () => new Promise<void>(() => {}) };
    const web = await start({ needs: [lacking('gone'), never], timeouts: { ready: 50 } });
    const { status, body } = await ask(`${web.url}/readyz`);
    expect([status, JSON.parse(body).reason]).toEqual([
      503,
      'the database does not answer, the queue does not answer',
    ]);
  });
});

/** A webhook handler that waits until it is let go, and says when it was reached. */
function held() {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    release: released.resolve,
    webhook: async () => {
      reached.resolve();
      await released.promise;
      return { status: 200, message: 'handled' };
    },
  };
}

describe('draining', () => {
  it('lets requests under way finish, takes no new connection, and then is done', async () => {
    const { webhook, reached, release } = held();
    const web = await start({ webhook });
    const delivery = deliver(web, '{}');
    await reached;

    let isDrained = false;
    const drained = web.drain().then(() => (isDrained = true));
    await expect(ask(`${web.url}/healthz`)).rejects.toThrow('ECONNREFUSED');
    expect(isDrained).toBe(false);

    release();
    expect((await delivery).status).toBe(200);
    await drained;
  });

  it('is not ready for those who are still connected', async () => {
    const { webhook, reached, release } = held();
    const web = await start({ webhook });
    const delivery = deliver(web, '{}');
    await reached;
    // A request that began before the drain and is complete only after it.
    const connected = await halfAsked(web.port, 'GET /readyz HTTP/1.1\r\nhost: localhost\r\n');
    const drained = web.drain();
    const answer = await connected.finish('\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('the service is stopping');
    release();
    await delivery;
    await drained;
  });

  it('does not wait for connections that are merely open', async () => {
    // It would never give up on a connection that it waits for.
    const web = await start({ timeouts: { drain: 2 ** 31 - 1 } });
    const agent = new Agent({ keepAlive: true });
    const asked = request(`${web.url}/healthz`, { agent });
    asked.end();
    const [response] = await once(asked, 'response');
    response.resume();
    await once(response, 'end');

    await web.drain();
    await web.close();
    agent.destroy();
  });

  it('gives up on a request that does not end', async () => {
    const { webhook, reached } = held();
    const web = await start({ webhook, timeouts: { drain: 100 } });
    const delivery = deliver(web, '{}');
    const failure = delivery.then(
      () => 'answered',
      (error: NodeJS.ErrnoException) => error.code,
    );
    await reached;
    await web.drain();
    await web.close();
    expect(await failure).toBe('ECONNRESET');
  });
});
