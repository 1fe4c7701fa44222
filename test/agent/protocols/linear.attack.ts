import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ProtocolName } from '../../../src/contracts/entries.ts';
import { protocolNamed } from '../../../src/agent/protocols/index.ts';
import { expectLinear } from '../../support/growth.ts';
import { NATIVE, ok, replyOf, turnOf } from './support.ts';
import { cases } from '../../support/cases.ts';

const LENGTH = cases(40_000, 100_000);
const NAMES: readonly ProtocolName[] = ['json', 'react', 'native', 'none'];

const SIGNS = String.raw`{ } [ ] " \ ' “ ” * # / : , 1 - a é < {" {' {"a": {a:1, {/* {// "a" \" \u \\`;
const JSON_PARTS = '``` {"plan": {"plan":"x","tool_calls":[ {"plan":"x"}';
const TAGS =
  '<tool_code> <name> </name> <parameters> </parameters> </tool_code> <observation> </observation <final_answer> </final_answer> <think> </think> <think></think> [TOOL_CALLS]';
const PIECES = [
  ...[SIGNS, JSON_PARTS, TAGS].flatMap((pieces) => pieces.split(' ')),
  ' ',
  '\n',
  '\r\n',
  '\0',
  '`',
  '```json\n',
  '\n```\n{',
  '<tool_code>\n<name>a</name>\n<parameters>',
  '\nThought:',
  '\nAction:',
  '\nAction: a\nAction Input: {',
  '\nObservation:',
  '\nFinal Answer:',
  '\n<tool_call>',
  '<function=read_file>',
  '<parameter=path>x</parameter>',
  '<｜tool▁sep｜>',
  'read_file ',
  'read_file(path="x",',
  'to=functions.',
  '&lt;',
  '\t',
];
const FRAMES = [
  ['', ''],
  ['{"plan": "x", "tool_calls": [{"tool_name": "a", "arguments": {"b": "', '"}}]}'],
  ['<tool_code>\n<name>a</name>\n<parameters>\n{"a": ', '}\n</parameters>\n</tool_code>'],
  ['Thought: x\nAction: a\nAction Input: ', '\nObservation:'],
  ['<tool_code><name>a</name><parameters>{}</parameters></tool_code>', 'x\nThought: y'],
  ['{"plan": "x", "tool_calls": []}', '{"plan": "y"}'],
  ['<final_answer>', '</final_answer>'],
  ['"', '"'],
  ['read_file', '{'],
  ['\n[read_file(path="', '")]'],
  ['<tool_call><function=read_file><parameter=path>', '</parameter></function></tool_call>'],
] as const;

const piece = fc.oneof(fc.constantFrom(...PIECES), fc.string());
const hostile = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

describe.each(NAMES)('whatever a model writes, the %s protocol', (name) => {
  const protocol = protocolNamed(name);

  it('reads it as calls, an answer or a fault, and can tell it to a model', () => {
    const stop = fc.constantFrom('end' as const, 'cut' as const, 'filtered' as const);
    fc.assert(
      fc.property(hostile, stop, (text, how) => {
        const reading = protocol.read(replyOf(text, { stop: how }));
        const { calls, answer, fault } = reading;
        expect([calls.length > 0, answer !== null, fault !== null].filter(Boolean)).toHaveLength(1);
        expect(Object.keys(reading).toSorted()).toEqual(['answer', 'calls', 'fault', 'thought']);
        for (const other of NAMES) {
          const turn = turnOf(
            protocol,
            replyOf(text, { stop: how }),
            calls.map(() => ok(text)),
          );
          const messages = protocolNamed(other).messages(turn);
          expect(messages[0]?.role).toBe('assistant');
        }
      }),
      { numRuns: cases(200, 1_000) },
    );
  });

  it('takes linear time for it', () => {
    for (const unit of PIECES) {
      for (const frame of FRAMES)
        expectLinear((length) => work(name, filled(frame, unit, length)), LENGTH);
    }
  });

  it('takes linear time for mixtures', () => {
    const mixture = fc.array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(mixture, fc.constantFrom(...FRAMES), (units, frame) => {
        expectLinear((length) => work(name, filled(frame, units.join(''), length)), LENGTH);
      }),
      { numRuns: cases(20, 100) },
    );
  });
});

const filled = ([before, after]: readonly [string, string], unit: string, length: number): string =>
  before + unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + after;

/** Reading a reply, and telling of it with a result of the same text. */
function work(name: ProtocolName, text: string): void {
  const protocol = protocolNamed(name);
  const { calls } = protocol.read(replyOf(text));
  const turn = turnOf(protocolNamed('none'), replyOf('x'), [ok(text)], {
    protocol: name,
    text,
    answer: null,
    calls: calls.length > 0 ? calls : [{ tool: 'a', arguments: { text } }],
    native: NATIVE,
  });
  protocol.messages(turn);
}
