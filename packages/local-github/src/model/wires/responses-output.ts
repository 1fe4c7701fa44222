// Answers of the Responses API: items, and the events that stream them.
import { piecesOf, serverSent } from './parts.ts';
import type { Answer, Frames, Reasoning, WireCall, WireRequest } from './wire.ts';

export const reasoningId = ({ seal }: Reasoning): string => `rs_${seal.slice(0, 32)}`;

export const opaque = (reasoning: Reasoning) => ({
  id: reasoningId(reasoning),
  summary: [{ type: 'summary_text', text: reasoning.text }],
  encrypted_content: reasoning.seal,
});

/** An item of the output, and the events between its start and its end. */
interface Output {
  readonly begun: object;
  readonly done: object;
  readonly events: readonly Event[];
}
type Event = { readonly type: string } & Readonly<Record<string, unknown>>;

function outputs(answer: Answer, sealed: boolean): readonly Output[] {
  const { reasoning, text, calls, id, isCut } = answer;
  return [
    ...(reasoning === undefined ? [] : [thought(reasoning, sealed)]),
    ...(text === '' ? [] : [spoken(`msg_${id}`, text, isCut && calls.length === 0)]),
    ...calls.map((call, index) => called(call, isCut && index === calls.length - 1)),
  ];
}

/** Has the seal only if the client asked for it. Without a seal, the client cannot send it back. */
function thought(reasoning: Reasoning, sealed: boolean): Output {
  const item = {
    type: 'reasoning',
    ...opaque(reasoning),
    ...(sealed ? {} : { encrypted_content: null }),
  };
  const at = { item_id: item.id, summary_index: 0 };
  const [part] = item.summary;
  return {
    begun: { ...item, summary: [], encrypted_content: null },
    done: item,
    events: [
      {
        type: 'response.reasoning_summary_part.added',
        ...at,
        part: { type: 'summary_text', text: '' },
      },
      ...piecesOf(reasoning.text).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        ...at,
        delta,
      })),
      { type: 'response.reasoning_summary_text.done', ...at, text: reasoning.text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ],
  };
}

function spoken(id: string, text: string, isCut: boolean): Output {
  const item = { id, type: 'message', role: 'assistant' };
  const at = { item_id: id, content_index: 0 };
  const part = (words: string) => ({ type: 'output_text', text: words, annotations: [] });
  return {
    begun: { ...item, status: 'in_progress', content: [] },
    done: { ...item, status: isCut ? 'incomplete' : 'completed', content: [part(text)] },
    events: [
      { type: 'response.content_part.added', ...at, part: part('') },
      ...piecesOf(text).map((delta) => ({
        type: 'response.output_text.delta',
        ...at,
        delta,
        logprobs: [],
      })),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: part(text) },
    ],
  };
}

function called({ id, tool, json }: WireCall, isCut: boolean): Output {
  const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name: tool };
  const at = { item_id: item.id };
  return {
    begun: { ...item, status: 'in_progress', arguments: '' },
    done: { ...item, status: isCut ? 'incomplete' : 'completed', arguments: json },
    events: [
      ...piecesOf(json).map((delta) => ({
        type: 'response.function_call_arguments.delta',
        ...at,
        delta,
      })),
      { type: 'response.function_call_arguments.done', ...at, arguments: json },
    ],
  };
}

const responseOf = ({ id, model, created }: Answer, more: object) => ({
  id: `resp_${id}`,
  object: 'response',
  created_at: Math.floor(created.getTime() / 1000),
  model,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  output: [],
  parallel_tool_calls: true,
  tool_choice: 'auto',
  usage: null,
  ...more,
});

const usageOf = ({ usage: { input, cached, output, reasoning } }: Answer) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

export function frames(answer: Answer, { wants }: WireRequest): Frames {
  const items = outputs(answer, wants.has('seal'));
  const ending = answer.isCut ? 'incomplete' : 'completed';
  const begun = responseOf(answer, {});
  const over = responseOf(answer, {
    status: ending,
    incomplete_details: answer.isCut ? { reason: 'max_output_tokens' } : null,
    output: items.map(({ done }) => done),
    usage: usageOf(answer),
  });
  const events: readonly Event[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, index) => eventsOf(item, index)),
    { type: `response.${ending}`, response: over },
  ];
  const sent = events.map((event, index) =>
    serverSent({ ...event, sequence_number: index }, event.type),
  );
  return { content: sent.slice(0, -1), end: sent.slice(-1) };
}

const eventsOf = ({ begun, done, events }: Output, index: number): readonly Event[] =>
  [
    { type: 'response.output_item.added', item: begun },
    ...events,
    { type: 'response.output_item.done', item: done },
  ].map((event) => ({ ...event, output_index: index }));
