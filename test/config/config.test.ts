import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/config.ts';

const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const GOOD = {
  APP_ID: '12',
  PRIVATE_KEY: privateKey,
  WEBHOOK_SECRET: 'a-secret-that-nobody-knows',
  ALLOWED_OWNERS: 'Example-Org, someone',
  MODEL: 'openai:gpt-5.2, openai:small:v2',
  OPENAI_API_KEY: 'sk-test',
};

function faults(environment: Record<string, string | undefined>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name }) => name);
    throw error;
  }
  return [];
}

describe('the settings of the operator', () => {
  it('are read, with defaults for all that need not be set', () => {
    expect(readConfig(GOOD)).toMatchObject({
      github: { appId: 12, allowedOwners: ['example-org', 'someone'], enterprise: undefined },
      models: { offered: ['openai:gpt-5.2', 'openai:small:v2'] },
      http: { host: '127.0.0.1', port: 3000 },
      store: { databaseUrl: undefined, dataDir: 'data' },
    });
  });

  it('say everything that is missing at once', () => {
    expect(new Set(faults({}))).toEqual(
      new Set([
        'APP_ID',
        'WEBHOOK_SECRET',
        'ALLOWED_OWNERS',
        'MODEL',
        'PRIVATE_KEY',
        'OPENAI_API_KEY',
      ]),
    );
  });

  it.each(['', '   ', 'development', 'short', undefined])(
    'never accept %p as the webhook secret',
    (secret) => expect(faults({ ...GOOD, WEBHOOK_SECRET: secret })).toContain('WEBHOOK_SECRET'),
  );

  it.each([
    ['APP_ID', 'my-app'],
    ['PRIVATE_KEY', 'not a key'],
    ['MODEL', 'gpt-5.2'],
    ['MODEL', 'nobody:gpt-5.2'],
    ['MODEL', 'openai:'],
    ['ALLOWED_OWNERS', 'a,,b'],
    ['PORT', '80000'],
    ['PORT', 'http'],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['GHE_PROTOCOL', 'gopher'],
    ['LOG_LEVEL', 'loud'],
    ['OPENAI_API_KEY', ''],
  ])('refuse %s=%p by name', (name, value) => {
    expect(faults({ ...GOOD, [name]: value })).toContain(name);
  });

  it('name the file of a private key that is not there', () => {
    const environment = { ...GOOD, PRIVATE_KEY: '', PRIVATE_KEY_PATH: '/nowhere/key.pem' };
    expect(faults(environment)).toEqual(['PRIVATE_KEY_PATH']);
  });

  it('take a private key whose newlines were escaped on the way', () => {
    const escaped = { ...GOOD, PRIVATE_KEY: privateKey.replaceAll('\n', '\\n') };
    expect(readConfig(escaped).github.privateKey).toBe(privateKey);
  });

  it('need no key for a model server of one’s own', () => {
    const { OPENAI_API_KEY: _key, ...rest } = GOOD;
    expect(faults({ ...rest, OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' })).toEqual([]);
  });
});
