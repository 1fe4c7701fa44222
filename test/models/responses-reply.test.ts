import { describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import { responsesReply } from '../../src/models/openai/responses.ts';

type Item = OpenAI.Responses.ResponseOutputItem;

const message = (text: string, more: object = {}) =>
  ({
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
    ...more,
  }) as Item;
const call = (text: string) =>
  ({ type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'a', arguments: text }) as Item;
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' } as Item;
const replyOf = (output: Item[], told: Item[] = [], more: object = {}) =>
  responsesReply(
    { status: 'completed', output, ...more } as OpenAI.Responses.Response,
    told,
    'key',
  );

describe('a reply of the Responses API', () => {
  it('is read from the streamed items if the last event has none', () => {
    expect(replyOf([], [message('Hello')]).text).toBe('Hello');
    expect(replyOf([message('Hello')], [message('Hel')]).text).toBe('Hello');
  });

  it('is sent back without arguments if they are unreadable', () => {
    const items = [reasoning, call('{"x":')];
    const { native, calls } = replyOf(items);
    expect(calls).toMatchObject([{ fault: expect.stringContaining('JSON') }]);
    expect(native?.value).toEqual([reasoning, { ...call(''), arguments: '{}' }]);
  });

  it.each<[string, Item[]]>([
    ['reasoning', [reasoning, message('Hello')]],
    ['the phase of a message', [message('Hello', { phase: 'commentary' })]],
    ['several messages', [message('Hello'), message(' you')]],
    ['an unknown item', [{ type: 'new_item' } as unknown as Item]],
  ])('keeps %s to send it back', (_what, items) => {
    expect(replyOf(items).native).toEqual({ key: 'key', value: items });
  });

  it('keeps nothing if the parts contain everything', () => {
    const items = [message('Hello', { phase: null }), call('{}'), call('{}')];
    expect(replyOf(items).native).toBeNull();
  });

  it('keeps nothing of a reply that was cut: its items cannot go back', () => {
    const more = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(replyOf([reasoning], [], more)).toMatchObject({ stop: 'cut', native: null });
  });

  it('is also filtered by the provider', () => {
    const more = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    expect(replyOf([message('Hel')], [], more)).toMatchObject({ stop: 'filtered', calls: [] });
  });

  it('has thoughts from summaries, or else from the text of the reasoning', () => {
    const summary = [{ type: 'summary_text', text: 'Hm.' }];
    const content = [{ type: 'reasoning_text', text: 'Well.' }];
    const thoughts = [
      { ...reasoning, summary, content } as Item,
      { ...reasoning, content } as Item,
    ];
    expect(replyOf(thoughts).reasoning).toBe('Hm.\n\nWell.');
  });

  it('counts nothing if the server does not', () => {
    expect(replyOf([message('Hello')]).usage).toMatchObject({ input: 0, output: 0 });
  });
});
