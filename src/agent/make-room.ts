import { TellPerson, unless } from '../lib/errors.ts';
import { NO_USAGE } from '../lib/no-usage.ts';
import { cutCharacters } from '../lib/text/text.ts';
import type { CompactedTurns } from '../contracts/entries.ts';
import {
  charactersIn,
  estimateTokens,
  hasImages,
  reliefNeeded,
  reliefOfAll,
  reliefsForced,
  shareOfWindow,
  tokensIn,
  type Relief,
} from './relief.ts';
import {
  callsNotShown,
  SUMMARY_INSTRUCTIONS,
  summaryLimit,
  transcript,
} from './prompts/separate-requests.ts';
import { ContextOverflow } from './model-errors.ts';
import type { Message, ModelReply } from '../contracts/model.ts';
import { withoutThinking } from './protocols/protocol.ts';
import type { Run, Steps } from './agent-run.ts';

/** What a model thinks before it writes counts too. */
const MAX_SUMMARY_TOKENS = 16_000;
/** It goes with every request from then on; a server may heed no limit. */
const MAX_SUMMARY = 24_000;
/** Of what the model can read. */
const SHARE_OF_SUMMARY = 1 / 8;
/** Characters of the conversation that a summary is made of, at most. */
const MAX_TRANSCRIPT = 200_000;
/** Of what the model can read. The rest is for the conversation. */
const SHARE_OF_REPLY = 1 / 4;
/** What the results of one reply may have at least: older messages leave for them. */
const SHARE_OF_RESULTS = 1 / 4;
/** Tokens that are lost to rounding. */
const MARGIN = 64;
/** Characters. Less of a result is not worth a call. */
const LEAST_RESULT = 2_500;
/** Results that were not read are cut to no less than this, before they leave unread. */
const LEAST_CUT = 1_000;

/** Tokens that the model can read, as far as is known: by its provider, or by what its server rejected. */
const windowOf = ({ model, history }: Run): number | undefined =>
  history.window ?? model.contextWindow;

/** Tokens of a reply: those that the operator allows, if the window has room for them beside a conversation. */
export const replyTokens = (run: Run): number =>
  Math.min(run.limits.outputTokens, Math.floor((windowOf(run) ?? Infinity) * SHARE_OF_REPLY));

/** Tokens of the next request, as far as can be told. */
function requestTokens({ history, tools }: Run): number {
  const { tokens, isCounted } = history.size;
  if (isCounted) return tokens;
  const { protocol, instructions } = history.prompt;
  return (
    tokens +
    estimateTokens(instructions) +
    estimateTokens(JSON.stringify(protocol.specs(tools.list)))
  );
}

/** Characters that the model has room for in the result of the next call; `undefined` if its window is not known. */
export function roomForResult(run: Run): number | undefined {
  const window = windowOf(run);
  if (window === undefined) return undefined;
  const { tokens, written, results, callsLeft } = run.history.lastReply;
  const used = tokens === 0 ? requestTokens(run) + tokensIn(written) : tokens;
  const left = Math.max(window - replyTokens(run) - used - MARGIN, window * SHARE_OF_RESULTS);
  return Math.max(
    LEAST_RESULT,
    Math.floor((charactersIn(left) - results) / Math.max(1, callsLeft)),
  );
}

/** Shortens a conversation that has grown too long, before the server rejects it. */
export async function* shortenConversation(run: Run): Steps<void> {
  const { history, relief: settings } = run;
  const { messages, size, sinceCompaction } = history;
  const contextWindow = windowOf(run);
  const relief = reliefNeeded({ messages, size, sinceCompaction, contextWindow }, settings);
  if (relief !== undefined) yield* relieve(run, relief);
  if (contextWindow === undefined) return;
  const most = contextWindow - replyTokens(run);
  const excess = (): number => requestTokens(run) - most;
  while (excess() > 0 && (yield* relieveSome(run)));
  // The margin makes once enough, but where characters are worth fewer tokens.
  while (excess() > 0 && (yield* cutUnread(run, charactersIn(excess() + MARGIN))));
}

/**
 * Shortens it after the server rejected it for its length. What the model has not read is cut before it leaves.
 * @throws {TellPerson} if nothing more can be left out
 */
export async function* makeRoomNow(run: Run, overflow: ContextOverflow): Steps<void> {
  const { history, relief: settings } = run;
  const window = windowAfter(run, overflow);
  // The conversation may fit: there was no room for the reply.
  if (window !== undefined && requestTokens(run) <= window * (1 - SHARE_OF_REPLY)) {
    history.add(yield { ...dropped(0), window });
    return;
  }
  if (yield* relieveSome(run, window)) return;
  const characters = history.unreadResults.reduce((sum, length) => sum + length, 0);
  if (yield* cutUnread(run, characters / 2, window)) return;
  if (yield* relieve(run, reliefOfAll(history.messages, settings), window)) return;
  if (hasImages(history.messages)) {
    const reason = TOO_LONG_WITH_IMAGES;
    history.add(yield { type: 'images_dropped', reason });
    return;
  }
  throw new TellPerson(
    overflow.isOfBytes
      ? `${overflow.message} The conversation cannot be shortened further.`
      : `The conversation exceeds the context window of ${run.model.name} and cannot be shortened further. Choose a model with a larger context window, or split the issue.`,
  );
}

/** Whether something could leave of what the model has read. */
async function* relieveSome(run: Run, window?: number): Steps<boolean> {
  for (const relief of reliefsForced(run.history.messages, run.relief))
    if (yield* relieve(run, relief, window)) return true;
  return false;
}

/** The window that a rejection shows, if it is less than was known: what the server says, or less than was sent. */
function windowAfter(run: Run, { window: said }: ContextOverflow): number | undefined {
  const known = windowOf(run) ?? Infinity;
  if (said !== undefined && said < known) return said;
  const sent = requestTokens(run);
  return sent < known ? sent : undefined;
}

/** Cuts the longest of the results that the model has not read until they have so many characters less. */
async function* cutUnread({ history }: Run, less: number, window?: number): Steps<boolean> {
  const lengths = history.unreadResults;
  const most = Math.max(LEAST_CUT, mostOfEach(lengths, less));
  if (lengths.every((length) => length <= most)) return false;
  history.add(yield { ...dropped(0), mostOfResults: most, ...known(window) });
  return true;
}

/** The most that each may have if all together are to have `less` less. */
function mostOfEach(lengths: readonly number[], less: number): number {
  let left = lengths.reduce((sum, length) => sum + length, 0) - less;
  const shortest = lengths.toSorted((one, other) => one - other);
  for (const [at, length] of shortest.entries()) {
    const share = Math.floor(left / (shortest.length - at));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

const known = (window: number | undefined): Pick<CompactedTurns, 'window'> =>
  window === undefined ? {} : { window };

/** Why images are not sent any more, unless the server said it. For people. */
export const TOO_LONG_WITH_IMAGES = 'the conversation was too long with them';

async function* relieve(run: Run, relief: Relief, window?: number): Steps<boolean> {
  const { history } = run;
  const upTo = history.lastSeqOf(relief);
  if (upTo === 0) return false;
  const left = await (relief.kind === 'drop'
    ? dropped(upTo)
    : summarised(run, relief.keepFrom, upTo));
  const { read, unread } = history.turnsUpTo(upTo);
  const notShown = callsNotShown(left.summary === null ? [] : read, unread);
  const told = notShown.length === 0 ? {} : { notShown };
  history.add(yield { ...left, ...told, ...known(window ?? history.window) });
  return true;
}

const dropped = (upTo: number): CompactedTurns => ({
  type: 'compacted',
  upTo,
  summary: null,
  usage: NO_USAGE,
  cost: 0,
  durationMs: 0,
});

/** The summary by the model itself, asked for without tools; if it writes none, the messages are dropped. */
async function summarised(run: Run, keepFrom: number, upTo: number): Promise<CompactedTurns> {
  const before = performance.now();
  const leaving = run.history.messages.slice(0, keepFrom);
  const reply = await askForSummary(run, leaving);
  if (reply === undefined) return dropped(upTo);
  const text = cutCharacters(run.io.redact(withoutThinking(reply.text).trim()), mostOfSummary(run));
  const isUsable = text !== '' && reply.stop !== 'filtered';
  const { usage, cost } = reply;
  const took = Math.round(performance.now() - before);
  return {
    type: 'compacted',
    upTo,
    summary: isUsable ? text : null,
    usage,
    cost,
    durationMs: took,
  };
}

/** Characters. */
const mostOfSummary = (run: Run): number =>
  shareOfWindow({ contextWindow: windowOf(run) }, SHARE_OF_SUMMARY, MAX_SUMMARY);

async function askForSummary(
  run: Run,
  leaving: readonly Message[],
): Promise<ModelReply | undefined> {
  const { model, cacheKey, signal } = run;
  const most = mostOfSummary(run);
  const all = transcript(
    leaving,
    shareOfWindow({ contextWindow: windowOf(run) }, 1 / 2, MAX_TRANSCRIPT),
  );
  const text = most < MAX_SUMMARY ? `${all}\n\n${summaryLimit(most)}` : all;
  const asked = model.reply({
    system: SUMMARY_INSTRUCTIONS,
    messages: [{ role: 'user', text }],
    tools: [],
    maxOutputTokens: Math.min(replyTokens(run), MAX_SUMMARY_TOKENS),
    cacheKey: `${cacheKey}:summary`,
    signal,
  });
  return unless(ContextOverflow, asked);
}
