import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startLocalGitHub, type LocalGitHub } from '../src/github/local-github.ts';
import { PRIVATE_KEY } from '../../../test/support/private-key.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const CALLBACK = 'http://127.0.0.1:2/sign-in/callback';
const CLIENT = { client_id: 'Iv23local1', client_secret: 'a-client-secret' };
const VERIFIER = 'a-verifier-of-forty-three-letters-or-more-is-long';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const ASKED = {
  client_id: CLIENT.client_id,
  redirect_uri: CALLBACK,
  state: 'state-1',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
};

let github: LocalGitHub;
beforeAll(async () => {
  github = await startLocalGitHub({
    directory: temporaryDirectory(),
    app: {
      id: 1,
      slug: 'bot',
      name: 'Bot',
      privateKeyPem: PRIVATE_KEY,
      webhookSecret: 'secret',
      clientSecret: CLIENT.client_secret,
      callbackUrls: [CALLBACK],
    },
    users: [{ login: 'ada' }, { login: 'eve' }],
  });
  const at = { owner: 'example', files: { 'a.md': 'a' } };
  await github.createRepository({ ...at, name: 'one', collaborators: { ada: 'write' } });
  await github.createRepository({ ...at, name: 'two', collaborators: { ada: 'read' } });
  await github.createRepository({ ...at, name: 'three', collaborators: {} });
  const elsewhere = { installationId: null, collaborators: { ada: 'admin' as const } };
  await github.createRepository({ ...at, name: 'four', ...elsewhere });
});
afterAll(() => github.close());

const ask = (query: Record<string, string>) =>
  fetch(`${github.url}/login/oauth/authorize?${new URLSearchParams(query).toString()}`, {
    headers: { accept: 'text/html' },
  });

const decide = (form: Record<string, string>, headers = {}) =>
  fetch(`${github.url}/login/oauth/authorize`, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
    headers,
  });

/** Where the browser is led to when the person agrees. */
async function authorize(as = 'ada', query: Record<string, string> = ASKED): Promise<URL> {
  const asked = new URLSearchParams(query).toString();
  const { headers } = await decide({ query: asked, as, decision: 'yes' });
  return new URL(headers.get('location') ?? '');
}

async function exchange(form: Record<string, string>): Promise<Record<string, string | number>> {
  const answer = await fetch(`${github.url}/login/oauth/access_token`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ ...CLIENT, ...form }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, string | number>;
}

const codeOf = (back: URL): string => back.searchParams.get('code') ?? '';
const redeemed = async (as: string) =>
  exchange({ code: codeOf(await authorize(as)), code_verifier: VERIFIER });

async function read(path: string, token: string | number | undefined) {
  const headers = { authorization: `token ${token}` };
  const answer = await fetch(`${github.url}/api/v3${path}`, { headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, never> };
}

describe('the sign-in of people', () => {
  it('asks the person, and leads back with a code that is worth a token once', async () => {
    const shown = await (await ask(ASKED)).text();
    expect(shown).toContain('Authorize Bot');
    expect(shown).toContain(CALLBACK);
    const back = await authorize();
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([
      CALLBACK,
      'state-1',
    ]);
    const form = { code: codeOf(back), code_verifier: VERIFIER, redirect_uri: CALLBACK };
    expect(await exchange(form)).toEqual({
      access_token: expect.stringMatching(/^ghu_/),
      expires_in: 28_800,
      refresh_token: expect.stringMatching(/^ghr_/),
      refresh_token_expires_in: 15_897_600,
      scope: '',
      token_type: 'bearer',
    });
    expect(await exchange(form)).toMatchObject({ error: 'bad_verification_code' });
  });

  it('leads back with an error if the person does not agree', async () => {
    const query = new URLSearchParams(ASKED).toString();
    const { headers } = await decide({ query, as: 'ada', decision: 'no' });
    expect(headers.get('location')).toMatch(/\/callback\?error=access_denied&.*&state=state-1$/);
  });

  it.each([
    ['another client', { client_id: 'Iv23local2' }, 404],
    ['another address', { redirect_uri: 'http://127.0.0.1:2/other' }, 400],
    ['an address that begins alike', { redirect_uri: `${CALLBACK}/more` }, 400],
    ['a challenge in the clear', { code_challenge_method: 'plain' }, 400],
    ['a challenge of another length', { code_challenge: 'abc' }, 400],
  ])('leads nowhere for %s', async (_what, changes, status) => {
    const query = { ...ASKED, ...changes };
    expect((await ask(query)).status).toBe(status);
    const asked = new URLSearchParams(query).toString();
    const decided = await decide({ query: asked, as: 'ada', decision: 'yes' });
    expect([decided.status, decided.headers.get('location')]).toEqual([status, null]);
  });

  it('takes no decision that another site made', async () => {
    const form = { query: new URLSearchParams(ASKED).toString(), as: 'ada', decision: 'yes' };
    expect((await decide(form, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it.each([
    ['another verifier', { code_verifier: `${VERIFIER}x` }, 'bad_verification_code'],
    ['no verifier', {}, 'bad_verification_code'],
    ['another secret', { client_secret: 'x' }, 'incorrect_client_credentials'],
    [
      'another address',
      { code_verifier: VERIFIER, redirect_uri: 'http://127.0.0.1:2/' },
      'redirect_uri_mismatch',
    ],
  ])('gives no token for %s', async (_what, form, error) => {
    const code = codeOf(await authorize());
    expect(await exchange({ code, ...form })).toMatchObject({ error });
  });

  it('gives a new token for a refresh token, and ends the old one', async () => {
    const { access_token: old, refresh_token: refresh } = await redeemed('ada');
    const form = { grant_type: 'refresh_token', refresh_token: String(refresh) };
    const { access_token: token } = await exchange(form);
    expect([(await read('/user', old)).status, (await read('/user', token)).status]).toEqual([
      401, 200,
    ]);
    expect(await exchange(form)).toMatchObject({ error: 'bad_refresh_token' });
  });
});

describe('the token of a person', () => {
  it('says who that is, and what the person was given access to where the App is installed', async () => {
    const { access_token: token } = await redeemed('ada');
    expect((await read('/user', token)).body).toMatchObject({ login: 'ada' });
    const { body } = await read('/user/installations', token);
    expect(body).toMatchObject({ total_count: 1, installations: [{ id: 1 }] });
    const found = await read('/user/installations/1/repositories', token);
    expect(found.body).toMatchObject({
      total_count: 2,
      repositories: [
        { name: 'one', permissions: { pull: true, push: true, admin: false } },
        { name: 'two', permissions: { pull: true, push: false } },
      ],
    });
    const one = await read('/repos/example/one', token);
    expect(one.body).toMatchObject({ permissions: { push: true, maintain: false } });
    const level = await read('/repos/example/two/collaborators/ada/permission', token);
    expect(level.body).toMatchObject({ permission: 'read', role_name: 'read' });
  });

  it('shows nothing to someone without access', async () => {
    const { access_token: token } = await redeemed('eve');
    expect((await read('/user/installations', token)).body).toMatchObject({ total_count: 0 });
    expect((await read('/user/installations/1/repositories', token)).status).toBe(404);
  });

  it('writes in the name of the person, through the App, and only what the App may', async () => {
    const { access_token: token } = await redeemed('ada');
    github.as('ada').openIssue(github.repository('example', 'one'), { title: 'One' });
    const write = async () => {
      const answer = await fetch(`${github.url}/api/v3/repos/example/one/issues/1/comments`, {
        method: 'POST',
        headers: { authorization: `token ${token}` },
        body: JSON.stringify({ body: 'Words' }),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    expect(await write()).toMatchObject({
      status: 201,
      body: { user: { login: 'ada', type: 'User' }, performed_via_github_app: { slug: 'bot' } },
    });
    github.installations.grant(1, { metadata: 'read', issues: 'read' });
    expect((await write()).status).toBe(403);
    github.installations.acceptPermissions(1);
  });

  it('ends when the person revokes it', async () => {
    const { access_token: token } = await redeemed('ada');
    const { access_token: other } = await redeemed('eve');
    github.revokeSignIns('ada');
    expect([(await read('/user', token)).status, (await read('/user', other)).status]).toEqual([
      401, 200,
    ]);
  });

  it('ends when the App revokes it', async () => {
    const { access_token: token } = await redeemed('ada');
    const revoke = (secret: string) =>
      fetch(`${github.url}/api/v3/applications/${CLIENT.client_id}/token`, {
        method: 'DELETE',
        headers: { authorization: `basic ${btoa(`${CLIENT.client_id}:${secret}`)}` },
        body: JSON.stringify({ access_token: token }),
      });
    expect((await revoke('wrong')).status).toBe(401);
    expect([
      (await revoke(CLIENT.client_secret)).status,
      (await read('/user', token)).status,
    ]).toEqual([204, 401]);
  });
});
