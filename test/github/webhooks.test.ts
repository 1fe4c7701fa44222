import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import type { VerifiedDelivery } from '../../src/contracts/delivery.ts';
import type { WebhookHandler } from '../../src/github/app.ts';
import { github, logged, sign } from './support.ts';

const labeled = JSON.stringify({
  action: 'labeled',
  installation: { id: 9 },
  repository: { id: 77, name: 'words', owner: { login: 'example' } },
  issue: { number: 1 },
});
const received: VerifiedDelivery[] = [];
let requests = 0;
const count = (): void => {
  requests += 1;
};
let trouble: Error | undefined;
const handler: WebhookHandler = {
  name: 'issues.labeled',
  handle: async (delivery) => {
    received.push(delivery);
    if (trouble !== undefined) throw trouble;
    return 'Accepted for session 5.';
  },
};
const app = github();
const deliver = (body: string, event = 'issues') =>
  app.receive({ id: 'guid-1', event, rawBody: Buffer.from(body) });

beforeAll(async () => {
  // Not even loopback: receiving a webhook makes no request at all.
  nock.disableNetConnect();
  nock.emitter.on('no match', count);
  await app.start([handler]);
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
    await expect(deliver(labeled)).resolves.toEqual({
      status: 202,
      message: 'Accepted for session 5.',
    });
    expect(received).toEqual([
      { id: 'guid-1', event: 'issues.labeled', payload: JSON.parse(labeled) },
    ]);
  });

  it.each([
    ['another action', labeled.replace('labeled', 'pinned'), 'issues'],
    ['an unknown event', '{"installation":{"id":9}}', 'never_heard_of'],
    ['a ping', '{"zen":"Design for failure.","hook_id":1}', 'ping'],
    ['a removed installation', '{"action":"deleted","installation":{"id":9}}', 'installation'],
  ])('of %s is handled by doing nothing', async (_what, body, name) => {
    const ignored = {
      status: 202,
      message: expect.stringMatching(/^Ignored: .*does not use the event/),
    };
    await expect(deliver(body, name)).resolves.toEqual(ignored);
    expect(received).toEqual([]);
  });

  it.each([
    ['not JSON', '{"action":'],
    ['null', 'null'],
    ['a text', '"labeled"'],
    ['a list', '[]'],
  ])('whose body is %s is rejected with 400', async (_what, body) => {
    await expect(deliver(body)).resolves.toMatchObject({ status: 400 });
  });

  it.each([
    ['in Latin-1', Buffer.from(labeled.replace('words', 'wörds'), 'latin1')],
    ['in UTF-16', Buffer.from(labeled, 'utf16le')],
    ['with a byte that is no character', Buffer.concat([Buffer.from(labeled), Buffer.of(0xff)])],
    ['with a byte order mark', Buffer.from(`\uFEFF${labeled}`)],
  ])('%s is rejected with 400', async (_what, rawBody) => {
    await expect(app.receive({ id: 'guid-1', event: 'issues', rawBody })).resolves.toEqual({
      status: 400,
      message: 'Invalid delivery. The body is not JSON in UTF-8.',
    });
    expect(received).toEqual([]);
  });

  it('whose action has invisible characters is answered with all of it visible', async () => {
    const { message } = await deliver(labeled.replace('labeled', String.raw`a\u202eb\u0007`));
    expect(message).toContain(String.raw`issues.a\u202eb\u0007`);
  });

  it('without an event name is rejected with 400', async () => {
    await expect(deliver(labeled, '')).resolves.toMatchObject({ status: 400 });
  });

  it('whose handler fails is answered with 500, and only the log has the reason', async () => {
    trouble = Object.assign(new Error('no route to 10.0.0.7'), { status: 400 });
    const answer = await deliver(labeled);
    expect(answer).toMatchObject({ status: 500 });
    expect(answer.message).not.toContain('10.0.0.7');
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('10.0.0.7');
    expect(logged[0]).not.toContain('"issue"');
  });
});

describe('a signature', () => {
  const isValid = (signature: string): boolean => {
    const check = app.checkSignature(signature);
    // In pieces, as a body arrives.
    for (const piece of labeled.match(/[^]{1,7}/g) ?? []) check.update(Buffer.from(piece));
    return check.isValid();
  };

  it('is valid for the bytes of the body and the webhook secret', () => {
    expect(isValid(sign(labeled))).toBe(true);
  });

  it.each([
    ['another secret', sign(labeled, 'another secret')],
    ['another body', sign(`${labeled} `)],
    ['no signature', ''],
    ['an older algorithm', 'sha1=0123456789012345678901234567890123456789'],
    ['nonsense', 'sha256=zzz'],
    ['upper case', sign(labeled).toUpperCase()],
  ])('made with %s is not valid', (_what, signature) => {
    expect(isValid(signature)).toBe(false);
  });
});

describe('the App', () => {
  it('does not start with an invalid key', async () => {
    await expect(github({ privateKey: 'nonsense' }).start([])).rejects.toThrow(/private key/);
  });
});
