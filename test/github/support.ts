// The App under test, and github.com as nock plays it.
import { createHmac } from 'node:crypto';
import { afterAll } from '@jest/globals';
import nock from 'nock';
import { pino } from 'pino';
import type { GitHub, GitHubOptions } from '../../src/github/index.ts';
import { createGitHub } from '../../src/github/index.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';

// Each test file has a nock of its own: one left active would answer in the next file too.
afterAll(() => nock.restore());

export const SECRET = 'the webhook secret of the tests';
export const APP_ID = 4242;
export const REPOSITORY = { id: 77, owner: 'example', name: 'words' };
export const INSTALLATION = 9;
export const TOKEN = `ghs_4242_${'a1'.repeat(250)}`;

const redactor = createRedactor([SECRET, PRIVATE_KEY]);

/** What was logged, one JSON line each. */
export const logged: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => logged.push(line) });

export function github(options: Partial<GitHubOptions> = {}): GitHub {
  return createGitHub({
    appId: APP_ID,
    privateKey: PRIVATE_KEY,
    webhookSecrets: [SECRET],
    log,
    redactor,
    backoffMs: 1,
    ...options,
  });
}

export const repository = (options?: Partial<GitHubOptions>) =>
  github(options).repository(INSTALLATION, REPOSITORY);

export const sign = (body: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export const api = () => nock('https://api.github.com');
export const REPO = '/repos/example/words';

const inOneHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** Lets tokens be minted, any number of times. Returns the bodies of those requests. */
export function mintsTokens(): Record<string, unknown>[] {
  const asked: Record<string, unknown>[] = [];
  api()
    .post(`/app/installations/${INSTALLATION}/access_tokens`)
    .reply(201, async (request: Request) => {
      asked.push((await request.json()) as Record<string, unknown>);
      return { token: `${TOKEN}${asked.length}`, expires_at: inOneHour() };
    })
    .persist();
  return asked;
}

export function knowsItself(): void {
  api().get('/app').reply(200, { id: APP_ID, slug: 'issuewright', name: 'Issuewright' }).persist();
  api().get('/users/issuewright%5Bbot%5D').reply(200, { id: 808, type: 'Bot' }).persist();
}

/** A comment as GitHub lists it, by the App unless told otherwise. */
export const comment = (id: number, body: string, by: object = {}) => ({
  id,
  body,
  html_url: `https://github.com/example/words/issues/1#issuecomment-${id}`,
  user: { login: 'issuewright[bot]', type: 'Bot' },
  performed_via_github_app: { id: APP_ID },
  ...by,
});
