import { describe, expect, it } from '@jest/globals';
import { jsonProtocol, native, none } from '../../../src/agent/protocols/index.ts';
import { NATIVE, ok, replyOf, TOOL, turnOf } from './support.ts';

describe('without tools', () => {
  it('a model gets none', () => {
    expect([none.instructions([TOOL]), none.specs([TOOL])]).toEqual(['', []]);
  });

  it.each([
    ['It is so.', 'It is so.'],
    ['<think>Hm.</think>\nIt is so.', 'It is so.'],
    ['{"plan": "x", "tool_calls": []}', '{"plan": "x", "tool_calls": []}'],
    ['<tool_call>{}</tool_call>', '<tool_call>{}</tool_call>'],
  ])('every reply is an answer: %s', (text, answer) => {
    expect(none.read(replyOf(text, { reasoning: 'Hm.' }))).toEqual({
      thought: 'Hm.',
      calls: [],
      answer,
      fault: null,
    });
  });

  it('one that was cut is an answer as well, and says so', () => {
    const { answer, fault } = none.read(replyOf('It is', { stop: 'cut' }));
    expect(answer).toMatch(/^It is\n\n\*The answer ends here because.*\*$/);
    expect(fault).toBeNull();
  });

  it('a reply without text is invalid', () => {
    expect(none.read(replyOf(' ')).fault).toMatch(/no text/);
    expect(none.read(replyOf('<think>Hm.', { stop: 'cut' })).fault).toMatch(/smaller parts/);
  });

  it('an answer is sent back unchanged', () => {
    expect(none.messages(turnOf(none, replyOf('It is', { stop: 'cut' })))).toEqual([
      { role: 'assistant', text: 'It is', calls: [], native: NATIVE },
    ]);
    expect(none.messages(turnOf(none, replyOf('')))).toEqual([
      { role: 'assistant', text: '(no words)', calls: [], native: null },
      { role: 'user', text: expect.stringMatching(/it contains no text\. Answer with text/) },
    ]);
  });

  it('earlier turns with tools are written as text', () => {
    const calls = [{ id: '1', tool: 'a', arguments: {} }];
    const turn = turnOf(native, replyOf('I look.', { calls }), [ok('text')]);
    expect(none.messages(turn)).toEqual(jsonProtocol.messages(turn));
    expect(none.messages(turnOf(native, replyOf('Done.'), [ok('')]))).toEqual([
      { role: 'assistant', text: 'Done.', calls: [], native: null },
    ]);
    expect(none.messages(turnOf(jsonProtocol, replyOf('Hm.')))).toMatchObject([
      { text: 'Hm.', native: null },
      { text: expect.stringMatching(/Answer with text/) },
    ]);
  });
});
