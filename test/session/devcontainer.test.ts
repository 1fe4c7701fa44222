import { describe, expect, it } from '@jest/globals';
import { readDevcontainer } from '../../src/session/settings/environment.ts';
import { readSettings } from '../../src/session/settings/read.ts';

const IMAGE = `mcr.microsoft.com/devcontainers/python:3.12@sha256:${'ab'.repeat(32)}`;
const read = (file: object) => readDevcontainer(JSON.stringify(file), '/workspace');

describe('a development container', () => {
  it('gives its image, commands and variables, with comments and commas where people leave them', () => {
    const text = `// what we develop in
{
  "image": "${IMAGE}", /* by digest */
  "postCreateCommand": "pip install -e .",
  "containerEnv": { "APP_ENV": "test", },
  "customizations": { "vscode": { "extensions": ["ms-python.python"] } },
}`;
    expect(readDevcontainer(text, '/workspace')).toEqual({
      image: IMAGE,
      setup: ['pip install -e .'],
      env: { APP_ENV: 'test' },
      warnings: [],
    });
  });

  it.each([
    ['npm ci', ['npm ci']],
    [['npm', 'run', "it's here"], [`npm run 'it'\\''s here'`]],
    [{ server: 'make server', client: ['npm', 'ci'] }, ['make server', 'npm ci']],
    ['', []],
    [[], []],
  ])('runs the commands of postCreateCommand: %j', (postCreateCommand, setup) => {
    expect(read({ image: IMAGE, postCreateCommand })).toMatchObject({ setup });
  });

  it.each([
    ['build', { dockerfile: 'Dockerfile' }],
    ['dockerFile', 'Dockerfile'],
    ['dockerComposeFile', ['compose.yml']],
  ])('is not followed with %s, in words', (key, value) => {
    expect(read({ image: IMAGE, [key]: value })).toEqual({
      fault: expect.stringContaining(`has \`${key}\`, and Issuewright does not build images`),
    });
  });

  it('says which of its members are ignored', () => {
    const file = {
      image: IMAGE,
      features: { 'ghcr.io/devcontainers/features/node:1': {} },
      mounts: ['source=/,target=/host,type=bind'],
      runArgs: [],
      containerEnv: { LD_PRELOAD: '/evil.so', API_URL: '${localEnv:URL}', OUT_MODE: 'x' },
    };
    expect(read(file)).toMatchObject({
      env: { OUT_MODE: 'x' },
      warnings: [
        expect.stringMatching(/not supported, so ignored: `features`, `mounts`$/),
        expect.stringMatching(/ignored: `LD_PRELOAD`, `API_URL`$/),
      ],
    });
  });

  // What a command's environment has of its own, what steers programs, and what only the service knows.
  it.each([
    'PATH HOME USER SHELL TMPDIR LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES GLIBC_TUNABLES BASH_ENV ENV IFS',
    'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS PYTHONPATH PYTHONSTARTUP PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS',
    'GIT_SSH_COMMAND GIT_CONFIG_COUNT GIT_DIR HTTP_PROXY HTTPS_PROXY SSL_CERT_FILE npm_config_registry PIP_CONFIG_FILE',
    'GITHUB_TOKEN OPENAI_API_KEY WEBHOOK_SECRET DB_PASSWORD PRIVATE_KEY SANDBOX_MODE BWRAP_ID __proto__ constructor',
  ])('gives commands no variable that could steer them or is a secret: %s', (names) => {
    const all = names.split(' ');
    const given = all.map((name) => `${JSON.stringify(name)}: "evil"`).join(', ');
    const followed = readDevcontainer(
      `{ "image": "${IMAGE}", "containerEnv": { ${given} } }`,
      '/workspace',
    );
    expect(followed).toMatchObject({ env: {} });
    expect(Object.keys('env' in followed ? followed.env : { none: '' })).toEqual([]);
  });

  it.each([
    '${localEnv:OPENAI_API_KEY}',
    '${containerEnv:PATH}:/evil',
    'a\nb',
    `ghp_${'a1'.repeat(18)}`,
  ])('gives commands no value that is not plain text of the file: %j', (value) => {
    expect(read({ image: IMAGE, containerEnv: { APP_ENV: value } })).toMatchObject({
      env: {},
      warnings: [expect.stringContaining('`APP_ENV`')],
    });
  });

  it.each([
    ['does not exist', undefined],
    ['is not valid JSON', '{'],
    ['is invalid', '[]'],
    ['`image` must be the name', '{}'],
    ['`image` must be the name', '{"image": "--help"}'],
    ['needs commands of one line', `{"image": "a", "postCreateCommand": "a\\nb"}`],
    ['is invalid', '{"image": "a", "postCreateCommand": 7}'],
  ])('%s: %j', (words, text) => {
    expect(readDevcontainer(text, '/workspace')).toEqual({ fault: expect.stringContaining(words) });
  });
});

describe('the environment in the settings', () => {
  it.each([`environment:\n  image: ${IMAGE}`, 'environment:\n  devcontainer: true'])(
    'is valid: %j',
    (text) => {
      expect(readSettings(text)).toHaveProperty('settings.environment');
    },
  );

  it.each([
    'environment: python',
    'environment: {}',
    'environment:\n  image: --help',
    'environment:\n  devcontainer: false',
    'environment:\n  image: python\n  devcontainer: true',
    'enviroment:\n  image: python',
  ])('is a fault, because what runs would be another program: %j', (text) => {
    expect(readSettings(text)).toHaveProperty('fault');
  });
});
