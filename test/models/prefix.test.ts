// What providers can read from their cache: each request begins with the whole one before it.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ProtocolName } from '../../src/contracts/entries.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import { openModel, PROVIDERS } from '../../src/models/index.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { work } from '../support/task.ts';

const TURNS = 50;
const LEAST_CACHED = 0.95;

const SCRIPT: Script = {
  turns: [
    ...Array.from({ length: TURNS - 1 }, (_none, n) => ({
      reasoning: `Thinking of step ${n}.`,
      say: {
        plan: `Step ${n}.`,
        tool_calls: [
          {
            tool_name: 'write_file',
            arguments: { path: `notes/${n}.md`, content: `Note ${n}\n`.repeat(40) },
          },
        ],
      },
    })),
    { say: { plan: 'Done.', tool_calls: [{ tool_name: 'finish', arguments: { summary: 'Ok' } }] } },
  ],
};

let server: ModelServer;
afterEach(() => server.close());

/** The share of all input that the cache held, as the server counted it. */
const cachedShare = (usages: readonly { readonly input: number; readonly cached: number }[]) => {
  const sum = (of: 'input' | 'cached') => usages.reduce((total, usage) => total + usage[of], 0);
  return sum('cached') / sum('input');
};

const setups: readonly [string, ProtocolName, (url: string) => object][] = [
  ['openai', 'native', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API: 'responses' })],
  ['openai', 'native', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API: 'chat' })],
  ['openai', 'json', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API: 'chat' })],
  ['openai', 'react', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API: 'chat' })],
  ['anthropic', 'native', (url) => ({ ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: url })],
  ['gemini', 'native', (url) => ({ GEMINI_API_KEY: 'test', GOOGLE_GEMINI_BASE_URL: url })],
];

describe('a run of fifty turns that crashed in the middle', () => {
  it.each(setups)(
    'reads 95 %% and more from the cache: %s, %s, case %#',
    async (word, protocol, variables) => {
      server = await startModelServer({ scripts: [SCRIPT] });
      const provider = PROVIDERS.find(({ name }) => name === word);
      const settings = new Map([[word, provider?.variables.parse(variables(server.url))]]);
      const open = () => openModel(`${word}:scripted`, settings);
      const before = await work(await open(), protocol, { crashAfter: 77 });
      expect(before.end).toBeUndefined();
      const { end, entries } = await work(await open(), protocol, { before });
      expect(end).toEqual({ kind: 'finished' });
      const usages = entries.flatMap((entry) => (entry.type === 'reply' ? [entry.usage] : []));
      expect(usages).toHaveLength(TURNS);
      expect(cachedShare(usages)).toBeGreaterThanOrEqual(LEAST_CACHED);
    },
  );
});
