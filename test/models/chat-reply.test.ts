import { describe, expect, it } from '@jest/globals';
import type { ChatChunk } from '../../src/models/openai/chat-reply.ts';
import { ChatReply } from '../../src/models/openai/chat-reply.ts';

/** The reply that deltas add up to. */
function replyOf(deltas: readonly object[], finish: string | null = 'stop', usage?: object) {
  const reply = new ChatReply('key');
  for (const delta of deltas) reply.add({ choices: [{ delta }] });
  reply.add({ choices: [{ delta: {}, finish_reason: finish }] });
  if (usage !== undefined) reply.add({ choices: [], usage });
  return reply.reply(false);
}
const pieces = (...calls: object[]) => calls.map((call) => ({ tool_calls: [call] }));
const bare = (deltas: readonly object[]) =>
  replyOf(deltas)?.calls.map(({ tool, arguments: given }) => [tool, given]);

describe('a reply of Chat Completions', () => {
  it('takes pieces in turn, with no ids, by their index', () => {
    const deltas = pieces(
      { index: 0, function: { name: 'a', arguments: '{"x":' } },
      { index: 1, function: { name: 'b', arguments: '{"y":' } },
      { index: 0, function: { arguments: '1}' } },
      { index: 1, function: { arguments: '2}' } },
    );
    expect(bare(deltas)).toEqual([
      ['a', { x: 1 }],
      ['b', { y: 2 }],
    ]);
  });

  it('takes a name and an id that come with every piece for one', () => {
    const deltas = pieces(
      { index: 0, id: 'c1', function: { name: 'a', arguments: '{"x":' } },
      { index: 0, id: 'c1', function: { name: 'a', arguments: '1}' } },
    );
    expect(bare(deltas)).toEqual([['a', { x: 1 }]]);
  });

  it('accepts arguments that are not text', () => {
    const deltas = pieces({ index: 0, id: 'c1', function: { name: 'a', arguments: { x: 1 } } });
    expect(bare(deltas)).toEqual([['a', { x: 1 }]]);
  });

  it('reads the thoughts between the texts', () => {
    const deltas = [
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] },
      { content: [{ type: 'text', text: 'Hello' }, null] },
      { content: ' you' },
    ];
    expect(replyOf(deltas)).toMatchObject({ reasoning: 'Hm.', text: 'Hello you' });
  });

  it('takes thoughts that come under two names once', () => {
    const deltas = [{ reasoning: 'Hm.', reasoning_content: 'Hm.' }, { content: 'Hello' }];
    expect(replyOf(deltas)?.reasoning).toBe('Hm.');
  });

  it('puts the pieces of opaque items together, and keeps items apart', () => {
    const details = (...items: object[]) => ({ reasoning_details: items });
    const reply = replyOf([
      details({ type: 'reasoning.text', index: 0, text: 'One', signature: null }),
      details({ type: 'reasoning.text', index: 0, text: ' two' }),
      details({ type: 'reasoning.text', index: 0, signature: 's' }),
      details({ type: 'reasoning.encrypted', index: 1, data: 'd' }),
      { content: 'Hello', vendor_field: { a: 1 }, empty: '', nothing: null },
    ]);
    expect(reply?.native).toEqual({
      key: 'key',
      value: {
        role: 'assistant',
        content: 'Hello',
        reasoning_details: [
          { type: 'reasoning.text', index: 0, text: 'One two', signature: 's' },
          { type: 'reasoning.encrypted', index: 1, data: 'd' },
        ],
        vendor_field: { a: 1 },
      },
    });
  });

  // As in google/adk-python PR#5437, open-webui/open-webui PR#29860, BerriAI/litellm#29428.
  it.each<[string, string]>([
    ['its signature alone', ''],
    ['all of its text again', 'Step 1. Step 2.'],
    ['its last words', 'Step 2.'],
  ])('puts thinking without an index together, if it ends with %s', (_how, last) => {
    const block = (thinking: string, signature = '') => ({
      thinking_blocks: [{ type: 'thinking', thinking, signature }],
    });
    const second = last === 'Step 2.' ? [] : [block('Step 2.')];
    const reply = replyOf([block('Step 1. '), ...second, block(last, 's1'), block('More', 's2')]);
    expect(reply?.native?.value).toMatchObject({
      thinking_blocks: [
        { type: 'thinking', thinking: 'Step 1. Step 2.', signature: 's1' },
        { type: 'thinking', thinking: 'More', signature: 's2' },
      ],
    });
    expect(replyOf([block('Step 1. '), block('Step 2.')])?.native).toBeNull();
  });

  it('keeps nothing if the parts contain everything', () => {
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } };
    const delta = { role: 'assistant', content: 'Hello', refusal: null, tool_calls: [call] };
    expect(replyOf([delta])?.native).toBeNull();
  });

  it.each([
    ['length', { stop: 'cut', native: null }],
    ['content_filter', { stop: 'filtered', native: null, calls: [] }],
    ['an unknown finish reason', { stop: 'end' }],
  ])('reads the finish %s', (finish, expected) => {
    const call = { index: 0, id: 'c1', function: { name: 'a', arguments: '{}' } };
    expect(replyOf([{ reasoning: 'Hm.', tool_calls: [call] }], finish)).toMatchObject(expected);
  });

  it.each(['error', 'abort', 'network_error'])('tries later after the finish %s', (finish) => {
    expect(() => replyOf([{ content: 'Hel' }], finish)).toThrow(/stopped the reply/);
  });

  it.each([null, ''])('has not ended with the finish %j', (finish) => {
    expect(replyOf([{ content: 'Hel' }], finish)).toBeUndefined();
  });

  it.each<[string, object, object]>([
    [
      'reasoning beside the output',
      {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 150,
        completion_tokens_details: { reasoning_tokens: 40 },
      },
      { input: 100, output: 50, reasoning: 40 },
    ],
    [
      'the cache in DeepSeek’s way',
      { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 64 },
      { cached: 64 },
    ],
    [
      'what was written to the cache',
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
      { input: 100, cached: 60, written: 30 },
    ],
    [
      'numbers that are none',
      { prompt_tokens: '9', completion_tokens: -1, total_tokens: 1e99, prompt_tokens_details: 7 },
      { input: 0, cached: 0, output: 0 },
    ],
    [
      'parts that are more than the whole',
      { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 50 } },
      { input: 5, cached: 5 },
    ],
  ])('counts %s', (_what, usage, expected) => {
    expect(replyOf([{ content: 'x' }], 'stop', usage)?.usage).toMatchObject(expected);
  });

  it('survives chunks of any form', () => {
    const reply = new ChatReply('key');
    const chunks: unknown[] = [
      {},
      { choices: null },
      { choices: [] },
      { choices: [null] },
      { choices: [{ delta: null }] },
      { choices: [{ delta: { content: 7, tool_calls: 'x' } }] },
      { choices: [{ delta: { tool_calls: [null, {}, { function: null }] } }] },
      { choices: [{ delta: JSON.parse('{"__proto__":{"x":1}}') as object }] },
      { choices: [{ finish_reason: 'stop' }], usage: 'none' },
    ];
    for (const chunk of chunks) reply.add(chunk as ChatChunk);
    expect(reply.reply(false)).toMatchObject({ text: '', stop: 'end' });
  });
});
