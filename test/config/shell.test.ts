import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { faultsOf, GOOD } from './good.ts';

const shellOf = (environment: Record<string, string>) =>
  readConfig({ ...GOOD, ...environment }).shell;

const NO_IMAGES = {
  allowed: [],
  maxBytes: 8 * 2 ** 30,
  maxFiles: 500_000,
  authFile: undefined,
  network: {},
};

describe('whether the agent may run commands', () => {
  it('is off by default', () => {
    expect(shellOf({})).toEqual({
      isAllowed: false,
      sandbox: 'bubblewrap',
      allowHosts: [],
      privateHosts: [],
      readPaths: [],
      secretFiles: ['.env'],
      environment: {},
      timeoutSeconds: undefined,
      longestSeconds: 300,
      images: NO_IMAGES,
    });
  });

  it('is for the operator to say in which images, and how they are fetched', () => {
    const { images, secretFiles } = shellOf({
      ENVIRONMENT_IMAGES: 'docker.io/library/python, http://localhost:5000/*',
      ENVIRONMENT_MAX_BYTES: '1000',
      REGISTRY_AUTH_FILE: '/etc/registries.json',
      HTTPS_PROXY: 'http://proxy:3128',
      no_proxy: 'localhost',
    });
    expect(images).toEqual({
      allowed: [
        { registry: 'docker.io', repository: 'library/python', isPlain: false },
        { registry: 'localhost:5000', repository: '', isPlain: true },
      ],
      maxBytes: 1000,
      maxFiles: 500_000,
      authFile: '/etc/registries.json',
      network: { HTTPS_PROXY: 'http://proxy:3128', no_proxy: 'localhost' },
    });
    expect(secretFiles).toContain('/etc/registries.json');
  });

  it('is for the operator to say, in the environment', () => {
    expect(
      shellOf({
        ALLOW_DANGEROUS_TOOLS: 'true',
        SANDBOX: 'unsafe',
        SANDBOX_ALLOW_HOSTS: 'registry.npmjs.org, *.example.com:443',
        SANDBOX_PRIVATE_HOSTS: 'npm.corp.example, 10.1.2.3:8081,nexus',
        SANDBOX_READ_PATHS: '/opt/go,/opt/node',
        COMMAND_TIMEOUT: '90',
        TEST_TIMEOUT: '1200',
        COMMAND_ENV: 'NPM_TOKEN, APP_MODE=a=b,DB_URL=http://db',
        NPM_TOKEN: 'a-long-secret',
      }),
    ).toEqual({
      isAllowed: true,
      sandbox: 'unsafe',
      allowHosts: ['registry.npmjs.org', '*.example.com:443'],
      privateHosts: ['npm.corp.example', '10.1.2.3:8081', 'nexus'],
      readPaths: ['/opt/go', '/opt/node'],
      secretFiles: ['.env'],
      environment: { NPM_TOKEN: 'a-long-secret', APP_MODE: 'a=b', DB_URL: 'http://db' },
      timeoutSeconds: 90,
      longestSeconds: 1200,
      images: NO_IMAGES,
    });
  });

  it.each([
    ['ALLOW_DANGEROUS_TOOLS', 'perhaps'],
    ['SANDBOX', 'none'],
    ['ENVIRONMENT_IMAGES', 'python'],
    ['ENVIRONMENT_IMAGES', '*'],
    ['ENVIRONMENT_MAX_BYTES', '0'],
    ['SANDBOX_ALLOW_HOSTS', 'https://example.com'],
    ['SANDBOX_ALLOW_HOSTS', '*'],
    ['SANDBOX_ALLOW_HOSTS', 'a.example:65536'],
    ['SANDBOX_ALLOW_HOSTS', 'a.example:0'],
    ['SANDBOX_ALLOW_HOSTS', 'a.example,,b.example'],
    ['SANDBOX_PRIVATE_HOSTS', '*.corp.example'],
    ['SANDBOX_PRIVATE_HOSTS', 'localhost:8081'],
    ['SANDBOX_PRIVATE_HOSTS', '127.0.0.1'],
    ['SANDBOX_PRIVATE_HOSTS', '169.254.169.254'],
    ['SANDBOX_PRIVATE_HOSTS', '2852039166'],
    ['SANDBOX_READ_PATHS', 'opt/go'],
    ['SANDBOX_READ_PATHS', '/opt/../root'],
    ['COMMAND_TIMEOUT', '301'],
    ['COMMAND_TIMEOUT', '0'],
    ['TEST_TIMEOUT', '7201'],
    ['COMMAND_ENV', 'NPM_TOKEN'],
    ['COMMAND_ENV', 'NPM_TOKEN=short'],
    ['COMMAND_ENV', 'APP_MODE=a,,DB_HOST=b'],
    ['COMMAND_ENV', 'APP_MODE=a,APP_MODE=b'],
    ['COMMAND_ENV', 'OPENAI_API_KEY=0123456789'],
    ['COMMAND_ENV', 'WEBHOOK_SECRET'],
    ['COMMAND_ENV', 'PATH=/tmp'],
    ['COMMAND_ENV', '=value'],
  ])('is not said by %s=%s', (name, value) => {
    expect([...faultsOf({ ...GOOD, [name]: value }).keys()]).toEqual([name]);
  });

  it('redacts the values that may be secrets, and no plain words', () => {
    const given = { COMMAND_ENV: 'NPM_TOKEN=0123456789,NODE_ENV=production,DB_URL=http://u:p@db' };
    expect(readConfig({ ...GOOD, ...given }).commandSecrets).toEqual([
      '0123456789',
      'http://u:p@db',
    ]);
  });
});
