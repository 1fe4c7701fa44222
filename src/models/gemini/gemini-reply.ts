import { randomUUID } from 'node:crypto';
import type {
  GenerateContentResponse,
  GenerateContentResponseUsageMetadata,
  Part,
  Content,
  FunctionDeclaration,
} from '@google/genai';
import type {
  Call,
  ModelReply,
  ToolSpec,
  Usage,
  CallResult,
  Message,
} from '../../contracts/model.ts';
import { TryLater } from '../../lib/errors.ts';
import type { LimitedAttempt } from '../wire/attempt-limits.ts';
import { readArguments, sentArguments, unreadableCall } from '../wire/calls.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';
import { replyEndedEarly } from '../wire/server-error.ts';
import { nativeOf, nameOf, replayable, sentName, sentText, sentValue } from '../wire/sent-text.ts';
import type { UnpricedReply } from '../provider.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;
type UserMessage = Extract<Message, { role: 'user' }>;

/** The parts of a reply as they came, and the ids that we gave to its calls. */
interface NativeParts {
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

const saidParts = ({ text, images = [] }: UserMessage): Part[] => [
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
const rebuiltParts = (text: string, calls: readonly Call[]): Part[] => [
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

interface GatheredReply {
  readonly parts: Part[];
  /** `undefined` until the reply has ended. */
  finish: string | undefined;
  finishWords: string;
  usage: GenerateContentResponseUsageMetadata | undefined;
}

/**
 * Assembles a reply from its chunks.
 * @throws {TryLater} if they end without a reason, or the server reports a malformed response
 */
export async function readGeminiReply(
  chunks: AsyncIterable<GenerateContentResponse>,
  tools: readonly ToolSpec[],
  key: string,
  line: LimitedAttempt,
): Promise<UnpricedReply> {
  const gathered = await gather(chunks, line);
  const { finish, finishWords, usage } = gathered;
  if (finish === undefined) throw replyEndedEarly();
  if (finish === 'MALFORMED_RESPONSE')
    throw new TryLater('the model returned a malformed response');
  // Thought summaries are for people. What the model needs is in the signatures.
  const kept = gathered.parts.filter(
    (part) => Boolean(part.thoughtSignature) || (!part.thought && part.text !== ''),
  );
  const called = gathered.parts.flatMap(({ functionCall }) => functionCall ?? []);
  const calls = called.map(({ name, args, id }): Call => ({
    tool: String(name),
    ...readArguments(args),
    id: id || `call_${randomUUID()}`,
  }));
  const isReadable = !UNREADABLE.has(finish);
  const text = joinTexts(gathered.parts, false);
  const stop = stopOf(finish);
  return {
    text,
    reasoning: joinTexts(gathered.parts, true),
    calls: isReadable ? calls : [...calls, unreadableCall(finishWords, tools)],
    stop,
    usage: usageOf(usage),
    native: nativeOf(stop, key, isReadable ? opaqueIn(kept, text, calls) : null),
  };
}

async function gather(
  chunks: AsyncIterable<GenerateContentResponse>,
  line: LimitedAttempt,
): Promise<GatheredReply> {
  const gathered: GatheredReply = {
    parts: [],
    finish: undefined,
    finishWords: '',
    usage: undefined,
  };
  for await (const { candidates, promptFeedback, usageMetadata } of chunks) {
    const [candidate] = candidates ?? [];
    for (const part of candidate?.content?.parts ?? []) {
      line.heard(JSON.stringify(part).length);
      add(gathered.parts, part);
    }
    // A blocked prompt has no candidates, and so no finish reason.
    const blocked = promptFeedback?.blockReason;
    gathered.finish = candidate?.finishReason ?? (blocked ? 'SAFETY' : gathered.finish);
    gathered.finishWords = candidate?.finishMessage ?? gathered.finishWords;
    gathered.usage = usageMetadata ?? gathered.usage;
  }
  return gathered;
}

/** A text arrives as several parts. A part with a signature must not be changed. */
function add(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last?.text !== undefined && part.text !== undefined && isOnePart(last, part)) {
    last.text += part.text;
  } else parts.push({ ...part });
}

const isOnePart = (one: Part, next: Part): boolean =>
  Boolean(one.thought) === Boolean(next.thought) && !one.thoughtSignature && !next.thoughtSignature;

function opaqueIn(
  parts: readonly Part[],
  text: string,
  calls: readonly Call[],
): NativeParts | null {
  if (JSON.stringify(parts) === JSON.stringify(rebuiltParts(text, calls))) return null;
  return { parts, ids: calls.map(({ id = '' }) => id) };
}

const joinTexts = (parts: readonly Part[], thought: boolean): string =>
  parts.map((part) => (Boolean(part.thought) === thought ? (part.text ?? '') : '')).join('');

/** The model wrote a call that Gemini could not parse. Vertex quotes it; the Gemini API does not. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
]);

/** Finish reasons of the safety filter. */
const FILTERED: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
]);

/** `CONTINUATION`: the limit of one request was reached, below the requested length. */
function stopOf(finish: string): ModelReply['stop'] {
  if (finish === 'MAX_TOKENS' || finish === 'CONTINUATION') return 'cut';
  return FILTERED.has(finish) ? 'filtered' : 'end';
}

/** Gemini counts thoughts apart from the reply, and cached tokens as part of the prompt. */
function usageOf(usage: GenerateContentResponseUsageMetadata | undefined): Usage {
  const reasoning = tokenCount(usage?.thoughtsTokenCount);
  return coherent({
    input: tokenCount(usage?.promptTokenCount),
    cached: tokenCount(usage?.cachedContentTokenCount),
    written: 0,
    output: tokenCount(usage?.candidatesTokenCount) + reasoning,
    reasoning,
  });
}
