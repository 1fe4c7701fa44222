import { randomUUID } from 'node:crypto';
import type {
  ContentBlock,
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  Usage as WireUsage,
} from '@anthropic-ai/sdk/resources/messages';
import type { Call, ModelReply, Usage } from '../../contracts/model.ts';
import { isBlank, replyBlocks } from './anthropic-messages.ts';
import type { Line } from '../wire/attempt-limits.ts';
import { readArguments } from '../wire/calls.ts';
import { type AttemptedRequest, notAStream, replyEndedEarly } from '../wire/server-error.ts';
import { nativeOf, sentId } from '../wire/sent-text.ts';
import type { UnpricedReply } from '../provider.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';

/** A block that is still arriving; `json` is the text of a call's arguments. */
interface Draft {
  readonly block: ContentBlock;
  json: string;
}

/** A block as it will be sent back, and the call in it. */
interface Finished {
  readonly block: ContentBlock;
  readonly call?: Call;
}

/**
 * Assembles a reply from its events.
 * @throws {TryLater} if they end without `message_stop` and without a reason for the end
 * @throws {TellPerson} if the reply is too long, or came whole instead of as events
 */
export async function readAnthropicReply(
  events: AsyncIterable<RawMessageStreamEvent>,
  key: string,
  line: Pick<Line, 'heard'>,
  attempt: AttemptedRequest,
): Promise<UnpricedReply> {
  const drafts: Draft[] = [];
  const byIndex = new Map<number, Draft>();
  let counts: Counts = {};
  let stop: string | null = null;
  let ended = false;
  for await (const event of events) {
    if (isWholeMessage(event)) throw notAStream(attempt);
    if (event.type === 'message_start') counts = updated(counts, event.message.usage);
    else if (event.type === 'content_block_start') {
      // A repeated index starts another block: some servers give all calls the same index.
      const draft = { block: { ...event.content_block }, json: '' };
      drafts.push(draft);
      byIndex.set(event.index, draft);
    } else if (event.type === 'content_block_delta') {
      line.heard(Object.values(event.delta).join('').length);
      add(event.delta, byIndex.get(event.index));
    } else if (event.type === 'message_delta') {
      counts = updated(counts, event.usage);
      stop = event.delta?.stop_reason ?? stop;
    } else if (event.type === 'message_stop') {
      ended = true;
      break;
    }
  }
  // Some servers close the stream behind the reason for the end.
  if (!ended && stop === null) throw replyEndedEarly();
  const finals = drafts.map(finished);
  const parts = partsOf(finals);
  const ending = stopOf(stop);
  const native = nativeOf(ending, key, opaqueIn(finals, parts));
  return { ...parts, stop: ending, usage: usageOf(counts), native };
}

const isWholeMessage = ({ type }: { readonly type: string }): boolean => type === 'message';

function add(delta: RawContentBlockDelta, draft: Draft | undefined): void {
  if (draft === undefined) return;
  const { block } = draft;
  if (delta.type === 'input_json_delta') draft.json += delta.partial_json;
  else if (delta.type === 'text_delta' && block.type === 'text') block.text += delta.text;
  else if (block.type !== 'thinking') return;
  else if (delta.type === 'thinking_delta') block.thinking += delta.thinking;
  else if (delta.type === 'signature_delta') block.signature = delta.signature;
}

/** Invalid arguments are sent back as `{}`: the API accepts only objects. */
function finished({ block, json }: Draft): Finished {
  if (block.type !== 'tool_use') return { block };
  const read = readArguments(json === '' ? block.input : json);
  const id = block.id ? sentId(block.id) : `toolu_${randomUUID()}`;
  const input = read.fault === undefined ? read.arguments : {};
  return { block: { ...block, id, input }, call: { tool: String(block.name), ...read, id } };
}

type ReplyContent = Pick<UnpricedReply, 'text' | 'reasoning' | 'calls'>;

const partsOf = (finals: readonly Finished[]): ReplyContent => ({
  text: finals.map(({ block }) => (block.type === 'text' ? block.text : '')).join(''),
  reasoning: finals.map(({ block }) => (block.type === 'thinking' ? block.thinking : '')).join(''),
  calls: finals.flatMap(({ call }) => call ?? []),
});

/** The blocks to send back, if they contain more than can be rebuilt. */
function opaqueIn(
  finals: readonly Finished[],
  { text, calls }: ReplyContent,
): ContentBlock[] | null {
  const blocks = finals.map(({ block }) => block).filter(goesBack);
  return JSON.stringify(blocks) === JSON.stringify(replyBlocks(text, calls)) ? null : blocks;
}

/** The API does not accept blank text, even its own. */
const goesBack = (block: ContentBlock): boolean => block.type !== 'text' || !isBlank(block.text);

/** Token counts by their wire names. Later events carry running totals, which replace earlier ones. */
type Counts = Readonly<Partial<Record<(typeof COUNTED)[number] | 'thinking_tokens', unknown>>>;

const COUNTED = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
] as const;

function updated(counts: Counts, usage: WireUsage | MessageDeltaUsage | undefined): Counts {
  const later = COUNTED.map((name) => [name, usage?.[name] ?? counts[name]] as const);
  const thinking = usage?.output_tokens_details?.thinking_tokens ?? counts.thinking_tokens;
  return { ...Object.fromEntries(later), thinking_tokens: thinking };
}

function usageOf(counts: Counts): Usage {
  const cached = tokenCount(counts.cache_read_input_tokens);
  const written = tokenCount(counts.cache_creation_input_tokens);
  return coherent({
    input: tokenCount(counts.input_tokens) + cached + written,
    cached,
    written,
    output: tokenCount(counts.output_tokens),
    reasoning: tokenCount(counts.thinking_tokens),
  });
}

/**
 * `pause_turn` occurs between calls of server-side tools, which we never use. The reply is incomplete, so
 * it counts as cut and the model is asked to continue.
 */
function stopOf(reason: string | null): ModelReply['stop'] {
  if (reason === 'refusal') return 'filtered';
  return CUT.has(reason ?? '') ? 'cut' : 'end';
}

const CUT = new Set(['max_tokens', 'model_context_window_exceeded', 'pause_turn']);
