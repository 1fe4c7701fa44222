import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { toolbox } from '../../src/agent/dispatch.ts';
import type { AgentEntry, LoopEnd, NewAgentEntry } from '../../src/agent/entries.ts';
import { History } from '../../src/agent/history.ts';
import { jsonProtocol } from '../../src/agent/json-protocol.ts';
import { abandonCalls, runLoop, type Inbox } from '../../src/agent/loop.ts';
import type { Message, Model, ModelRequest } from '../../src/agent/model.ts';
import type { Tool } from '../../src/agent/tool.ts';
import { TellModel, TellPerson } from '../../src/lib/errors.ts';

type Entry = AgentEntry<string>;

const say = (...calls: [string, object][]): string =>
  JSON.stringify({
    plan: 'as scripted',
    tool_calls: calls.map(([tool_name, args]) => ({ tool_name, arguments: args })),
  });

/** A model that says its lines in order, and remembers what it was asked. */
function scripted(lines: readonly string[]) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    name: 'test:scripted',
    reply: (request) => {
      requests.push({ ...request, messages: [...request.messages] });
      const said = request.messages.filter(({ role }) => role === 'assistant').length;
      const text = lines[said];
      if (text === undefined) throw new Error('the script is over');
      const usage = { input: 1, cached: 0, output: 1, reasoning: 0 };
      return Promise.resolve({ text, stop: 'end', usage });
    },
  };
  return { model, requests };
}

const done: string[] = [];
const tool = (name: string, run: Tool<string>['run']): Tool<string> => ({
  name,
  aliases: [`${name}_alias`],
  description: `does ${name}`,
  arguments: z.object({ text: z.string().default('') }),
  argumentAliases: { question_text: 'text' },
  safety: 'safe',
  title: (args) => `${name} ${String(args['text'])}`,
  run,
});
const TOOLS = toolbox<string>([
  tool('note', (args) => {
    done.push(String(args['text']));
    return Promise.resolve({ output: 'noted', effects: [String(args['text'])] });
  }),
  tool('fail', () => Promise.reject(new TellModel('no such file; list the directory first'))),
  tool('break', () => Promise.reject(new TellPerson('Push was refused.'))),
  tool('ask', () => Promise.resolve({ output: 'asked', halt: 'asked' })),
  tool('end', () => Promise.resolve({ output: 'over', halt: 'finished' })),
]);

interface Setup {
  readonly lines: readonly string[];
  readonly journal?: Entry[];
  readonly inbox?: Inbox;
  readonly turns?: number;
  readonly elapsedMs?: () => number;
  /** Stop as a crash would, right after this many entries were stored. */
  readonly crashAfter?: number;
}

async function run({
  lines,
  journal = [],
  inbox,
  turns = 20,
  crashAfter = Infinity,
  elapsedMs,
}: Setup) {
  const { model, requests } = scripted(lines);
  const history = new History<string>(jsonProtocol);
  for (const entry of journal) history.add(entry);
  let asked = journal.some(({ type }) => type === 'input_taken');
  const once: Inbox = () => {
    if (asked) return Promise.resolve(undefined);
    asked = true;
    return Promise.resolve({ upTo: 1, text: 'Fix the bug.' });
  };
  const loop = runLoop<string>({
    model,
    protocol: jsonProtocol,
    instructions: 'You are a test.',
    tools: TOOLS,
    history,
    inbox: inbox ?? once,
    limits: { turns, wallTimeMs: 60_000, faults: 3, outputTokens: 100 },
    cacheKey: 'test',
    signal: new AbortController().signal,
    redact: (text) => text.replaceAll('SECRET', '[redacted]'),
    elapsedMs: elapsedMs ?? (() => 0),
  });
  const end = await drive(loop, journal, crashAfter);
  return { end, journal, requests };
}

async function drive(
  loop: AsyncGenerator<NewAgentEntry<string>, LoopEnd | void, Entry>,
  journal: Entry[],
  crashAfter = Infinity,
): Promise<LoopEnd | void> {
  let step = await loop.next();
  while (step.done !== true) {
    if (journal.length >= crashAfter) return undefined;
    const stored = { ...step.value, seq: journal.length + 1, at: '2026-01-02T03:04:05.000Z' };
    journal.push(stored);
    step = await loop.next(stored);
  }
  return step.value;
}

const results = (journal: readonly Entry[]) =>
  journal.flatMap((entry) => (entry.type === 'call_finished' ? [[entry.ok, entry.output]] : []));

describe('the loop', () => {
  it('asks, acts in order, records each step before the next, and ends when a call ends it', async () => {
    const { end, journal } = await run({
      lines: [say(['note', { text: 'a' }], ['note', { text: 'b' }]), say(['end', {}])],
    });
    expect(end).toEqual({ kind: 'finished' });
    expect(journal.map(({ type }) => type)).toEqual([
      'input_taken',
      'reply',
      'call_started',
      'call_finished',
      'call_started',
      'call_finished',
      'reply',
      'call_started',
      'call_finished',
    ]);
  });

  it('tells the model what failed, and does not run the calls after it', async () => {
    done.length = 0;
    const { journal, requests } = await run({
      lines: [say(['fail', {}], ['note', { text: 'after' }]), say(['end', {}])],
    });
    expect(done).toEqual([]);
    expect(results(journal).slice(0, 2)).toEqual([
      [false, 'no such file; list the directory first'],
      [false, 'not run: a call before it failed'],
    ]);
    expect(requests[1]?.messages.at(-1)?.text).toContain('list the directory first');
  });

  it.each([
    ['an unknown tool', 'nonsense', /no tool "nonsense".*note/],
    ['the name of an object property', 'constructor', /no tool "constructor"/],
    ['prototype names', '__proto__', /no tool/],
  ])('answers %s instead of throwing', async (_what, name, answer) => {
    const { journal, end } = await run({ lines: [say([name, {}]), say(['end', {}])] });
    expect(results(journal)[0]?.[1]).toMatch(answer);
    expect(end).toEqual({ kind: 'finished' });
  });

  it('answers bad arguments with what is wrong with them', async () => {
    const { journal } = await run({ lines: [say(['note', { text: 7 }]), say(['end', {}])] });
    expect(results(journal)[0]?.[1]).toMatch(/arguments of note are not valid.*text/s);
  });

  it('accepts the other names of tools and arguments', async () => {
    done.length = 0;
    await run({ lines: [say(['note_alias', { question_text: 'alias' }]), say(['end', {}])] });
    expect(done).toEqual(['alias']);
  });

  it('tells a model that answers nonsense three times, then fails in words', async () => {
    const { end, requests } = await run({ lines: ['?', '??', '???', '????', say(['end', {}])] });
    expect(end).toMatchObject({ kind: 'failed', words: expect.stringContaining('4 times') });
    expect(requests).toHaveLength(4);
    expect(
      requests[3]?.messages.filter(({ text }) => text.includes('exactly this form')),
    ).toHaveLength(3);
  });

  it('forgets earlier nonsense after a good reply', async () => {
    const lines = ['?', '?', '?', say(['note', {}]), '?', say(['end', {}])];
    expect((await run({ lines })).end).toEqual({ kind: 'finished' });
  });

  it('stops at the limit of turns and says so', async () => {
    const lines = Array.from({ length: 9 }, () => say(['note', {}]));
    const { end, requests } = await run({ lines, turns: 3 });
    expect(end).toMatchObject({ kind: 'limit', words: expect.stringContaining('3 model replies') });
    expect(requests).toHaveLength(3);
  });

  it('stops between two calls when its time is over', async () => {
    done.length = 0;
    let now = 0;
    const { end } = await run({
      lines: [say(['note', { text: 'a' }], ['note', { text: 'b' }])],
      elapsedMs: () => (now += 25_000),
    });
    expect(done.length).toBeLessThan(2);
    expect(end).toMatchObject({ kind: 'limit', words: expect.stringContaining('1 minutes') });
  });

  it('keeps secrets out of results, titles and effects', async () => {
    const { journal } = await run({ lines: [say(['note', { text: 'SECRET' }]), say(['end', {}])] });
    const kept = journal.filter(({ type }) => type !== 'reply');
    expect(JSON.stringify(kept)).not.toContain('SECRET');
    expect(JSON.stringify(kept)).toContain('[redacted]');
  });

  it('ends in words for the person when a tool meets what the model cannot mend', async () => {
    const { end, journal } = await run({ lines: [say(['break', {}], ['note', {}])] });
    expect(end).toEqual({ kind: 'failed', words: 'Push was refused.' });
    expect(results(journal)).toHaveLength(2);
  });

  it('takes what people said before the next request, and the model reads it there', async () => {
    const texts = ['Fix the bug.', undefined, 'And the docs, please.'];
    let turn = 0;
    const inbox: Inbox = () => {
      const text = texts[turn++];
      return Promise.resolve(text === undefined ? undefined : { upTo: turn, text });
    };
    const { requests } = await run({
      lines: [say(['note', {}]), say(['note', {}]), say(['end', {}])],
      inbox,
    });
    expect(requests[1]?.messages.at(-1)?.text).not.toContain('docs');
    expect(requests[2]?.messages.at(-1)).toEqual({ role: 'user', text: 'And the docs, please.' });
  });
});

describe('an interrupted run', () => {
  const lines = [
    say(['note', { text: 'a' }], ['note', { text: 'b' }]),
    '?',
    say(['fail', {}], ['note', { text: 'c' }]),
    say(['note', { text: 'd' }], ['end', {}]),
  ];

  it('goes on from any point to the same journal, with the same requests byte for byte', async () => {
    const whole = await run({ lines });
    const lastRequest: readonly Message[] = whole.requests.at(-1)?.messages ?? [];
    for (let crashAfter = 1; crashAfter < whole.journal.length; crashAfter++) {
      const journal: Entry[] = [];
      await run({ lines, journal, crashAfter });
      expect(journal).toHaveLength(crashAfter);
      const { end, requests } = await run({ lines, journal });
      expect(end).toEqual(whole.end);
      const untimed = (entries: Entry[]) => entries.map((entry) => ({ ...entry, took: 0 }));
      expect(untimed(journal)).toEqual(untimed(whole.journal));
      expect(requests.at(-1)?.messages ?? lastRequest).toEqual(lastRequest);
    }
  });

  it('that met what nobody can mend ends so after a crash as well', async () => {
    const journal: Entry[] = [];
    await run({ lines: [say(['break', {}])], journal, crashAfter: 4 });
    const { end, requests } = await run({ lines: [say(['break', {}])], journal });
    expect(end).toEqual({ kind: 'failed', words: 'Push was refused.' });
    expect(requests).toEqual([]);
  });

  it('never repeats a call that has its result', async () => {
    const journal: Entry[] = [];
    done.length = 0;
    await run({ lines, journal, crashAfter: 4 });
    await run({ lines, journal });
    expect(done).toEqual(['a', 'b', 'd']);
  });
});

describe('a new run after one that asked', () => {
  it('begins with the answer, not with the halt of the run before', async () => {
    const lines = [say(['ask', {}], ['note', { text: 'late' }]), say(['end', {}])];
    const first = await run({ lines });
    expect(first.end).toEqual({ kind: 'asked' });
    const history = new History<string>(jsonProtocol);
    for (const entry of first.journal) history.add(entry);
    expect(history.end).toEqual({ kind: 'asked' });
    history.beginRun();
    expect(history.end).toBeUndefined();
    expect(results(first.journal).at(-1)).toEqual([
      false,
      'not run: the call before it ended this run',
    ]);
  });

  it('leaves calls undone that a stopped run left open', async () => {
    const journal: Entry[] = [];
    await run({ lines: [say(['note', {}], ['note', {}])], journal, crashAfter: 3 });
    const history = new History<string>(jsonProtocol);
    for (const entry of journal) history.add(entry);
    await drive(abandonCalls(history, 'not run: over'), journal);
    expect(results(journal)).toEqual([
      [false, 'not run: over'],
      [false, 'not run: over'],
    ]);
    expect(history.openCall).toBeUndefined();
  });
});
