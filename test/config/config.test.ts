import { describe, expect, it } from '@jest/globals';
import { readConfig, secretsOf } from '../../src/config.ts';
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
    ['NOTIFY_URL', 'hooks.example.com/T0/B0'],
    ['NOTIFY_URL', 'https://me:secret@hooks.example.com/T0'],
    ['BUDGET_MONTH', '-1'],
    ['CONTENT_LIMITS', '500/3600,80/60'],
    ['CONTENT_LIMITS', '80/60,500/60'],
  ])('are rejected by name: %s=%p', (name, value) => {
    expect([...faultsOf({ ...GOOD, [name]: value }).keys()]).toEqual([name]);
  });

  it('have an address for notifications that no text shows: its path may be a password', () => {
    const url = 'https://hooks.example.com/services/T0/B0/zebra?sig=fish';
    const config = readConfig({ ...GOOD, NOTIFY_URL: url });
    expect(config.notifyUrl).toBe(url);
    expect(secretsOf(config)).toContain(url);
  });

  it.each([
    ['BUDGET_RUNS', 'BUDGET_RUN'],
    ['budget_run', 'BUDGET_RUN'],
    ['PAGE_PORT', 'PAGES_PORT'],
    ['OPENAI_BASEURL', 'OPENAI_BASE_URL'],
    ['AGENT_MAX_MESAGES', 'AGENT_MAX_MESSAGES'],
  ])('are found if they are misspelled: %s', (name, meant) => {
    expect(readConfig({ ...GOOD, [name]: '1' }).ineffective).toMatchObject([{ name, meant }]);
    expect(readConfig({ ...GOOD, [name]: '' }).ineffective).toEqual([]);
  });

  it('are not mistaken for what other programs are told', () => {
    const foreign =
      'HOME HOSTNAME PATH PWD TMPDIR LOGNAME NODE_ENV NODE_OPTIONS SHELL TERM USER PGPORT';
    const others = Object.fromEntries(foreign.split(' ').map((name) => [name, 'x']));
    expect(readConfig({ ...GOOD, ...others }).ineffective).toEqual([]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['PRIVATE_KEY_PATH', { PRIVATE_KEY_PATH: '/nowhere/key.pem' }, /PRIVATE_KEY is set too/],
    ['GHE_PROTOCOL', { GHE_PROTOCOL: 'http' }, /GHE_HOST is not set/],
    ['ALLOWED_OWNERS', { ALLOWED_OWNERS: 'acme,*' }, /`\*` serves every account/],
    ['AGENT_MODE', { AGENT_MODE: 'true', TOOLS_ENABLED: 'false' }, /TOOLS_ENABLED is `false`/],
    ['TOOLS_ENABLED', { TOOLS_ENABLED: 'yes', AGENT_MODE: 'no' }, /AGENT_MODE is `false`/],
    ['PROTOCOL', { PROTOCOL: 'json', AGENT_MODE: 'false' }, /has no tools/],
    ['SANDBOX_ALLOW_HOSTS', { SANDBOX_ALLOW_HOSTS: 'a.test' }, /may not run commands/],
    ['COMMAND_TIMEOUT', { COMMAND_TIMEOUT: '10' }, /may not run commands/],
    [
      'SANDBOX_READ_PATHS',
      { SANDBOX_READ_PATHS: '/opt/a', SANDBOX: 'unsafe', ALLOW_DANGEROUS_TOOLS: 'true' },
      /SANDBOX=unsafe/,
    ],
    ['COMPACT_THRESHOLD', { COMPACT_THRESHOLD: '30', COMPACT_ENABLED: 'off' }, /COMPACT_ENABLED/],
    ['AGENT_MAX_MESSAGES', { AGENT_MAX_MESSAGES: '30' }, /are summarised/],
    ['REVIEW_MODEL', { REVIEW_MODEL: 'openai:a', SELF_REVIEW: 'false' }, /SELF_REVIEW/],
    ['BUDGET_RUN', { BUDGET_RUN: '50' }, /BUDGET_ISSUE is lower/],
    ['BUDGET_REPOSITORY_DAY', { BUDGET_REPOSITORY_DAY: '501' }, /BUDGET_DAY is lower/],
    ['BUDGET_PERSON_DAY', { BUDGET_PERSON_DAY: '600' }, /BUDGET_DAY is lower/],
    ['BUDGET_DAY', { BUDGET_DAY: '60', BUDGET_MONTH: '50' }, /BUDGET_MONTH is lower/],
  ])('are found if others leave them without effect: %s in %j', (name, variables, why) => {
    const { ineffective } = readConfig({ ...GOOD, ...variables });
    const found = ineffective.filter((one) => one.name === name);
    expect(found).toMatchObject([{ name, why: expect.stringMatching(why) }]);
  });

  it('are not found where they count', () => {
    const counting = {
      GHE_HOST: 'github.example.com',
      GHE_PROTOCOL: 'http',
      ALLOW_DANGEROUS_TOOLS: 'true',
      SANDBOX_ALLOW_HOSTS: 'registry.example.com',
      COMPACT_ENABLED: 'false',
      AGENT_MAX_MESSAGES: '30',
      BUDGET_RUN: '5',
      CONCURRENCY: '8',
      CONCURRENCY_TOTAL: '4',
      AGENT_MODE: 'true',
      TOOLS_ENABLED: 'true',
    };
    expect(readConfig({ ...GOOD, ...counting }).ineffective).toEqual([]);
    expect(readConfig({ ...GOOD, ALLOWED_OWNERS: '*' }).ineffective).toEqual([]);
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
