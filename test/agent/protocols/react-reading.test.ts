import { describe, expect, it } from '@jest/globals';
import { react } from '../../../src/agent/protocols/react.ts';
import { ANSWERS, CALLS, FAULTS } from './react-samples.ts';
import { replyOf } from './support.ts';

describe('a reply of the react protocol is read as', () => {
  it.each(CALLS)('%s', (_how, text, args) => {
    const { calls, answer, fault } = react.read(replyOf(text));
    expect({ calls, answer, fault }).toEqual({
      calls: [{ tool: 'write_file', arguments: args }],
      answer: null,
      fault: null,
    });
  });

  it.each(ANSWERS)('an answer: %s', (_how, text, words) => {
    const { calls, answer, fault } = react.read(replyOf(text));
    expect({ calls, answer, fault }).toEqual({ calls: [], answer: words, fault: null });
  });

  it.each([
    ['Look first.\n\n<tool_code><name>a</name><parameters>{}</parameters></tool_code>'],
    ['Thought: Look first.\nAction: a\nAction Input: {}'],
    ['**THOUGHT:** Look first.\n**ACTION:**\n<tool_code><name>a</name><parameters>{}</parameters>'],
    ['Look first.\n<final_answer>Done.</final_answer>'],
    ['<think>Hm.</think>Thought: Look first.\nFinal Answer: Done.'],
  ])('a thought and what follows from it: %j', (text) => {
    expect(react.read(replyOf(text)).thought).toBe('Look first.');
  });
});

describe('a reply of the react protocol that cannot be read with certainty', () => {
  it.each(FAULTS)('gets a message that says what is wrong: %s', (_what, text, fault) => {
    const reading = react.read(replyOf(text));
    expect(reading.fault).toMatch(fault);
    expect(reading.calls).toEqual([]);
    expect(reading.answer).toBeNull();
  });

  it.each([...CALLS, ...ANSWERS].map(([, text]) => text))('is never used when cut: %j', (text) => {
    const reading = react.read(replyOf(text, { stop: 'cut' }));
    expect(reading.fault).toMatch(/smaller parts/);
    expect([reading.calls, reading.answer]).toEqual([[], null]);
  });
});
