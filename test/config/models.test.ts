import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { PROVIDERS } from '../../src/models/index.ts';
import { faultsOf, GOOD } from './good.ts';

const directory = mkdtempSync(join(tmpdir(), 'iw-config-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function fileOf(text: string): string {
  const path = join(directory, `${Math.random()}.json`);
  writeFileSync(path, text);
  return path;
}

describe('the models that are offered', () => {
  it('are those of MODEL, with the settings and the secrets of their providers alone', () => {
    const { models } = readConfig({ ...GOOD, GITHUB_MODELS_TOKEN: 'unused' });
    expect(models.offered).toEqual(['openai:gpt-5.2', 'openai:small:v2']);
    expect([...models.settings]).toEqual([['openai', { OPENAI_API_KEY: 'sk-test' }]]);
    expect(models.secrets).toEqual(['sk-test']);
  });

  it('may be of several providers, each with its own settings', () => {
    const { models } = readConfig({
      ...GOOD,
      MODEL: 'openai:a,gh:b,ollama:c',
      GITHUB_MODELS_TOKEN: 'github_pat_test',
    });
    expect([...models.settings.keys()]).toEqual(['openai', 'gh', 'ollama']);
    expect(models.secrets).toEqual(['sk-test', 'github_pat_test']);
  });

  it.each(['gpt-5.2', 'nobody:gpt-5.2', 'openai:', ':gpt', 'openai:a,,openai:b', 'openai:a,b:c'])(
    'are not read from MODEL=%s',
    (model) => expect([...faultsOf({ ...GOOD, MODEL: model }).keys()]).toEqual(['MODEL']),
  );

  it('name the providers that there are', () => {
    const fault = faultsOf({ ...GOOD, MODEL: 'nobody:x' }).get('MODEL');
    for (const { name } of PROVIDERS) expect(fault).toContain(`\`${name}:…\``);
  });

  it('need the key of their provider, or a model server of one’s own', () => {
    const { OPENAI_API_KEY: _key, ...rest } = GOOD;
    expect([...faultsOf(rest).keys()]).toEqual(['OPENAI_API_KEY']);
    expect(faultsOf({ ...rest, OPENAI_API_KEY: ' ' }).has('OPENAI_API_KEY')).toBe(true);
    expect(faultsOf({ ...rest, OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' }).size).toBe(0);
  });

  it.each(PROVIDERS.map(({ name }) => name))(
    'of %s need nothing but its variables, and say which are missing',
    (name) => {
      const { OPENAI_API_KEY: _key, ...rest } = GOOD;
      const own = Object.keys(PROVIDERS.find((one) => one.name === name)!.variables.shape);
      const faults = faultsOf({ ...rest, MODEL: `${name}:some-model` });
      expect(own).toEqual(expect.arrayContaining([...faults.keys()]));
      for (const fault of faults.values()) expect(fault).toMatch(/^missing\. /);
    },
  );
});

describe('REVIEW_MODEL', () => {
  it('may be of another provider, whose settings are read too', () => {
    const { models } = readConfig({
      ...GOOD,
      REVIEW_MODEL: 'gemini:gemini-2.5-flash',
      GEMINI_API_KEY: 'a-key-of-gemini',
    });
    expect(models.review).toBe('gemini:gemini-2.5-flash');
    expect(models.secrets).toContain('a-key-of-gemini');
    expect(readConfig(GOOD).models.review).toBeUndefined();
  });

  it('is read like the model itself', () => {
    expect(faultsOf({ ...GOOD, REVIEW_MODEL: 'gpt' }).get('REVIEW_MODEL')).toMatch(
      /has no provider before the name/,
    );
  });
});

describe('EMBEDDING_MODEL', () => {
  it('brings the settings and the secrets of its provider', () => {
    const { models } = readConfig({
      ...GOOD,
      EMBEDDING_MODEL: 'gemini:gemini-embedding-001',
      GEMINI_API_KEY: 'gemini-test',
    });
    expect(models.embedding).toBe('gemini:gemini-embedding-001');
    expect([...models.settings.keys()]).toEqual(['openai', 'gemini']);
    expect(models.secrets).toEqual(['sk-test', 'gemini-test']);
    expect(readConfig(GOOD).models.embedding).toBeUndefined();
  });

  it.each([
    ['anthropic:any', /^`anthropic` has no embeddings\. Name a model as `openai:…`/],
    ['text-embedding-3-small', /has no provider before the name/],
    ['nobody:x', /`nobody` is no provider/],
    ['openai:', /names no model of `openai`/],
  ])('cannot be %s', (name, words) => {
    const faults = faultsOf({ ...GOOD, EMBEDDING_MODEL: name });
    expect([...faults.keys()]).toEqual(['EMBEDDING_MODEL']);
    expect(faults.get('EMBEDDING_MODEL')).toMatch(words);
  });

  it('needs the key of its provider', () => {
    const faults = faultsOf({ ...GOOD, EMBEDDING_MODEL: 'gh:openai/text-embedding-3-small' });
    expect([...faults.keys()]).toEqual(['GITHUB_MODELS_TOKEN']);
  });
});

describe('MODEL_CATALOG', () => {
  it('names a file of prices and windows', () => {
    const list = { models: { 'openai:gpt-5.2': { price: { input: 1, output: 2 } } } };
    const file = fileOf(JSON.stringify(list));
    expect(readConfig({ ...GOOD, MODEL_CATALOG: file }).models.catalog).toEqual(list);
  });

  it.each([
    ['/nowhere/prices.json', /\/nowhere\/prices\.json cannot be read \(ENOENT\)/],
    [fileOf('{'), /is not a valid price list: .*JSON/],
    [
      fileOf('{"models": {"openai:x": {"price": {"input": 1}}}}'),
      /is not a valid price list: models\["openai:x"\]\.price\.output: /,
    ],
  ])('is invalid, and the error names the place: %s', (file, words) => {
    const faults = faultsOf({ ...GOOD, MODEL_CATALOG: file });
    expect([...faults.keys()]).toEqual(['MODEL_CATALOG']);
    expect(faults.get('MODEL_CATALOG')).toMatch(words);
  });
});

describe('how much models think, and which one continues after an outage', () => {
  const readModels = (more: Readonly<Record<string, string>>) =>
    readConfig({ ...GOOD, ...more }).models;

  it('are unset, but for a bound', () => {
    expect(readModels({})).toMatchObject({
      effort: undefined,
      mostEffort: 'high',
      fallback: undefined,
    });
  });

  it('are read, with what the provider of the other model needs', () => {
    const { settings, ...models } = readModels({
      MODEL_EFFORT: 'max',
      MODEL_EFFORT_MAX: 'max',
      MODEL_FALLBACK: 'gh:b',
      MODEL_FALLBACK_MINUTES: '45',
      GITHUB_MODELS_TOKEN: 'github_pat_test',
    });
    expect(models).toMatchObject({
      effort: 'max',
      mostEffort: 'max',
      fallback: { model: 'gh:b', afterMs: 45 * 60_000 },
      secrets: ['sk-test', 'github_pat_test'],
    });
    expect([...settings.keys()]).toEqual(['openai', 'gh']);
  });

  it.each([
    ['MODEL_EFFORT', { MODEL_EFFORT: 'huge' }],
    ['MODEL_EFFORT', { MODEL_EFFORT: 'max' }],
    ['MODEL_EFFORT_MAX', { MODEL_EFFORT_MAX: 'none' }],
    ['MODEL_FALLBACK', { MODEL_FALLBACK: 'nobody:x' }],
    ['GITHUB_MODELS_TOKEN', { MODEL_FALLBACK: 'gh:b' }],
    ['MODEL_FALLBACK_MINUTES', { MODEL_FALLBACK_MINUTES: '0' }],
    ['OPENAI_SILENCE_MINUTES', { OPENAI_SILENCE_MINUTES: '0' }],
    ['OPENAI_HEADERS', { OPENAI_HEADERS: 'x-portkey-provider: bedrock' }],
    ['OPENAI_HEADERS', { OPENAI_HEADERS: '{"authorization": "Bearer x"}' }],
    ['OPENAI_HEADERS', { OPENAI_HEADERS: '{"x y": "z"}' }],
    ['OPENAI_HEADERS', { OPENAI_HEADERS: '{"x": "a\\nb"}' }],
    ['OPENAI_HEADERS', { OPENAI_HEADERS: '{"x": 1}' }],
  ])('are faults of %s: %j', (name, more) => {
    expect([...faultsOf({ ...GOOD, ...more }).keys()]).toEqual([name]);
  });
});

it('headers for a gateway are sent with each request, and secret if they are more than words', async () => {
  const { models } = readConfig({
    ...GOOD,
    OPENAI_BASE_URL: 'http://gateway:8787/v1',
    OPENAI_HEADERS:
      '{"x-portkey-provider": "bedrock", "x-portkey-aws-secret-access-key": "0123456789abcdef"}',
  });
  expect(models.secrets).toEqual(['sk-test', '0123456789abcdef']);
  const asked: unknown[] = [];
  const own = jest.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
    asked.push(init?.headers);
    return new Response('{}', { status: 404 });
  });
  await PROVIDERS.find(({ name }) => name === 'openai')
    ?.open('m', models.settings.get('openai') as never)
    .then((adapter) => adapter.lookUpWindow?.());
  own.mockRestore();
  expect(asked[0]).toMatchObject({
    authorization: 'Bearer sk-test',
    'x-portkey-provider': 'bedrock',
  });
});
