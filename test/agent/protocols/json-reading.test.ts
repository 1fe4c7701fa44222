import { describe, expect, it } from '@jest/globals';
import { jsonProtocol } from '../../../src/agent/protocols/index.ts';
import { READABLE, UNREADABLE } from './json-samples.ts';
import { replyOf } from './support.ts';

describe('a reply of the json protocol is read', () => {
  it.each(READABLE)('%s', (_how, text, args) => {
    expect(jsonProtocol.read(replyOf(text))).toEqual({
      thought: 'x',
      calls: [{ tool: 'write_file', arguments: args }],
      answer: null,
      fault: null,
    });
  });

  it('with its calls in order', () => {
    const calls = ['a', 'b', 'a'].map((name) => ({ tool_name: name, arguments: {} }));
    const reading = jsonProtocol.read(replyOf(JSON.stringify({ plan: '', tool_calls: calls })));
    expect(reading.calls.map(({ tool }) => tool)).toEqual(['a', 'b', 'a']);
  });
});

describe('a reply that cannot be read with certainty is answered with what is wrong', () => {
  it.each(UNREADABLE)('%s', (_what, text, fault) => {
    const reading = jsonProtocol.read(replyOf(text));
    expect(reading.fault).toMatch(fault);
    expect(reading.calls).toEqual([]);
    expect(reading.answer).toBeNull();
  });

  it.each(READABLE)('when it was cut, even if it looks complete: %s', (_how, text) => {
    const reading = jsonProtocol.read(replyOf(text, { stop: 'cut' }));
    expect(reading.fault).toMatch(/smaller parts/);
    expect(reading.calls).toEqual([]);
  });

  it('when its calls came through the tool calling of the provider', () => {
    const calls = [{ id: '1', tool: 'a', arguments: {} }];
    expect(jsonProtocol.read(replyOf('', { calls })).fault).toMatch(/write them in the text/);
  });
});
