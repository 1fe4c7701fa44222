// Journals that real runs wrote, replayed.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ContextOverflow, ToolsUnsupported } from '../../src/agent/model-errors.ts';
import { askOtherModel, type ReplyComparison } from '../../src/app/replay/other-model.ts';
import { replayJournal } from '../../src/app/replay/replay.ts';
import type { Operator } from '../../src/app/service/service.ts';
import type { Model, ModelReply, ModelRequest } from '../../src/contracts/model.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import type { Entry } from '../../src/session/entry.ts';
import { json } from '../agent/support.ts';
import { openService, SHELLS, type Service } from './support.ts';

const ask = json(['ask_question', { questions: [{ question: 'Which name?', default: 'notes' }] }]);
const look = json(['read_file', { path: 'README.md' }]);
const write = (path: string) => json(['write_file', { path, content: `${path}\n` }]);
const finish = json(['finish', { summary: 'Notes are there.' }]);

let service: Service;
beforeAll(async () => {
  service = await openService({}, { shells: SHELLS });
});
afterAll(() => service.close());

/** What the model says, or what its adapter throws. */
type Line = string | Error;

/** A session that is advanced once for each list of lines; before all but the first, someone comments. */
async function played(
  title: string,
  runs: readonly (readonly Line[])[],
  operator: Partial<Operator> = {},
) {
  const session = await service.start(title);
  for (const [at, lines] of runs.entries()) {
    service.model.says(...lines);
    if (at > 0) await session.comment('maintainer', '@issuewright As proposed.');
    await session.advance(operator);
  }
  return { id: session.id, entries: await session.journal() };
}

const LIMITS = {
  turns: 2,
  minutes: 600,
  outputTokens: 1_000,
  runTokens: undefined,
  dollars: { run: undefined, issue: undefined, repositoryDay: undefined },
};

const CASES: readonly (readonly [
  kind: string,
  runs: readonly (readonly Line[])[],
  operator?: Partial<Operator>,
])[] = [
  [
    'a question, an answer and the work',
    [
      [look, ask],
      [write('notes.md'), finish],
    ],
  ],
  [
    'replies that cannot be read, or name no tool',
    [
      [
        'no JSON {',
        json(['no_such_tool', {}]),
        json(['read_file', { path: 7, other: 1 }]),
        json(['read_file', { path: 'nowhere' }], ['write_file', { path: 'a.md', content: '' }]),
        finish,
      ],
    ],
  ],
  ['nothing but unreadable replies', [['{', '{', '{', '{', '{']]],
  ['the same call again and again', [[look, look, look]]],
  ['a text at the end instead of a call', [[write('b.md'), 'All of it is written and committed.']]],
  [
    'commands',
    [
      [
        json(['run_shell_command', { command: 'echo out; exit 3' }]),
        json(['run_shell_command', { command: 'echo well > made.txt' }]),
        finish,
      ],
    ],
  ],
  ['a limit of turns', [[look, write('c.md')]], { limits: LIMITS }],
  [
    'a summary of what was said',
    [
      [
        ...['d', 'e', 'f', 'g'].map((name) => write(`${name}.md`)),
        'The summary: files were written.',
        finish,
      ],
    ],
    { relief: { compaction: { messages: 8, share: undefined, keepRecent: 2 }, maxMessages: 1000 } },
  ],
  [
    'messages that are dropped',
    [[...['h', 'i', 'j', 'k', 'l', 'm', 'n'].map((name) => write(`${name}.md`)), finish]],
    { relief: { compaction: undefined, maxMessages: 8 } },
  ],
  [
    'a server that finds the conversation too long',
    [
      [
        ...['o', 'p', 'q', 'r'].map((name) => write(`${name}.md`)),
        new ContextOverflow('too long'),
        finish,
      ],
    ],
  ],
  ['a model that fails for good', [[look, new TellPerson('The key is invalid.')]]],
  ['an answer without tools', [['It greets people.']], { mode: 'completion' }],
  [
    'the protocol ReAct',
    [
      [
        `<tool_code>${JSON.stringify({ tool_name: 'read_file', arguments: { path: 'README.md' } })}</tool_code>`,
        '<final_answer>Nothing to do.</final_answer>',
      ],
    ],
    { protocol: 'react' },
  ],
];

describe('a replay', () => {
  it.each(CASES.map(([kind, runs, operator]) => ({ kind, runs, operator })))(
    'of a session with $kind is the same',
    async ({ kind, runs, operator }) => {
      const { id, entries } = await played(kind, runs, operator);
      expect(await replayJournal(id, entries)).toMatchObject({
        runs: runs.length,
        differences: [],
      });
    },
  );

  it('of a run that was left and resumed is the same', async () => {
    const session = await service.start('Leave it');
    service.model.says(write('s.md'), new TryLater('busy'));
    await session.advance();
    service.letPass(60_000);
    service.model.says(look, finish);
    await session.advance();
    const entries = await session.journal();
    expect(entries.filter(({ type }) => type === 'run_resumed')).toHaveLength(1);
    const replayed = await replayJournal(session.id, entries);
    expect(replayed).toMatchObject({ runs: 1, differences: [] });
    expect(replayed.compared).toBeGreaterThan(5);
  });

  it('of a run whose end waited for what someone wrote is the same', async () => {
    const session = await service.start('Wait for words');
    service.model.says(
      write('u.md'),
      async () => {
        await session.comment('maintainer', '@issuewright In English?');
        await session.publish();
        return finish;
      },
      finish,
    );
    await session.advance();
    const entries = await session.journal();
    const held = entries.filter((one) => one.type === 'call_finished' && !one.ok);
    expect(held).toMatchObject([
      { output: expect.stringMatching(/^not run, because people wait/) },
    ]);
    expect(await replayJournal(session.id, entries)).toMatchObject({ runs: 1, differences: [] });
  });

  describe('of a journal that was tampered with', () => {
    let id: string;
    let entries: readonly Entry[];
    beforeAll(async () => {
      ({ id, entries } = await played('Tamper', [[look, write('t.md'), finish]]));
    });

    const changed = <Type extends Entry['type']>(
      type: Type,
      at: number,
      change: (entry: Extract<Entry, { type: Type }>) => object,
    ) => {
      const seq = entries.filter((entry) => entry.type === type).at(at)?.seq;
      const tampered = entries.map((entry) =>
        entry.seq === seq
          ? ({ ...entry, ...change(entry as Extract<Entry, { type: Type }>) } as Entry)
          : entry,
      );
      return replayJournal(id, tampered).then(({ differences }) =>
        differences.map((one) => [one.seq === seq, one.type, one.field]),
      );
    };

    it('says what the model’s text now says', async () => {
      expect(await changed('reply', 0, () => ({ text: write('other.md') }))).toEqual([
        [true, 'reply', 'calls'],
      ]);
    });
    it('says what a call is called now', async () => {
      expect(await changed('call_finished', 1, () => ({ title: 'Read it' }))).toEqual([
        [true, 'call_finished', 'title'],
      ]);
    });
    it('says what the model is told now', async () => {
      expect(await changed('input_read', 0, ({ text }) => ({ text: `.${text}` }))).toEqual([
        [true, 'input_read', 'text'],
      ]);
    });
    it('takes the list of files as it was recorded', async () => {
      expect(await changed('input_read', 0, ({ text }) => ({ text: `${text}, x.md` }))).toEqual([]);
    });
    it('says that the run would continue', async () => {
      expect(await changed('call_finished', -1, () => ({ halt: null }))).toEqual([
        [false, 'run_ended', undefined],
      ]);
    });
    it('says that the run would end there', async () => {
      expect(await changed('call_finished', 1, () => ({ halt: 'finished' }))).toEqual([
        [false, 'reply', undefined],
      ]);
    });
  });
});

describe('another model', () => {
  const USAGE = { input: 10, cached: 0, written: 0, output: 1, reasoning: 0 };

  /** `says`: its replies, in order. */
  function other(says: readonly (Partial<ModelReply> | Error)[], isNative = false) {
    const requests: ModelRequest[] = [];
    const model: Model = {
      name: 'test:other',
      destination: 'Nobody',
      callsTools: isNative,
      imageTypes: new Set(),
      contextWindow: undefined,
      reply: async (request) => {
        const said = says[requests.push({ ...request, messages: [...request.messages] }) - 1];
        if (said instanceof Error) throw said;
        const nothing = { text: '', reasoning: '', calls: [], stop: 'end', native: null } as const;
        return { ...nothing, usage: USAGE, cost: 0.5, ...said };
      },
    };
    return { model, requests };
  }

  const ASKED = { from: 1, most: Infinity, outputTokens: 100 };

  async function compared(...given: Parameters<typeof askOtherModel>): Promise<ReplyComparison[]> {
    const all: ReplyComparison[] = [];
    for await (const one of askOtherModel(...given)) all.push(one);
    return all;
  }

  it('is asked at each turn with what was said then, and its calls are not run', async () => {
    const before = service.model.requests.length;
    const { entries } = await played('Compare', [[look, write('u.md'), finish]]);
    const asked = service.model.requests.slice(before);
    const { model, requests } = other([{ text: look }, { text: ask }, { text: 'no JSON {' }]);
    const all = await compared(model, entries, ASKED);
    expect(all.map(({ turn, isSame }) => [turn, isSame])).toEqual([
      [1, true],
      [2, false],
      [3, false],
    ]);
    expect(all[1]).toMatchObject({
      recorded: { calls: [{ tool: 'write_file' }] },
      other: { calls: [{ tool: 'ask_question' }] },
      cost: 0.5,
    });
    expect(all[2]?.other.fault).not.toBeNull();
    expect(requests.map(({ system, messages }) => ({ system, messages }))).toEqual(
      asked.map(({ system, messages }) => ({ system, messages })),
    );
    const [third, none] = await compared(other([{ text: finish }]).model, entries, {
      ...ASKED,
      from: 3,
      most: 1,
    });
    expect([third?.turn, third?.isSame, none]).toEqual([3, true, undefined]);
  });

  it('that calls no tools of its provider is told of them in words', async () => {
    const { entries } = await played('Compare natively', [[look, finish]]);
    const native = entries.map((entry) =>
      entry.type === 'run_prepared' || entry.type === 'reply'
        ? { ...entry, protocol: 'native' as const }
        : entry,
    );
    const { model, requests } = other(
      [new ToolsUnsupported('none'), { text: look }, { text: finish }],
      true,
    );
    const all = await compared(model, native, ASKED);
    expect(all.map(({ isSame }) => isSame)).toEqual([true, true]);
    expect(requests[0]?.tools.length).toBeGreaterThan(3);
    expect(requests[1]?.tools).toEqual([]);
    expect(requests[1]?.system).toContain('tool_calls');
  });
});
