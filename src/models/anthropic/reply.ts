import { randomUUID } from 'node:crypto';
import type {
  ContentBlock,
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  Usage as WireUsage,
} from '@anthropic-ai/sdk/resources/messages';
import type { Call, ModelReply, Usage } from '../../contracts/model.ts';
import { isBlank, replyBlocks } from './messages.ts';
import type { Line } from '../wire/attempt-limits.ts';
import { readArguments } from '../wire/call-arguments.ts';
import { endedEarly } from '../wire/decision.ts';
import { nativeOf } from '../wire/native.ts';
import type { UnpricedReply } from '../provider.ts';
import { sentId } from '../wire/sent-text.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';

/** A block as far as it has come; `json` is the text of a call's arguments. */
interface Draft {
  readonly block: ContentBlock;
  json: string;
}

/** A block as it will go back, and the call that it is. */
interface Finished {
  readonly block: ContentBlock;
  readonly call?: Call;
}

/**
 * Gathers the events of one reply.
 * @throws {TryLater} when they end without `message_stop`
 * @throws {TellPerson} when there is too much of it
 */
export async function readReply(
  events: AsyncIterable<RawMessageStreamEvent>,
  key: string,
  line: Pick<Line, 'heard'>,
): Promise<UnpricedReply> {
  const drafts: Draft[] = [];
  const byIndex = new Map<number, Draft>();
  let counts: Counts = {};
  let stop: string | null = null;
  let ended = false;
  for await (const event of events) {
    if (event.type === 'message_start') counts = updated(counts, event.message.usage);
    else if (event.type === 'content_block_start') {
      // An index that comes again is another block: some servers number all calls alike.
      const draft = { block: { ...event.content_block }, json: '' };
      drafts.push(draft);
      byIndex.set(event.index, draft);
    } else if (event.type === 'content_block_delta') {
      line.heard(Object.values(event.delta).join('').length);
      add(event.delta, byIndex.get(event.index));
    } else if (event.type === 'message_delta') {
      counts = updated(counts, event.usage);
      stop = event.delta.stop_reason ?? stop;
    } else if (event.type === 'message_stop') ended = true;
  }
  if (!ended) throw endedEarly();
  const finals = drafts.map(finished);
  const parts = partsOf(finals);
  const ending = stopOf(stop);
  const native = nativeOf(ending, key, opaqueIn(finals, parts));
  return { ...parts, stop: ending, usage: usageOf(counts), native };
}

function add(delta: RawContentBlockDelta, draft: Draft | undefined): void {
  if (draft === undefined) return;
  const { block } = draft;
  if (delta.type === 'input_json_delta') draft.json += delta.partial_json;
  else if (delta.type === 'text_delta' && block.type === 'text') block.text += delta.text;
  else if (block.type !== 'thinking') return;
  else if (delta.type === 'thinking_delta') block.thinking += delta.thinking;
  else if (delta.type === 'signature_delta') block.signature = delta.signature;
}

/** Arguments that cannot be read go back as none: the API takes objects only. */
function finished({ block, json }: Draft): Finished {
  if (block.type !== 'tool_use') return { block };
  const read = readArguments(json === '' ? block.input : json);
  const id = block.id ? sentId(block.id) : `toolu_${randomUUID()}`;
  const input = read.fault === undefined ? read.arguments : {};
  return { block: { ...block, id, input }, call: { tool: String(block.name), ...read, id } };
}

type Parts = Pick<UnpricedReply, 'text' | 'reasoning' | 'calls'>;

const partsOf = (finals: readonly Finished[]): Parts => ({
  text: finals.map(({ block }) => (block.type === 'text' ? block.text : '')).join(''),
  reasoning: finals.map(({ block }) => (block.type === 'thinking' ? block.thinking : '')).join(''),
  calls: finals.flatMap(({ call }) => call ?? []),
});

/** The blocks as they go back, where they say more than can be rebuilt. */
function opaqueIn(finals: readonly Finished[], { text, calls }: Parts): ContentBlock[] | null {
  const blocks = finals.map(({ block }) => block).filter(goesBack);
  return JSON.stringify(blocks) === JSON.stringify(replyBlocks(text, calls)) ? null : blocks;
}

/** The API refuses blank text that it sent itself, and thoughts without a signature. */
function goesBack(block: ContentBlock): boolean {
  if (block.type === 'text') return !isBlank(block.text);
  return block.type !== 'thinking' || Boolean(block.signature);
}

/** Tokens by the names of the wire; those of a later event are sums, and count. */
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
 * A turn is paused between calls of the server's own tools, of which we ask for none: as something is
 * missing, it counts as cut, and the model is asked to go on.
 */
function stopOf(reason: string | null): ModelReply['stop'] {
  if (reason === 'refusal') return 'refused';
  return CUT.has(reason ?? '') ? 'cut' : 'end';
}

const CUT = new Set(['max_tokens', 'model_context_window_exceeded', 'pause_turn']);
