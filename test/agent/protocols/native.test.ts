import { describe, expect, it } from '@jest/globals';
import type { Call } from '../../../src/contracts/model.ts';
import { jsonProtocol, native, reactProtocol } from '../../../src/agent/protocols/index.ts';
import { failed, NATIVE, ok, replyOf, TOOL, turnOf } from './support.ts';

const CALLS: readonly Call[] = [
  { id: 'one', tool: 'read_file', arguments: { path: 'a.ts' } },
  { id: 'two', tool: 'finish', arguments: '{', fault: 'not JSON' },
];
const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('a reply of the native protocol is read as', () => {
  it('its calls, each with its id and with what is wrong with it', () => {
    expect(native.read(replyOf('I look.', { calls: CALLS }))).toEqual({
      thought: 'I look.',
      calls: CALLS,
      answer: null,
      fault: null,
    });
  });

  it('an answer if there is no call', () => {
    expect(native.read(replyOf(' Done. \n', { reasoning: 'Hm.' }))).toEqual({
      thought: 'Hm.',
      calls: [],
      answer: 'Done.',
      fault: null,
    });
  });

  it('an answer without the thinking that a server left in it', () => {
    const answerOf = (text: string) => native.read(replyOf(text)).answer;
    expect(answerOf('<think>Hm. {</think>\n\nDone.')).toBe('Done.');
    expect(answerOf('Hm.\n</think>\n\nDone.')).toBe('Done.');
    expect(answerOf('The tag `</think>` is read now.')).toBe('The tag `</think>` is read now.');
    expect(answerOf('Use <think> and </think>.')).toBe('Use <think> and </think>.');
  });

  it('a thought that is the reasoning if there is no text, and never long', () => {
    const thoughtOf = (text: string, reasoning: string) =>
      native.read(replyOf(text, { reasoning, calls: CALLS })).thought;
    expect(thoughtOf('', 'Hm.')).toBe('Hm.');
    expect(thoughtOf('<think>Hm.</think>', '')).toBe('');
    expect(thoughtOf('I look.', 'Hm.')).toBe('I look.');
    expect(thoughtOf('', 'x'.repeat(5_000))).toHaveLength(2_000);
  });
});

describe('a reply of the native protocol with nothing but reasoning', () => {
  // As in QwenLM/qwen-code#7034, janhq/jan#8712 and cline/cline#13165, #9857.
  const CALL = '{"name":"read_file","arguments":{"path":"a.ts"}}';
  it.each<[string, string]>([
    ['in the form of its model', `I look.\n<tool_call>\n${CALL}\n</tool_call>\n`],
    ['in tags', '<function=read_file>\n<parameter=path>\na.ts\n</parameter>\n</function>'],
    ['as JSON', `I look.\n${CALL}`],
  ])('makes the calls that it ends with: %s', (_how, reasoning) => {
    const { calls, fault } = native.read(replyOf('', { reasoning }));
    expect(calls.map(({ tool, arguments: given }) => [tool, given])).toEqual([
      ['read_file', { path: 'a.ts' }],
    ]);
    expect(fault).toBeNull();
  });

  it.each<[string, string]>([
    ['that something follows', `<tool_call>${CALL}</tool_call>\nNo, first the other file.`],
    ['that are not whole', `<tool_call>{"name":"read_file","arguments":{"path":"a.`],
    ['without the name of a tool', 'I look. {"path":"a.ts"}'],
    ['of an unknown tool', '{"name":"open_door","arguments":{}}'],
    ['that prose mentions', 'I could end this with finish(summary="x")'],
    ['of which there are none', 'Hm.'],
  ])('makes no calls %s', (_which, reasoning) => {
    const { calls, answer, fault } = native.read(replyOf('', { reasoning }));
    expect({ calls, answer }).toEqual({ calls: [], answer: null });
    expect(fault).toMatch(/no call and no answer followed/);
  });
});

describe('a reply of the native protocol is faulty', () => {
  it.each([
    ['when it says nothing', replyOf('\n'), /neither a call nor an answer/],
    ['when its thinking never ends', replyOf('<think>Hm.'), /neither a call nor an answer/],
    ['when it was cut', replyOf('Half', { stop: 'cut' }), /smaller parts/],
    ['when its text contains a call', replyOf('x\n<tool_call>\n{}</tool_call>'), /as text/],
    ['when its text is a call', replyOf('{"name": "a", "arguments": {}}'), /as text/],
    ['when its text is a list of calls', replyOf('[{"name": "a", "arguments": {}}]'), /as text/],
  ])('%s', (_when, reply, fault) => {
    const reading = native.read(reply);
    expect(reading.fault).toMatch(fault);
    expect([reading.calls, reading.answer]).toEqual([[], null]);
  });

  it('when it was cut among its calls, which are kept to be answered', () => {
    const reading = native.read(replyOf('', { calls: CALLS, stop: 'cut' }));
    expect(reading).toMatchObject({ calls: CALLS, fault: expect.stringMatching(/smaller parts/) });
  });

  it('when it has more than 50 calls', () => {
    const calls = (count: number) =>
      Array.from({ length: count }, (_item, index) => ({
        id: `${index}`,
        tool: 'a',
        arguments: {},
      }));
    expect(native.read(replyOf('', { calls: calls(50) })).fault).toBeNull();
    expect(native.read(replyOf('', { calls: calls(51) })).fault).toMatch(/51 calls; at most 50/);
  });

  it('when arguments are nested too deeply, and then it is kept without them', () => {
    const read = (levels: number) =>
      native.read(replyOf('', { calls: [{ id: '1', tool: 'a', arguments: nested(levels) }] }));
    expect(read(64).fault).toBeNull();
    expect(read(65).fault).toMatch(/call 1 are nested too deeply/);
    expect(read(65).calls).toEqual([{ id: '1', tool: 'a', arguments: {} }]);
    expect(read(3_000).fault).toMatch(/nested too deeply/);
  });
});

describe('what the native protocol tells a model', () => {
  it('is the tools in the form of the provider, and in which order calls run', () => {
    expect(native.instructions([TOOL])).toBe(
      '# Calls\nThe calls of a reply run in order. Make all that need no earlier result in one reply: searches and reads.',
    );
    expect(native.specs([TOOL])).toMatchObject([
      { name: 'read_file', description: 'Reads a <file>.', parameters: { required: ['path'] } },
    ]);
  });

  it('is the reply as it came, then all results together', () => {
    const turn = turnOf(native, replyOf('I look.', { calls: CALLS }), [ok('text'), failed('no')]);
    expect(native.messages(turn)).toEqual([
      { role: 'assistant', text: 'I look.', calls: CALLS, native: NATIVE },
      {
        role: 'results',
        results: [
          { id: 'one', tool: 'read_file', ok: true, output: 'text' },
          { id: 'two', tool: 'finish', ok: false, output: 'no' },
        ],
      },
    ]);
  });

  it('is a result for every call of a faulty reply', () => {
    const turn = turnOf(native, replyOf('', { calls: CALLS, stop: 'cut' }));
    const [reply, results] = native.messages(turn);
    expect(reply).toMatchObject({ calls: CALLS, native: NATIVE });
    expect(results).toMatchObject({
      results: [
        { id: 'one', ok: false, output: expect.stringMatching(/^not run: .*smaller parts/) },
        { id: 'two', ok: false },
      ],
    });
  });

  it('is what was wrong with a faulty reply that has no calls', () => {
    expect(native.messages(turnOf(native, replyOf('')))).toEqual([
      { role: 'assistant', text: '(no words)', calls: [], native: null },
      {
        role: 'user',
        text: expect.stringMatching(/^Your reply could not be used: it contains neither/),
      },
    ]);
  });

  it('is an answer without the call that was made for it, and why that failed', () => {
    const finish = { calls: [{ tool: 'finish', arguments: {} }] };
    const reply = { role: 'assistant', text: 'Done.', calls: [], native: NATIVE };
    const messages = (outcome: ReturnType<typeof ok>) =>
      native.messages(turnOf(native, replyOf('Done.'), [outcome], finish));
    expect(messages(ok('Finished.'))).toEqual([reply]);
    expect(messages(failed('the push was denied'))).toEqual([
      reply,
      { role: 'user', text: 'The work could not be ended: the push was denied' },
    ]);
  });
});

describe('a turn of another protocol is written in the form of the native protocol', () => {
  it('its thought, and its calls with names that are the same in every request', () => {
    const text = JSON.stringify({
      plan: 'Look.',
      tool_calls: ['a', 'b'].map((tool_name) => ({ tool_name, arguments: {} })),
    });
    const turn = turnOf(jsonProtocol, replyOf(text), [ok('1'), ok('2')]);
    expect(native.messages(turn)).toEqual([
      {
        role: 'assistant',
        text: 'Look.',
        calls: [
          { id: 'call_7_0', tool: 'a', arguments: {} },
          { id: 'call_7_1', tool: 'b', arguments: {} },
        ],
        native: null,
      },
      {
        role: 'results',
        results: [
          { id: 'call_7_0', tool: 'a', ok: true, output: '1' },
          { id: 'call_7_1', tool: 'b', ok: true, output: '2' },
        ],
      },
    ]);
  });

  it('an answer, without what stood around it', () => {
    const turn = turnOf(reactProtocol, replyOf('x <final_answer>Done.</final_answer>'), [ok('')]);
    expect(native.messages(turn)).toEqual([
      { role: 'assistant', text: 'Done.', calls: [], native: null },
    ]);
  });

  it('a faulty reply, in its own words but without its wire items', () => {
    const [told, correction] = native.messages(turnOf(jsonProtocol, replyOf('Hm.')));
    expect(told).toEqual({ role: 'assistant', text: 'Hm.', calls: [], native: null });
    expect(correction).toMatchObject({ text: expect.stringContaining('no JSON object') });
  });
});
