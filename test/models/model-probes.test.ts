// `issuewright doctor --model` against every family of servers there is, and against servers and models that fail at one probe.
import { afterEach, describe, expect, it } from '@jest/globals';
import { PROBE_PATHS, PROBES } from '../../src/agent/prompts/probe.ts';
import { probeModel, PROBE_NAMES, type ProbeRow } from '../../src/commands/doctor/model-probes.ts';
import { openModel, PROVIDERS } from '../../src/models/index.ts';
import { FAMILIES } from './families.ts';
import type { Family, Fields } from './family-shapes.ts';
import { WISH_FAMILIES } from './wish-families.ts';
import { FamilyServer, type FamilyTrouble } from './family-server.ts';
import { numbers, ObedientModel, type Disobedience } from './obedient-model.ts';

let server: FamilyServer | undefined;
afterEach(() => server?.close());

interface Given {
  readonly family?: Family;
  readonly disobeys?: Disobedience;
  readonly trouble?: FamilyTrouble;
  readonly facts?: object;
}

const PLAIN = FAMILIES.find(({ name }) => name === 'LM Studio')!;
const PRICED = { price: { input: 1, output: 2 }, contextWindow: 100_000 };

async function probe({ family = PLAIN, disobeys, trouble, facts = PRICED }: Given) {
  server = await FamilyServer.open([family], new ObedientModel(disobeys), trouble);
  const { model: name, variables } = family;
  const provider = PROVIDERS.find((one) => name.startsWith(`${one.name}:`))!;
  const settings = new Map([[provider.name, provider.variables.parse(variables(server.url))]]);
  const model = await openModel(name, settings, { models: { [name]: facts } });
  const rows: ProbeRow[] = [];
  for await (const row of probeModel(model, { protocol: 'auto', outputTokens: 32_000 }))
    rows.push(row);
  return { rows, model };
}

const saying = (words: string, status = 400) => ({ status, body: { error: { message: words } } });

describe('the probes of a model', () => {
  it.each(FAMILIES)('are all answered by the family $name ($source)', async (family) => {
    const { rows, model } = await probe({ family, facts: { ...PRICED, seesImages: true } });
    expect(rows.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(rows.map((row) => row.probe)).toEqual(PROBE_NAMES);
    expect(model.learnt?.() ?? []).toEqual(family.learnt);
    const does = rows.map((row) => row.does).join('; ');
    for (const one of family.learnt) expect(does).toContain(one);
  });

  it.each(WISH_FAMILIES)('are answered once its wishes are known: $name ($source)', async (one) => {
    const isChat = one.wire === 'chat';
    const family = FAMILIES.find(({ name }) => name === (isChat ? 'LM Studio' : 'Anthropic'))!;
    const rejects = (body: Fields) => {
      const failure = one.check(body);
      return failure && saying(failure.said, failure.status);
    };
    const { rows } = await probe({ family: { ...family, rejects } });
    expect(rows.filter(({ state }) => state !== 'ok')).toEqual([]);
  });

  it('are twelve, and only eleven of them are requests', async () => {
    await probe({});
    expect(PROBE_NAMES).toHaveLength(12);
    expect(server?.requests).toHaveLength(11);
  });

  it('are sent with the tools of a run, and read by its protocol', async () => {
    await probe({});
    const [first] = server?.requests ?? [];
    const offered = first?.body['tools'].map((tool: Fields) => tool['function'].name);
    expect(offered).toEqual(
      expect.arrayContaining(['read_file', 'edit_file', 'run_tests', 'finish']),
    );
  });

  it('end with the first one if no server answers', async () => {
    const { rows } = await probe({ trouble: { rejects: () => ({ status: 401, message: 'No.' }) } });
    expect(rows).toEqual([
      {
        probe: 'tool call',
        state: 'fault',
        seen: expect.stringContaining('did not accept the API key'),
        does: 'would end the run with these words',
      },
    ]);
  });
});

const answering =
  (question: string, said: ReturnType<Disobedience>): Disobedience =>
  (asked) =>
    asked.includes(question) ? said : undefined;

const has = (body: Fields, words: string): boolean => JSON.stringify(body).includes(words);
/** Rejects every request with such words in it. */
const rejecting = (words: string, said: string): FamilyTrouble => ({
  rejects: (body) => (has(body, words) ? saying(said) : undefined),
});

interface Failure extends Given {
  readonly what: string;
  readonly probe: string;
  readonly expected: Omit<ProbeRow, 'probe' | 'seen' | 'does'> & {
    readonly seen: RegExp;
    readonly does: RegExp;
  };
}

const FAILURES: readonly Failure[] = [
  {
    what: 'a model that calls no tool',
    probe: 'tool call',
    disobeys: answering(PROBES.call, { text: 'I would read the file.' }),
    expected: {
      state: 'warning',
      seen: /without calling a tool/,
      does: /end of the work\. .*made for tool calls/,
    },
  },
  {
    what: 'a server without tools',
    probe: 'tool call',
    trouble: { rejects: ({ tools }) => (tools ? saying('m does not support tools') : undefined) },
    expected: { state: 'warning', seen: /does not support tool calls/, does: /protocol `json`/ },
  },
  {
    what: 'one call per reply',
    probe: 'parallel calls',
    disobeys: answering(PROBES.parallel, {
      calls: [{ tool: 'read_file', given: { path: PROBE_PATHS.both[0] } }],
    }),
    expected: { state: 'ok', seen: /one call only/, does: /one call per reply/ },
  },
  {
    what: 'calls whose arguments are no JSON',
    probe: 'parallel calls',
    disobeys: answering(PROBES.parallel, {
      calls: [0, 1].map(() => ({ tool: 'read_file', given: '{"path": "north' })),
    }),
    expected: { state: 'warning', seen: /not valid JSON/, does: /call again/ },
  },
  {
    what: 'a model that ignores results',
    probe: 'result',
    disobeys: answering(PROBES.result, { text: 'Done.' }),
    expected: { state: 'warning', seen: /did not use the result/, does: /larger model/ },
  },
  {
    what: 'a server that wants nothing behind results',
    probe: 'answer after a result',
    trouble: {
      rejects: ({ messages }) =>
        messages.at(-1).role === 'user' && messages.at(-2).role === 'tool'
          ? saying('Two turns of the same side.')
          : undefined,
    },
    expected: { state: 'fault', seen: /It says: `Two turns of the same side/, does: /end the run/ },
  },
  {
    what: 'a question with wrong arguments',
    probe: 'question',
    disobeys: answering(PROBES.question, {
      calls: [{ tool: 'ask_question', given: { questions: [{ colour: 'blue' }] } }],
    }),
    expected: { state: 'warning', seen: /do not fit/, does: /corrects it/ },
  },
  {
    what: 'a reply that a server cuts early',
    probe: 'long output',
    disobeys: (asked, { max_tokens: most }) =>
      asked.includes(PROBES.numbers) && most > 1000
        ? { text: numbers(100), isCut: true }
        : undefined,
    expected: {
      state: 'warning',
      seen: /cut off at number 100, though 32000/,
      does: /Raise the limit/,
    },
  },
  {
    what: 'a server that writes short replies only',
    probe: 'long output',
    trouble: {
      rejects: ({ max_tokens: most }) =>
        most > 8192 ? saying('the valid range of max_tokens is [1, 8192]') : undefined,
    },
    expected: { state: 'ok', seen: /to its end/, does: /asks for at most 8,192 tokens per reply/ },
  },
  {
    what: 'a window without room for what is asked for',
    family: FAMILIES.find(({ name }) => name === 'vLLM')!,
    probe: 'long output',
    facts: { price: { input: 1, output: 2 } },
    expected: { state: 'ok', seen: /to its end/, does: /a quarter of its window/ },
  },
  {
    what: 'a cut reply that looks whole',
    probe: 'cut',
    disobeys: (asked, { max_tokens: most }) =>
      asked.includes(PROBES.numbers) && most < 100 ? { text: numbers(4) } : undefined,
    expected: { state: 'warning', seen: /does not report/, does: /AGENT_MAX_TOKENS/ },
  },
  {
    what: 'a server that ignores the limit',
    probe: 'cut',
    disobeys: answering(PROBES.numbers, { text: numbers(300) }),
    expected: { state: 'warning', seen: /ignores the limit/, does: /AGENT_MAX_RUN_TOKENS/ },
  },
  {
    what: 'a server that wants something unknown of replies',
    probe: 'reasoning back',
    trouble: {
      rejects: ({ messages }) =>
        messages.filter(({ role }: Fields) => role === 'assistant').length > 2 &&
        !has(messages, PROBES.remember) &&
        !has(messages, 'no words')
          ? saying('Each reply has to have a thought.')
          : undefined,
    },
    expected: { state: 'fault', seen: /Each reply has to have a thought/, does: /end the run/ },
  },
  {
    what: 'a server that rejects images',
    probe: 'image',
    trouble: rejecting('image_url', 'image input is not supported'),
    facts: { ...PRICED, seesImages: true },
    expected: { state: 'warning', seen: /rejects images/, does: /"seesImages": false/ },
  },
  {
    what: 'a model that does not see',
    probe: 'image',
    disobeys: answering(PROBES.image, { text: 'I was required to read it: blue.' }),
    facts: { ...PRICED, seesImages: true },
    expected: { state: 'warning', seen: /does not see them/, does: /seesImages/ },
  },
  {
    what: 'a model that sees, which nobody knew',
    probe: 'image',
    expected: { state: 'ok', seen: /sees images/, does: /"seesImages": true/ },
  },
  {
    what: 'a server that wants no empty result',
    probe: 'empty',
    trouble: rejecting('"content":""', 'A message must not be empty.'),
    expected: { state: 'fault', seen: /must not be empty/, does: /end the run/ },
  },
  {
    what: 'a server that does not count tokens',
    probe: 'usage',
    trouble: { isUncounted: true },
    expected: { state: 'warning', seen: /does not report/, does: /estimates/ },
  },
  {
    what: 'a model without a price',
    probe: 'usage',
    facts: { contextWindow: 100_000 },
    expected: { state: 'warning', seen: /reports its tokens/, does: /MODEL_CATALOG/ },
  },
  {
    what: 'a server that cuts conversations in silence',
    probe: 'window',
    disobeys: answering(PROBES.recall, { text: 'I do not know.' }),
    expected: {
      state: 'warning',
      seen: /forgot the beginning of 6,000 tokens/,
      does: /`ollama:…`/,
    },
  },
  {
    what: 'a small window',
    probe: 'window',
    trouble: { mostCharacters: 25_000 },
    facts: { price: { input: 1, output: 2 } },
    expected: {
      state: 'warning',
      seen: /has no room for 6,000 tokens/,
      does: /larger context window/,
    },
  },
  {
    what: 'a window that nobody knows',
    probe: 'window',
    facts: { price: { input: 1, output: 2 } },
    expected: { state: 'warning', seen: /does not say/, does: /128,000.*`contextWindow`/ },
  },
];

describe('a probe', () => {
  it.each(FAILURES)('$probe: shows $what', async ({ probe: name, expected, ...given }) => {
    const { rows } = await probe(given);
    expect(rows.find((row) => row.probe === name)).toEqual({
      probe: name,
      state: expected.state,
      seen: expect.stringMatching(expected.seen),
      does: expect.stringMatching(expected.does),
    });
    expect(rows).toHaveLength(PROBE_NAMES.length);
  });
});
