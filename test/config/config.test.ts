import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { faultsOf, GOOD } from './good.ts';

describe('the settings of the operator', () => {
  it('are read, with defaults for all that need not be set', () => {
    expect(readConfig(GOOD)).toMatchObject({
      github: { appId: 12, allowedOwners: ['example-org', 'someone'], enterprise: undefined },
      http: { host: '127.0.0.1', port: 3000 },
      pages: { host: '127.0.0.1', port: 3001, token: undefined, publicUrl: undefined },
      store: { databaseUrl: undefined, dataDir: 'data' },
      logLevel: 'info',
    });
  });

  it('say everything that is missing at once', () => {
    expect([...faultsOf({}).keys()].sort()).toEqual([
      'ALLOWED_OWNERS',
      'APP_ID',
      'MODEL',
      'PRIVATE_KEY',
      'WEBHOOK_SECRET',
    ]);
    const wrong = { MODEL: 'openai:a,gh:b', PORT: 'x', BUDGET_RUN: 'x' };
    const faults = faultsOf(wrong);
    for (const name of ['OPENAI_API_KEY', 'GITHUB_MODELS_TOKEN', 'PORT', 'BUDGET_RUN', 'APP_ID'])
      expect(faults.has(name)).toBe(true);
  });

  it.each(['', '   ', 'development', 'short', undefined])(
    'never accept %p as the webhook secret',
    (secret) => {
      expect(faultsOf({ ...GOOD, WEBHOOK_SECRET: secret }).has('WEBHOOK_SECRET')).toBe(true);
    },
  );

  it.each([
    ['APP_ID', 'my-app'],
    ['PRIVATE_KEY', 'not a key'],
    ['ALLOWED_OWNERS', 'a,,b'],
    ['PORT', '80000'],
    ['PORT', 'http'],
    ['PAGES_PORT', '80000'],
    ['PAGES_PORT', '3000'],
    ['PAGES_TOKEN', 'too-short'],
    ['PAGES_TOKEN', `${'x'.repeat(40)}; Path=/`],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['GHE_PROTOCOL', 'gopher'],
    ['LOG_LEVEL', 'loud'],
  ])('are rejected by name: %s=%p', (name, value) => {
    expect([...faultsOf({ ...GOOD, [name]: value }).keys()]).toEqual([name]);
  });

  it.each([
    ['BUDGET_RUNS', 'BUDGET_RUN'],
    ['budget_run', 'BUDGET_RUN'],
    ['PAGE_PORT', 'PAGES_PORT'],
    ['OPENAI_BASEURL', 'OPENAI_BASE_URL'],
    ['AGENT_MAX_MESAGES', 'AGENT_MAX_MESSAGES'],
  ])('are found if they are misspelled: %s', (name, meant) => {
    expect(readConfig({ ...GOOD, [name]: '1' }).misspelled).toEqual([{ name, meant }]);
    expect(readConfig({ ...GOOD, [name]: '' }).misspelled).toEqual([]);
  });

  it('are not mistaken for what other programs are told', () => {
    const foreign =
      'HOME HOSTNAME PATH PWD TMPDIR LOGNAME NODE_ENV NODE_OPTIONS SHELL TERM USER PGPORT';
    const others = Object.fromEntries(foreign.split(' ').map((name) => [name, 'x']));
    expect(readConfig({ ...GOOD, ...others }).misspelled).toEqual([]);
  });

  it('are named by their wrong name too if they are missing', () => {
    const { WEBHOOK_SECRET: secret, ...rest } = GOOD;
    const faults = faultsOf({ ...rest, WEBHOK_SECRET: secret });
    expect(faults.get('WEBHOOK_SECRET')).toMatch(
      /`WEBHOK_SECRET` is set: rename it to `WEBHOOK_SECRET`$/,
    );
  });

  it('name the file of a private key that is not there', () => {
    const environment = { ...GOOD, PRIVATE_KEY: '', PRIVATE_KEY_PATH: '/nowhere/key.pem' };
    expect([...faultsOf(environment).keys()]).toEqual(['PRIVATE_KEY_PATH']);
  });

  it('take a private key whose newlines were escaped on the way', () => {
    const escaped = { ...GOOD, PRIVATE_KEY: GOOD.PRIVATE_KEY.replaceAll('\n', '\\n') };
    expect(readConfig(escaped).github.privateKey).toBe(GOOD.PRIVATE_KEY);
  });
});
