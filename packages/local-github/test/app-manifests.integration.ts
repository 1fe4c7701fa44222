import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RegisteredApp } from '../src/github/registrations.ts';
import { startLocalGitHub, type LocalGitHub } from '../src/github/local-github.ts';
import { PRIVATE_KEY } from '../../../test/support/private-key.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const MANIFEST = {
  name: 'My Bot!',
  url: 'https://example.com',
  hook_attributes: { url: 'http://127.0.0.1:1/hook' },
  redirect_url: 'http://127.0.0.1:2/created',
  public: false,
  default_permissions: { issues: 'write', metadata: 'read' },
  default_events: ['issues'],
};

let github: LocalGitHub;
const made: RegisteredApp[] = [];
beforeAll(async () => {
  github = await startLocalGitHub({
    directory: temporaryDirectory(),
    app: { id: 1, slug: 'old', name: 'Old', privateKeyPem: PRIVATE_KEY, webhookSecret: 'old' },
    users: [{ login: 'octo-maintainer' }],
    onNewApp: (app) => made.push(app),
  });
});
afterAll(() => github.close());

const post = (path: string, form: Record<string, string>) =>
  fetch(`${github.url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
    headers: { accept: 'text/html' },
  });

const convert = (code: string) =>
  fetch(`${github.url}/api/v3/app-manifests/${code}/conversions`, { method: 'POST' });

it('a manifest becomes an App, whose secrets are handed over once', async () => {
  const manifest = JSON.stringify(MANIFEST);
  const shown = await (await post('/settings/apps/new?state=s1', { manifest })).text();
  expect(shown).toMatch(
    /value="My Bot!".*aria-label="GitHub App name"|aria-label="GitHub App name"/s,
  );

  const confirmed = { manifest, name: 'My Bot 2', state: 's1', owner: 'octo-maintainer' };
  const answer = await post('/settings/apps/manifest', confirmed);
  const back = new URL(answer.headers.get('location') ?? '');
  expect([answer.status, back.origin + back.pathname, back.searchParams.get('state')]).toEqual([
    302,
    'http://127.0.0.1:2/created',
    's1',
  ]);

  const code = back.searchParams.get('code') ?? '';
  const given = await convert(code);
  const body = (await given.json()) as Readonly<Record<string, string>>;
  expect([given.status, body]).toEqual([
    201,
    expect.objectContaining({
      slug: 'my-bot-2',
      webhook_secret: github.appOwner.app.webhookSecret,
      permissions: MANIFEST.default_permissions,
      events: ['issues'],
      owner: expect.objectContaining({ login: 'octo-maintainer' }),
    }),
  ]);
  expect(createPrivateKey(body['pem'] ?? '').asymmetricKeyType).toBe('rsa');
  expect(made).toEqual([expect.objectContaining({ slug: 'my-bot-2', privateKeyPem: body['pem'] })]);
  expect((await convert(code)).status).toBe(404);
  await github.webhooksSent();
  expect(github.deliveries.map(({ event }) => event)).toEqual(['ping']);
});

it.each([
  ['no JSON', 'no', /it is not JSON/],
  ['no name', JSON.stringify({ ...MANIFEST, name: '' }), /Invalid manifest/],
  [
    'events without their permission',
    JSON.stringify({ ...MANIFEST, default_events: ['check_run'] }),
    /Default events are not supported by permissions: check_run/,
  ],
])('a manifest with %s is rejected', async (_what, manifest, why) => {
  const answer = await post('/organizations/example/settings/apps/new', { manifest });
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringMatching(why)]);
});

it('a form of another site creates no App', async () => {
  const answer = await fetch(`${github.url}/settings/apps/manifest`, {
    method: 'POST',
    body: new URLSearchParams({
      manifest: JSON.stringify(MANIFEST),
      name: 'x',
      state: '',
      owner: 'x',
    }),
    headers: { origin: 'https://evil.example.com' },
  });
  expect(answer.status).toBe(403);
});
