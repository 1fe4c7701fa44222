// One task through every provider and every protocol, against a server that speaks every wire.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProtocolName } from '../../src/contracts/entries.ts';
import { openModel, PROVIDERS } from '../../src/models/index.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { EXPECTED, TASK, work } from '../support/task.ts';
import { vertexKeyFile } from './vertex-key-file.ts';

let server: ModelServer;

beforeAll(async () => {
  // Reasoning that has to come back is part of it: most wires seal it.
  const turns = TASK.turns.map((turn, at) => ({ ...turn, reasoning: `Thinking of step ${at}.` }));
  server = await startModelServer({ scripts: [{ ...TASK, turns }] });
});
afterAll(() => server.close());

/** The variables that point a provider at the server. */
const setups: Readonly<Record<string, () => [model: string, variables: object]>> = {
  'openai, Responses': () => [
    'openai:scripted',
    { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API: 'responses' },
  ],
  'openai, Chat Completions': () => [
    'openai:scripted',
    { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: `${server.url}/v1` },
  ],
  azure: () => [
    'azure:scripted',
    { AZURE_OPENAI_API_KEY: 'test', AZURE_OPENAI_ENDPOINT: server.url },
  ],
  'gh (GitHub Models)': () => [
    'gh:example/scripted',
    { GITHUB_MODELS_TOKEN: 'test', GITHUB_MODELS_BASE_URL: `${server.url}/v1` },
  ],
  anthropic: () => [
    'anthropic:scripted',
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: server.url },
  ],
  gemini: () => ['gemini:scripted', { GEMINI_API_KEY: 'test', GOOGLE_GEMINI_BASE_URL: server.url }],
  vertex: () => [
    'vertex:scripted',
    {
      GOOGLE_CLOUD_PROJECT: 'example-project',
      GOOGLE_APPLICATION_CREDENTIALS: vertexKeyFile(),
      GOOGLE_VERTEX_BASE_URL: server.url,
    },
  ],
  ollama: () => ['ollama:scripted', { OLLAMA_BASE_URL: server.url }],
};
const PROTOCOLS: readonly ProtocolName[] = ['native', 'json', 'react'];
const pairs = Object.entries(setups).flatMap(([name, setup]) =>
  PROTOCOLS.map((protocol) => ({ name, protocol, setup })),
);

describe('a task of twelve turns', () => {
  it.each(pairs)('ends with the same files with $name and $protocol', async (pair) => {
    const [name, variables] = pair.setup();
    const provider = PROVIDERS.find((one) => name.startsWith(`${one.name}:`));
    const settings = new Map([[provider?.name ?? '', provider?.variables.parse(variables)]]);
    const model = await openModel(name, settings);
    const { end, files, entries, world } = await work(model, pair.protocol);
    expect(end).toEqual({ kind: 'finished' });
    expect(files).toEqual(EXPECTED);
    expect(entries.filter(({ type }) => type === 'reply')).toHaveLength(TASK.turns.length);
    expect(entries.filter((entry) => entry.type === 'reply' && entry.fault !== null)).toEqual([]);
    const failed = entries.filter((entry) => entry.type === 'call_finished' && !entry.ok);
    expect(failed).toHaveLength(1);
    expect(world.git.commits.map(({ message }) => message)).toEqual(['Greet people by name']);
  });

  it('has a pair for every provider there is', () => {
    const words = new Set(Object.values(setups).map((setup) => setup()[0].replace(/:.*/s, '')));
    expect([...words].toSorted()).toEqual(PROVIDERS.map(({ name }) => name).toSorted());
  });
});
