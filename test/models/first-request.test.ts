// What a run costs before it has done anything: the first request, as it goes over the wire.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ProtocolName } from '../../src/contracts/entries.ts';
import { openModel, PROVIDERS } from '../../src/models/index.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { TASK, work } from '../support/task.ts';

const EVERY_TOOL = new Map(TOOLS.map(({ name }) => [name, true]));
/** By the tools that the repository asks for, in bytes. */
const sets: readonly [string, ReadonlyMap<string, boolean>, boolean, number][] = [
  ['the usual tools', new Map(), false, 8_400],
  ['the usual tools and commands', new Map(), true, 9_500],
  ['every tool', EVERY_TOOL, true, 16_000],
];

let server: ModelServer;
afterEach(() => server.close());

const setups: readonly [string, ProtocolName, (url: string) => object][] = [
  ['openai', 'native', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API: 'responses' })],
  ['openai', 'native', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API: 'chat' })],
  ['openai', 'json', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API: 'chat' })],
  ['openai', 'react', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API: 'chat' })],
  ['anthropic', 'native', (url) => ({ ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: url })],
  ['gemini', 'native', (url) => ({ GEMINI_API_KEY: 'test', GOOGLE_GEMINI_BASE_URL: url })],
  ['ollama', 'native', (url) => ({ OLLAMA_BASE_URL: url })],
];

describe.each(sets)('the first request with %s', (_tools, wanted, allowsDangerous, most) => {
  it.each(setups)('is small: %s, %s, case %#', async (word, protocol, variables) => {
    server = await startModelServer({ scripts: [TASK] });
    const provider = PROVIDERS.find(({ name }) => name === word);
    const settings = new Map([[word, provider?.variables.parse(variables(server.url))]]);
    const model = await openModel(`${word}:scripted`, settings);
    await work(model, protocol, { wanted, allowsDangerous, crashAfter: 2 });
    const [first] = server.requests;
    const bytes = Buffer.byteLength(first?.body ?? '');
    expect(bytes).toBeGreaterThan(2_000);
    expect(bytes).toBeLessThanOrEqual(most);
  });
});
