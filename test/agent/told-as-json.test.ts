// Models repeat what they see of themselves, so what they wrote in another form is told back as JSON.
import { describe, expect, it } from '@jest/globals';
import type { ProtocolName } from '../../src/contracts/entries.ts';
import type { ModelRequest } from '../../src/contracts/model.ts';
import { run } from './support.ts';

const inTags = (name: string, args: string): string =>
  `I look.\n<tool_code>\n<name>${name}</name>\n<parameters>\n${args}\n</parameters>\n</tool_code>`;
const contract = (name: string, args: string): string =>
  `{'plan': 'I look.', 'tool_calls': [{'tool_name': '${name}', 'arguments': ${args}}]}`;

/** What was written, and what is told. */
const FORMS: readonly [string, ProtocolName, (name: string, args: string) => string][] = [
  ['single quotes', 'json', contract],
  ['single quotes in prose', 'json', (...call) => `Here it is:\n${contract(...call)}\nI wait.`],
  ['single quotes in a fence', 'json', (...call) => `\`\`\`json\n${contract(...call)}\n\`\`\``],
  ['a brace too few', 'json', (...call) => contract(...call).slice(0, -1)],
  ['single quotes', 'react', inTags],
  [
    'single quotes in lines',
    'react',
    (name, args) => `Thought: I look.\nAction: ${name}\nAction Input: ${args}`,
  ],
  ['single quotes behind a name', 'react', (name, args) => `Action: ${name} ${args}`],
];

const ARGS = `{'text': 'It\\'s "x" and </tool_code>',}`;
const MEANT = JSON.stringify({ text: `It's "x" and </tool_code>` });

const told = ({ messages }: ModelRequest): string[] =>
  messages.flatMap((message) => (message.role === 'assistant' ? [message.text] : []));

describe('what a model wrote', () => {
  it.each(FORMS)('is told as JSON: %s, %s', async (_what, protocol, write) => {
    const lines = [write('note', ARGS), write('note', ARGS), write('end', '{}')];
    const whole = await run({ lines, protocol });
    expect(whole.end).toEqual({ kind: 'finished' });
    const [, second, third] = whole.requests;
    if (second === undefined || third === undefined) throw new Error('too few requests');
    expect(told(second)).toEqual([expect.stringContaining(MEANT)]);
    expect(told(second)[0]).not.toContain(ARGS);
    // What the provider cached of the request before stays usable.
    expect(third.messages.slice(0, second.messages.length)).toEqual(second.messages);
    const crashed = await run({ lines, protocol, crashAfter: 4 });
    const resumed = await run({ lines: lines.slice(1), protocol, journal: crashed.journal });
    expect(resumed.requests[0]?.messages).toEqual(second.messages);
  });

  it('stays as it is if it is JSON', async () => {
    const text =
      '{ "plan": "I look.",\n "tool_calls": [{"tool_name": "note", "arguments": {"text": "\\u0061"}}] }';
    const end = '{"plan": "", "tool_calls": [{"tool_name": "end", "arguments": {}}]}';
    const { requests } = await run({ lines: [text, end], protocol: 'json' });
    expect(requests[1] && told(requests[1])).toEqual([text]);
  });
});
