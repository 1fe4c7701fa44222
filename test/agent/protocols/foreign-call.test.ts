import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { FAMILIES } from '../../../src/agent/protocols/foreign/json-calls.ts';
import { jsonProtocol, native, reactProtocol } from '../../../src/agent/protocols/index.ts';
import type { Tool } from '../../../src/contracts/tool.ts';
import { ANSWERS, READABLE, UNREADABLE } from './foreign-samples.ts';
import { ok, replyOf, TOOL, turnOf } from './support.ts';
import { zodArguments } from '../../../src/tools/define-tool.ts';

const tool = (name: string, shape: z.ZodRawShape, aliases: string[] = []): Tool => ({
  ...TOOL,
  name,
  aliases,
  arguments: zodArguments(z.object(shape)),
});
const TOOLS = [
  tool('write_file', { path: z.string(), content: z.string() }),
  tool('read_file', { path: z.string(), limit: z.number().optional() }),
  tool('git_status', {}),
  tool('commit', { message: z.string() }, ['git_commit']),
  tool('finish', { summary: z.string() }),
];
const replied = (text: string) => replyOf(text, { tools: TOOLS });

/** The JSON protocol has a list `tool_calls` itself, and asks for a plan beside it. */
const FOR_JSON = READABLE.filter(([form]) => form !== 'OpenAI, its API');

describe.each([
  ['native', native, READABLE],
  ['react', reactProtocol, READABLE],
  ['json', jsonProtocol, FOR_JSON],
] as const)('under the %s protocol', (_name, protocol, samples) => {
  it.each(samples)('the form of %s is read', (_form, text, calls) => {
    const reading = protocol.read(replied(text));
    expect(reading.fault).toBeNull();
    expect(reading.calls.map((call) => [call.tool, call.arguments])).toEqual(calls);
    expect(reading.answer).toBeNull();
  });

  it.each(UNREADABLE)('%s is not run, and is no answer', (_form, text) => {
    expect(protocol.read(replied(text))).toMatchObject({
      calls: [],
      answer: null,
      fault: expect.stringMatching(/./),
    });
  });
});

describe.each([native, reactProtocol])('under the $name protocol', (protocol) => {
  it.each(ANSWERS)('%s is an answer', (_what, text) => {
    expect(protocol.read(replied(text))).toMatchObject({ calls: [], answer: text, fault: null });
  });
});

describe('a family of models', () => {
  const texts = [...READABLE, ...UNREADABLE].map(([, text]) => text);
  it.each(FAMILIES.map(({ models, sign }) => [models, sign] as const))(
    '%s is recognised in a sample by %s',
    (_models, sign) => {
      expect(texts.some((text) => new RegExp(sign, 'im').test(text))).toBe(true);
    },
  );
});

describe('a call that was read from the text of a reply', () => {
  const text = 'I look.\n<tool_call>{"name": "git_status", "arguments": {}}</tool_call>\nI wait.';

  it('is told to the model as if it had been made by native tool calling', () => {
    const turn = turnOf(native, replied(text), [ok('clean')]);
    const calls = [{ id: 'call_7_0', tool: 'git_status', arguments: {} }];
    expect(native.messages(turn)).toEqual([
      { role: 'assistant', text: 'I look.', calls, native: null },
      {
        role: 'results',
        results: [{ id: 'call_7_0', tool: 'git_status', ok: true, output: 'clean' }],
      },
    ]);
  });

  it('is no answer in the tags of one, unless the answer is about it', () => {
    const answerOf = (inside: string, before = '') =>
      reactProtocol.read(replied(`${before}<final_answer>${inside}</final_answer>`)).answer;
    expect(answerOf(text.slice('I look.\n'.length, -'\nI wait.'.length))).toBeNull();
    expect(answerOf('Done.', text)).toBeNull();
    expect(answerOf(text)).toBe(text);
    expect(reactProtocol.read(replied(`Thought: x\nFinal Answer: ${text}`)).answer).toBeNull();
  });
});
