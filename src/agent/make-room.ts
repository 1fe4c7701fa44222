import { TellPerson, unless } from '../lib/errors.ts';
import { NO_USAGE } from '../lib/no-usage.ts';
import { cutCharacters } from '../lib/text/text.ts';
import type { Compacted } from '../contracts/entries.ts';
import { halfOfWindow, hasImages, reliefNeeded, reliefsForced, type Relief } from './relief.ts';
import { SUMMARY_INSTRUCTIONS, transcript } from './prompts/summary.ts';
import { ContextOverflow } from './model-errors.ts';
import type { Message, ModelReply } from '../contracts/model.ts';
import { withoutThinking } from './protocols/thinking.ts';
import type { Run, Steps } from './agent-run.ts';

/** What a model thinks before it writes counts too. */
const MAX_SUMMARY_TOKENS = 16_000;
/** It goes with every request from then on; a server may heed no limit. */
const MAX_SUMMARY = 24_000;
/** Characters of the conversation that a summary is made of, at most. */
const MAX_TRANSCRIPT = 200_000;

/** Shortens a conversation that has grown too long, before the server rejects it. */
export async function* makeRoom(run: Run): Steps<void> {
  const { history, relief: settings, model } = run;
  const { messages, size, sinceCompaction } = history;
  const { contextWindow } = model;
  const relief = reliefNeeded({ messages, size, sinceCompaction, contextWindow }, settings);
  if (relief !== undefined) yield* relieve(run, relief);
}

/**
 * Shortens it after the server rejected it for its length.
 * @throws {TellPerson} if nothing more can be left out
 */
export async function* makeRoomNow(run: Run): Steps<void> {
  for (const relief of reliefsForced(run.history.messages, run.relief)) {
    if (yield* relieve(run, relief)) return;
  }
  if (hasImages(run.history.messages)) {
    const reason = TOO_LONG_WITH_IMAGES;
    run.history.add(yield { type: 'images_dropped', reason });
    return;
  }
  throw new TellPerson(
    `The conversation exceeds the context window of ${run.model.name} and cannot be shortened further. Choose a model with a larger context window, or split the issue.`,
  );
}

/** Why images are not sent any more, unless the server said it. For people. */
export const TOO_LONG_WITH_IMAGES = 'the conversation was too long with them';

async function* relieve(run: Run, relief: Relief): Steps<boolean> {
  const { history } = run;
  const upTo = history.lastSeqOf(relief);
  if (upTo === 0) return false;
  history.add(
    yield relief.kind === 'drop' ? dropped(upTo) : await summarised(run, relief.keepFrom, upTo),
  );
  return true;
}

const dropped = (upTo: number): Compacted => ({
  type: 'compacted',
  upTo,
  summary: null,
  usage: NO_USAGE,
  cost: 0,
  durationMs: 0,
});

/** The summary by the model itself, asked for without tools; if it writes none, the messages are dropped. */
async function summarised(run: Run, keepFrom: number, upTo: number): Promise<Compacted> {
  const before = performance.now();
  const leaving = run.history.messages.slice(0, keepFrom);
  const reply = await askForSummary(run, leaving);
  if (reply === undefined) return dropped(upTo);
  const text = cutCharacters(run.io.redact(withoutThinking(reply.text).trim()), MAX_SUMMARY);
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

async function askForSummary(
  { model, limits, cacheKey, signal }: Run,
  leaving: readonly Message[],
): Promise<ModelReply | undefined> {
  const text = transcript(leaving, halfOfWindow(model, MAX_TRANSCRIPT));
  const asked = model.reply({
    system: SUMMARY_INSTRUCTIONS,
    messages: [{ role: 'user', text }],
    tools: [],
    maxOutputTokens: Math.min(limits.outputTokens, MAX_SUMMARY_TOKENS),
    cacheKey: `${cacheKey}:summary`,
    signal,
  });
  return unless(ContextOverflow, asked);
}
