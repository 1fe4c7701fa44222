import type { Content, FunctionDeclaration, Part } from '@google/genai';
import type { Call, CallResult, Message, ToolSpec } from '../../contracts/model.ts';
import { sentArguments } from '../wire/calls.ts';
import { nameOf } from '../wire/sent-text.ts';
import { replayable } from '../wire/native.ts';
import { sentName, sentText, sentValue } from '../wire/sent-text.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;
type Said = Extract<Message, { role: 'user' }>;

/** The parts of a reply as they came, and the ids that we gave to its calls. */
export interface NativeParts {
  readonly parts: readonly Part[];
  readonly ids: readonly string[];
}

/** Replaces a missing thought signature: Gemini 3 does not accept a call without one. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/**
 * The conversation in Gemini's form. Parts stored under `key` are sent back unchanged. A call and its
 * result carry an id only if the server gave one, because other servers do not accept the field. Without
 * `ids`, none is sent.
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
    } else contents.push({ role: 'user', parts: saidParts(message) });
  }
  return contents.filter(({ parts = [] }) => parts.length > 0);
}

const saidParts = ({ text, images = [] }: Said): Part[] => [
  ...textParts(text),
  ...images.flatMap((image): Part[] => [
    { text: nameOf(image) },
    { inlineData: { mimeType: image.type, data: image.data } },
  ]),
];

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

/** A reply rebuilt from its parts, with a placeholder signature at the first call. */
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

/** The API does not accept a part without text. */
const textParts = (text: string): Part[] => (text === '' ? [] : [{ text: sentText(text) }]);
