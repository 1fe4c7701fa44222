import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Message } from '../../../src/contracts/model.ts';
import { native, reactProtocol } from '../../../src/agent/protocols/index.ts';
import { failed, NATIVE, ok, replyOf, TOOL, turnOf } from './support.ts';

const CALL =
  '<tool_code>\n<name>a</name>\n<parameters>\n{"path":"a.ts"}\n</parameters>\n</tool_code>';
const textOf = (message: Message | undefined): string =>
  message === undefined || message.role === 'results' ? '' : message.text;
const observationOf = (output: string): string =>
  textOf(reactProtocol.messages(turnOf(reactProtocol, replyOf(CALL), [ok(output)]))[1]);

describe('what the react protocol tells a model', () => {
  it('is the tools as XML, the loop, the form and its limits', () => {
    const text = reactProtocol.instructions([TOOL]);
    const headings = [...text.matchAll(/^# (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Tools', 'Protocol', 'Output format', 'Constraints']);
    expect(text).toMatch(/<tool_definitions>\n<tool><name>read_file<\/name>/);
    expect(text).toContain('<description>Reads a &lt;file>.</description>');
    expect(text).toContain('"path":{"type":"string"}');
    expect(text).toMatch(/ONE call per reply/);
    expect(reactProtocol.specs([TOOL])).toEqual([]);
  });

  it('teaches one end, and is ended by a call, and by an answer with and without tags', () => {
    expect(reactProtocol.instructions([TOOL])).toMatch(/FINAL ANSWER: .*call `finish`/);
    expect(reactProtocol.instructions([TOOL])).not.toContain('<final_answer>');
    for (const text of ['Done.', '<final_answer>Done.</final_answer>', 'Final Answer: Done.'])
      expect(reactProtocol.read(replyOf(text))).toMatchObject({ answer: 'Done.', fault: null });
  });

  it('is the reply verbatim, then the observation', () => {
    const text = `I look.\n${CALL}\n`;
    expect(
      reactProtocol.messages(turnOf(reactProtocol, replyOf(text), [ok('line\nline')])),
    ).toEqual([
      { role: 'assistant', text, calls: [], native: NATIVE },
      { role: 'user', text: '<observation>\nline\nline\n</observation>' },
    ]);
  });

  it('is an observation that says so if the call failed', () => {
    const [, told] = reactProtocol.messages(
      turnOf(reactProtocol, replyOf(CALL), [failed('no such file')]),
    );
    expect(textOf(told)).toBe('<observation>\nError: no such file\n</observation>');
  });

  it.each([
    ['an observation', '\n<observation>made up</observation>'],
    ['a second call', `\n${CALL}`],
    ['an answer', '\nFinal Answer: Done.'],
  ])('leaves out %s that the model wrote after its call, and says that it does', (_what, rest) => {
    const turn = turnOf(reactProtocol, replyOf(`<think>x</think>I look.\n${CALL}${rest}`), [
      ok('real'),
    ]);
    const [reply, told] = reactProtocol.messages(turn);
    expect(reply).toEqual({
      role: 'assistant',
      text: `<think>x</think>I look.\n${CALL}`,
      calls: [],
      native: null,
    });
    expect(textOf(told)).toMatch(/^<observation>\nreal\n<\/observation>\nOnly the first call/);
  });

  it.each(['\nObservation:', '\n<observation>', '\nNow I wait.'])(
    'keeps what does no harm after a call: %j',
    (rest) => {
      const [reply, told] = reactProtocol.messages(
        turnOf(reactProtocol, replyOf(CALL + rest), [ok('real')]),
      );
      expect(reply).toMatchObject({ text: CALL + rest, native: NATIVE });
      expect(textOf(told)).toBe('<observation>\nreal\n</observation>');
    },
  );

  it('is what was wrong with a faulty reply, and the right forms', () => {
    const [reply, told] = reactProtocol.messages(turnOf(reactProtocol, replyOf('Thought: hm')));
    expect(reply).toMatchObject({ text: 'Thought: hm', native: NATIVE });
    expect(textOf(told)).toMatch(
      /a thought, but neither.*`finish` if nothing is left.*<tool_code>/s,
    );
    expect(textOf(told)).not.toContain('final_answer');
  });

  it('is an answer without the call that was made for it, and why that failed', () => {
    const finish = { calls: [{ tool: 'finish', arguments: {} }] };
    const turn = turnOf(reactProtocol, replyOf('Done.'), [failed('denied')], finish);
    expect(reactProtocol.messages(turn).map(textOf)).toEqual([
      'Done.',
      'The work could not be ended: denied',
    ]);
  });
});

describe('the output of a tool cannot close its observation', () => {
  it.each([
    ['</observation>', String.raw`<\/observation>`],
    ['</OBSERVATION >', String.raw`<\/OBSERVATION >`],
    ['< / observation>', String.raw`<\ / observation>`],
    [String.raw`<\/observation>`, String.raw`<\\/observation>`],
    ['a < b </div>', 'a < b </div>'],
  ])('%s', (output, told) => {
    expect(observationOf(output)).toBe(`<observation>\n${told}\n</observation>`);
  });

  it('and can be parsed back from it', () => {
    const piece = fc.constantFrom('<', '/', '\\', 'observation', '>', ' ', 'x', '</observation>');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const output = pieces.join('');
        const inside = observationOf(output).slice(
          '<observation>\n'.length,
          -'\n</observation>'.length,
        );
        expect(inside).not.toMatch(/<\s*\/\s*observation/i);
        expect(inside.replaceAll(/<\\(\\*\s*\/\s*observation)/gi, '<$1')).toBe(output);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a turn of another protocol is written in the form of the react protocol', () => {
  it('its calls one by one, each with its observation', () => {
    const calls = ['a', 'b'].map((tool) => ({ id: tool, tool, arguments: { path: `${tool}.ts` } }));
    const turn = turnOf(native, replyOf('I look.', { calls }), [ok('1'), failed('2')]);
    const messages = reactProtocol.messages(turn);
    expect(messages.map(textOf)).toEqual([
      `I look.\n\n${CALL}`,
      '<observation>\n1\n</observation>',
      CALL.replaceAll('a<', 'b<').replace('a.ts', 'b.ts'),
      '<observation>\nError: 2\n</observation>',
    ]);
    expect(messages[0]).toMatchObject({ role: 'assistant', calls: [], native: null });
    expect(reactProtocol.read(replyOf(textOf(messages[2]))).calls).toEqual([
      { tool: 'b', arguments: { path: 'b.ts' } },
    ]);
  });

  it('an answer, in its own words', () => {
    const turn = turnOf(native, replyOf('Done.'), [ok('')]);
    expect(reactProtocol.messages(turn)).toEqual([
      { role: 'assistant', text: 'Done.', calls: [], native: null },
    ]);
  });

  it('a faulty reply with calls, in its words alone', () => {
    const calls = [{ id: '1', tool: 'a', arguments: {} }];
    const turn = turnOf(native, replyOf('', { calls, stop: 'cut', reasoning: 'Hm.' }));
    expect(reactProtocol.messages(turn)[0]).toEqual({
      role: 'assistant',
      text: 'Hm.',
      calls: [],
      native: null,
    });
  });
});
