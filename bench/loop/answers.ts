// The answers of the stub in both forms, made once and before the clock.
import { contentOf, MODEL, pathOf, TOOL, type Form } from './task.ts';

/** Characters of an argument in each event: a server sends some ten tokens at a time. */
const CHUNK_CHARACTERS = 40;

const USAGE = { prompt_tokens: 1000, completion_tokens: 600, total_tokens: 1600 };
const HEAD = { id: 'chatcmpl-stub', created: 1_780_000_000, model: MODEL };

interface Said {
  readonly content: string | null;
  readonly call: { readonly id: string; readonly arguments: string } | undefined;
}

/** The answer to each request of a run of `turns` turns; the last one has no call. */
export function answersOf(turns: number, form: Form): readonly Buffer[] {
  const write = form === 'streamed' ? streamed : whole;
  const calls = Array.from({ length: turns }, (_none, turn) => ({
    content: null,
    call: {
      id: `call_${turn}`,
      arguments: JSON.stringify({ path: pathOf(turn), content: contentOf(turn) }),
    },
  }));
  const last = { content: 'All files are written.', call: undefined };
  return [...calls, last].map((said) => Buffer.from(write(said)));
}

function whole({ content, call }: Said): string {
  const message = {
    role: 'assistant',
    content,
    ...(call === undefined ? {} : { tool_calls: [{ type: 'function', ...wireCall(call) }] }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(call) };
  return JSON.stringify({ ...HEAD, object: 'chat.completion', choices: [choice], usage: USAGE });
}

function streamed({ content, call }: Said): string {
  const event = (choices: unknown[], more = {}): string =>
    `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
  const delta = (said: object, finish: string | null = null): string =>
    event([{ index: 0, delta: said, logprobs: null, finish_reason: finish }]);
  return [
    delta({ role: 'assistant', content }),
    ...(call === undefined ? [] : callDeltas(call).map((one) => delta({ tool_calls: [one] }))),
    delta({}, finishOf(call)),
    event([], { usage: USAGE }),
    'data: [DONE]\n\n',
  ].join('');
}

function callDeltas(call: NonNullable<Said['call']>): object[] {
  const pieces = call.arguments.match(new RegExp(`[^]{1,${CHUNK_CHARACTERS}}`, 'g')) ?? [];
  return [
    { index: 0, type: 'function', ...wireCall({ ...call, arguments: '' }) },
    ...pieces.map((piece) => ({ index: 0, function: { arguments: piece } })),
  ];
}

const wireCall = (call: NonNullable<Said['call']>) => ({
  id: call.id,
  function: { name: TOOL.name, arguments: call.arguments },
});

const finishOf = (call: Said['call']): string => (call === undefined ? 'stop' : 'tool_calls');
