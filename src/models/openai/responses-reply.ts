// Assembles a reply of the Responses API from its output items.
import type OpenAI from 'openai';
import type { Call, Usage } from '../../contracts/model.ts';
import { readArguments } from '../wire/calls.ts';
import { nativeOf } from '../wire/native.ts';
import type { UnpricedReply } from '../provider.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';

type Item = OpenAI.Responses.ResponseOutputItem;
type Response = OpenAI.Responses.Response;

/** `streamed` are the items from the stream: some servers leave them out of the final response. */
export function responsesReply(
  response: Response,
  streamed: readonly Item[],
  key: string,
): UnpricedReply {
  const items = response.output?.length > 0 ? response.output : streamed;
  const stop = stopOf(response, items);
  return {
    text: textsOf(items, 'output_text') || textsOf(items, 'refusal'),
    reasoning: items.map(thoughtOf).filter(Boolean).join('\n\n'),
    calls: stop === 'filtered' ? [] : items.flatMap(callsOf),
    stop,
    usage: usageOf(response.usage),
    native: nativeOf(stop, key, items.every(isPlain) ? null : items.map(sendable)),
  };
}

function stopOf(
  { status, incomplete_details: details }: Response,
  items: readonly Item[],
): UnpricedReply['stop'] {
  if (details?.reason === 'content_filter' || textsOf(items, 'refusal') !== '') return 'filtered';
  return status === 'incomplete' ? 'cut' : 'end';
}

const textsOf = (items: readonly Item[], type: 'output_text' | 'refusal'): string =>
  items
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .filter((part) => part.type === type)
    .map((part) => (part.type === 'refusal' ? part.refusal : part.text))
    .join('');

function thoughtOf(item: Item): string {
  if (item.type !== 'reasoning') return '';
  const parts = item.summary?.length > 0 ? item.summary : (item.content ?? []);
  return parts.map(({ text }) => text).join('\n\n');
}

function callsOf(item: Item): readonly Call[] {
  if (item.type !== 'function_call') return [];
  return [{ tool: item.name, id: item.call_id, ...readArguments(item.arguments) }];
}

const PLAIN_FIELDS = new Set('type id status role content call_id name arguments'.split(' '));

/** Whether an item can be rebuilt from the reply's parts without loss. A text must be the first item. */
function isPlain(item: Item, place: number): boolean {
  if (item.type !== 'function_call' && (item.type !== 'message' || place > 0)) return false;
  return Object.entries(item).every(([name, value]) => PLAIN_FIELDS.has(name) || value === null);
}

/** Some servers parse the arguments of calls that are sent back. */
function sendable(item: Item): Item {
  if (item.type !== 'function_call') return item;
  const isFaulty = readArguments(item.arguments).fault !== undefined;
  return isFaulty ? { ...item, arguments: '{}' } : item;
}

function usageOf(usage: Response['usage']): Usage {
  return coherent({
    input: tokenCount(usage?.input_tokens),
    cached: tokenCount(usage?.input_tokens_details?.cached_tokens),
    written: tokenCount(usage?.input_tokens_details?.cache_write_tokens),
    output: tokenCount(usage?.output_tokens),
    reasoning: tokenCount(usage?.output_tokens_details?.reasoning_tokens),
  });
}
