import type { Content, FunctionDeclaration, Part } from '@google/genai';
import type { Call, CallResult, Message, ToolSpec } from '../../contracts/model.ts';
import { sentArguments } from '../wire/call-arguments.ts';
import { replayable } from '../wire/native.ts';
import { sentName, sentText, sentValue } from '../wire/sent-text.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;

/** The parts of a reply as they came, with the names that its calls go by here. */
export interface NativeParts {
  readonly parts: readonly Part[];
  readonly ids: readonly string[];
}

/** Stands for a thought signature where there is none to send: Gemini 3 refuses calls without. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/**
 * The conversation in Gemini's form. `key` is the one of parts that go back as they came. A call has
 * an id on the wire only where the server gave it one, and its result then has it too: others do not
 * know the field, and refuse it. Without `ids` it has none at all.
 */
export function contentsOf(messages: readonly Message[], key: string, ids = true): Content[] {
  const contents: Content[] = [];
  let wireIds = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      const parts = ids ? replyParts(message, key) : replyParts(message, key).map(withoutId);
      wireIds = new Set(parts.flatMap(({ functionCall }) => functionCall?.id ?? []));
      contents.push({ role: 'model', parts });
    } else if (message.role === 'results') {
      const parts = message.results.map((result) => resultPart(result, wireIds));
      contents.push({ role: 'user', parts });
    } else contents.push({ role: 'user', parts: textParts(message.text) });
  }
  return contents.filter(({ parts = [] }) => parts.length > 0);
}

export const declarationsOf = (tools: readonly ToolSpec[]): FunctionDeclaration[] =>
  tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));

function replyParts(message: Assistant, key: string): Part[] {
  const native = replayable(message, key, ({ ids }: NativeParts) => ids);
  return native === undefined ? rebuiltParts(message.text, message.calls) : [...native.parts];
}

function withoutId(part: Part): Part {
  if (part.functionCall === undefined) return part;
  const { id: _id, ...functionCall } = part.functionCall;
  return { ...part, functionCall };
}

/** A reply as it would have come with nothing opaque in it; a signature stands at the first call. */
export const rebuiltParts = (text: string, calls: readonly Call[]): Part[] => [
  ...textParts(text),
  ...calls.map((call, index) => ({
    functionCall: { name: sentName(call.tool), args: sentValue(sentArguments(call)) },
    ...(index === 0 ? { thoughtSignature: NO_SIGNATURE } : {}),
  })),
];

const resultPart = ({ id, tool, ok, output }: CallResult, wireIds: ReadonlySet<string>): Part => ({
  functionResponse: {
    ...(wireIds.has(id) ? { id } : {}),
    name: sentName(tool),
    response: { [ok ? 'output' : 'error']: sentText(output) },
  },
});

/** The API refuses a part without text. */
const textParts = (text: string): Part[] => (text === '' ? [] : [{ text: sentText(text) }]);
