import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import type { WebhookEvent } from '../../src/github/app.ts';
import { WebhookRefused } from '../../src/github/app.ts';
import { github, logged, sign } from './support.ts';

const labeled = JSON.stringify({
  action: 'labeled',
  installation: { id: 9 },
  repository: { id: 77, name: 'words', owner: { login: 'example' } },
  issue: { number: 1 },
});
const received: WebhookEvent[] = [];
let requests = 0;
const count = (): void => {
  requests += 1;
};
let trouble: Error | undefined;
const app = github({
  handlers: [
    {
      name: 'issues.labeled',
      handle: async (event) => {
        received.push(event);
        if (trouble !== undefined) throw trouble;
      },
    },
  ],
});
const deliver = (rawBody: string, change: { name?: string; signature?: string } = {}) =>
  app.receiveWebhook({
    id: 'guid-1',
    name: 'issues',
    signature: sign(rawBody),
    rawBody,
    ...change,
  });
const refusal = (delivery: Promise<unknown>): Promise<unknown> =>
  delivery.then(
    () => undefined,
    (error: unknown) => error,
  );

beforeAll(async () => {
  // Not even loopback: receiving a webhook makes no request at all.
  nock.disableNetConnect();
  nock.emitter.on('no match', count);
  await app.start();
});
afterAll(() => {
  nock.emitter.off('no match', count);
  nock.enableNetConnect(/^127\.0\.0\.1/);
  expect(requests).toBe(0);
});
afterEach(() => {
  received.length = 0;
  logged.length = 0;
  trouble = undefined;
});

describe('a webhook delivery', () => {
  it('reaches its handler with its id, name and payload', async () => {
    await expect(deliver(labeled)).resolves.toBe('handled');
    expect(received).toEqual([
      { deliveryId: 'guid-1', name: 'issues.labeled', payload: JSON.parse(labeled) },
    ]);
  });

  it.each([
    ['another action', labeled.replace('labeled', 'pinned'), 'issues'],
    ['an unknown event', '{"installation":{"id":9}}', 'never_heard_of'],
    ['a ping', '{"zen":"Design for failure.","hook_id":1}', 'ping'],
    ['a removed installation', '{"action":"deleted","installation":{"id":9}}', 'installation'],
  ])('of %s is handled by doing nothing', async (_what, body, name) => {
    await expect(deliver(body, { name })).resolves.toBe('handled');
    expect(received).toEqual([]);
  });

  it.each([
    ['another secret', sign(labeled, 'another secret')],
    ['another body', sign(`${labeled} `)],
    ['no signature', ''],
    ['an older algorithm', 'sha1=0123456789012345678901234567890123456789'],
    ['nonsense', 'sha256=zzz'],
  ])('signed with %s is refused with 401 and one line in the log', async (_what, signature) => {
    const error = await refusal(deliver(labeled, { signature }));
    expect(error).toBeInstanceOf(WebhookRefused);
    expect(error).toMatchObject({ status: 401 });
    expect(received).toEqual([]);
    expect(logged).toHaveLength(1);
    expect(logged[0]).not.toContain('labeled');
  });

  it.each([
    ['not JSON', '{"action":'],
    ['null', 'null'],
    ['a text', '"labeled"'],
  ])('whose body is %s is refused with 400', async (_what, body) => {
    await expect(refusal(deliver(body))).resolves.toMatchObject({ status: 400 });
  });

  it('without an event name is refused with 400', async () => {
    await expect(refusal(deliver(labeled, { name: '' }))).resolves.toMatchObject({ status: 400 });
  });

  it('whose handler fails is refused with 500, the reason in the log alone', async () => {
    trouble = Object.assign(new Error('no route to 10.0.0.7'), { status: 400 });
    const error = await refusal(deliver(labeled));
    expect(error).toMatchObject({ status: 500 });
    expect(String(error)).not.toContain('10.0.0.7');
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('10.0.0.7');
    expect(logged[0]).not.toContain('"issue"');
  });
});

describe('the App', () => {
  it('refuses to start with a key that is none', async () => {
    await expect(github({ privateKey: 'nonsense' }).start()).rejects.toThrow(/private key/);
  });
});
