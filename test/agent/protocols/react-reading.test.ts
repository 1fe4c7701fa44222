import { describe, expect, it } from '@jest/globals';
import { reactProtocol } from '../../../src/agent/protocols/index.ts';
import { ANSWERS, CALLS, FAULTS } from './react-samples.ts';
import { ok, replyOf, turnOf } from './support.ts';

describe('a reply of the react protocol is read as', () => {
  it.each(CALLS)('%s', (_how, text, args) => {
    const { calls, answer, fault } = reactProtocol.read(replyOf(text));
    expect({ calls, answer, fault }).toEqual({
      calls: [{ tool: 'write_file', arguments: args }],
      answer: null,
      fault: null,
    });
  });

  it.each([
    ['a path', 'Action: read_file\nAction Input: src/a b.ts', 'src/a b.ts'],
    ['code', 'Thought: x\nAction: read_file\nAction Input: `a.ts`\nObservation: ok', 'a.ts'],
    ['lines', 'Action: read_file\nAction Input: one\ntwo\n\nThought: y\nAction: z', 'one\ntwo'],
    ['a value in brackets', 'Action: read_file("a.ts")', 'a.ts'],
  ])('the text that a tool takes, without its name: %s', (_how, text, path) => {
    const reply = replyOf(text);
    expect(reactProtocol.read(reply).calls).toEqual([{ tool: 'read_file', arguments: { path } }]);
    const [own] = reactProtocol.messages(turnOf(reactProtocol, reply, [ok('fine')]));
    expect(own?.role === 'assistant' && JSON.stringify(own)).not.toMatch(/Observation|Thought: y/);
  });

  it.each(ANSWERS)('an answer: %s', (_how, text, words) => {
    const { calls, answer, fault } = reactProtocol.read(replyOf(text));
    expect({ calls, answer, fault }).toEqual({ calls: [], answer: words, fault: null });
  });

  it.each([
    ['Look first.\n\n<tool_code><name>a</name><parameters>{}</parameters></tool_code>'],
    ['Thought: Look first.\nAction: a\nAction Input: {}'],
    ['**THOUGHT:** Look first.\n**ACTION:**\n<tool_code><name>a</name><parameters>{}</parameters>'],
    ['Look first.\n<final_answer>Done.</final_answer>'],
    ['<think>Hm.</think>Thought: Look first.\nFinal Answer: Done.'],
  ])('a thought and what follows from it: %j', (text) => {
    expect(reactProtocol.read(replyOf(text)).thought).toBe('Look first.');
  });
});

describe('a reply of the react protocol that cannot be read with certainty', () => {
  it.each(FAULTS)('gets a message that says what is wrong: %s', (_what, text, fault) => {
    const reading = reactProtocol.read(replyOf(text));
    expect(reading.fault).toMatch(fault);
    expect(reading.calls).toEqual([]);
    expect(reading.answer).toBeNull();
  });

  it.each([...CALLS, ...ANSWERS].map(([, text]) => text))('is never used when cut: %j', (text) => {
    const reading = reactProtocol.read(replyOf(text, { stop: 'cut' }));
    expect(reading.fault).toMatch(/smaller parts/);
    expect([reading.calls, reading.answer]).toEqual([[], null]);
  });
});
