// What a review says on lines, with what the model may read of its threads.
import { asksNothing, asksQuestion, isRemark } from '../../events/asks.ts';
import { earlierText } from '../../agent/prompts/input.ts';
import type { Ask, Intent, PlacedAsk } from '../../contracts/intent.ts';
import type { AsksNothing, CommentThread, ShownText } from '../../contracts/shown-text.ts';
import type { EarlierRemark, FoundLineComment } from '../../github/reviews/review-comments.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { suggestionIn } from '../../github/text/suggestions.ts';
import type { Shown } from '../../github/text/index.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import { remarksIn } from '../../session/review-work.ts';
import type { Said } from '../../session/said/said.ts';
import type { ReceivedIntent } from '../../session/session.ts';
import type { ShownLineComment } from './keep-images.ts';

/** Of each thread, the newest. */
const MOST_EARLIER = 10;
const MOST_HUNK_LINES = 40;
const MOST_HUNK = 4_000;

/** Whether the model reads what someone else wrote in a thread before. */
type MaySpeak = (remark: EarlierRemark) => boolean | Promise<boolean>;

interface Parts {
  /** What it says on lines. */
  readonly found: readonly FoundLineComment[];
  /** Its own words. */
  readonly said: Said;
  /** Its texts that ask for something by naming the App. */
  readonly asks: readonly PlacedAsk[];
  readonly github: Pick<GitHubRepository, 'mergesItself'>;
  readonly maySpeak: MaySpeak;
  /** When it came in. */
  readonly at: string;
  /** Of its words alone, only a question is work. */
  readonly needsQuestion: boolean;
  /** How long a single comment waits for others. */
  readonly waitMs: number;
}

type OnLines = Pick<
  EntryOf<'admitted'>,
  'verdict' | 'gatherUntil' | 'remarks' | 'needsMention' | 'isQuestion'
> & {
  readonly lineComments: readonly ShownLineComment[];
};

/** What a review says besides its words. `heard`: as it came in, which may be without its verdict. */
export async function onLines(
  heard: ReceivedIntent,
  intent: Intent,
  parts: Parts,
): Promise<OnLines> {
  if (intent.kind !== 'review') return { lineComments: [] };
  const { verdict } = intent;
  const wasMissing = heard.intent.kind === 'review' && heard.intent.verdict === undefined;
  const lineComments = await lineCommentsFor(parts);
  const remarks = await judgedRemarks(intent, parts);
  return {
    lineComments,
    ...(wasMissing && verdict !== undefined ? { verdict } : {}),
    ...(remarks === undefined ? {} : { remarks }),
    ...(asksInApproval(intent, parts) ? { needsMention: true, isQuestion: true } : {}),
    ...(remarks === true || isSingle(intent, parts) ? gatherUntil(parts) : {}),
  };
}

async function judgedRemarks(
  { verdict, pullRequest }: Review,
  { found, said, asks, github, needsQuestion }: Parts,
): Promise<boolean | undefined> {
  const hasLines = found.some((comment) => nothingIn(comment, asks) === undefined);
  const mayMerge = verdict === 'approved' && hasLines;
  return remarksIn({
    verdict,
    isAsked: asks.length > 0,
    hasLines,
    words: {
      isQuestion: asksQuestion(said),
      asksNothing: asksNothing(said, true),
      isEmpty: said.lines.length === 0 && !said.hasMore,
    },
    needsQuestion,
    mergesItself: mayMerge && (await github.mergesItself(pullRequest)),
  });
}

/** The words of an approval ask something of the App, as far as can be told, and do not mention it. */
const asksInApproval = ({ verdict }: Review, { said, asks, needsQuestion }: Parts): boolean =>
  needsQuestion &&
  verdict === 'approved' &&
  asks.length === 0 &&
  asksQuestion(said) &&
  isRemark(said);

/** What a comment is that there is nothing to work on in. */
function nothingIn(
  { said, thread }: FoundLineComment,
  asks: readonly PlacedAsk[],
): AsksNothing | undefined {
  if (thread.suggestion !== undefined) return undefined;
  if (asks.some((ask) => ask.in.on === 'line_comment' && ask.in.id === thread.comment))
    return undefined;
  return asksNothing(said, thread.earlier.length > 0);
}

type Review = Extract<Intent, { kind: 'review' }>;

/** What an edited comment on lines suggests now. */
export function editedSuggestion(
  intent: Intent,
  { body }: Pick<ShownText, 'body'>,
): Pick<EntryOf<'admitted'>, 'suggestion'> {
  if (intent.kind !== 'edited' || intent.in.on !== 'line_comment') return {};
  const suggestion = suggestionIn(intent.body, body);
  return suggestion === undefined ? {} : { suggestion };
}

/** Its words. What an edit asks for on a line is read there, as far as the session has heard of that comment. */
export function placedWords(
  intent: Intent,
  shown: Shown,
  ask: Ask | undefined,
  entries: readonly Entry[],
): { readonly shown?: Shown; readonly lineComments?: readonly ShownLineComment[] } {
  if (shown.body === '' || intent.kind === 'start') return {};
  if (intent.kind !== 'edited' || ask === undefined || ask.alone) return { shown };
  const { on, id } = intent.in;
  const before = entries
    .flatMap((entry) => (entry.type === 'admitted' ? entry.lineComments : []))
    .findLast(({ thread }) => on === 'line_comment' && thread?.comment === id);
  if (before?.thread === undefined) return { shown };
  const { path, line, thread: about } = before;
  const { suggestion: _before, asksNothing: _praise, ...thread } = about;
  const said = { ...thread, ...editedSuggestion(intent, shown) };
  return { lineComments: [{ path, line, ...shown, thread: said }] };
}

function lineCommentsFor({ found, asks, maySpeak }: Parts): Promise<readonly ShownLineComment[]> {
  return Promise.all(
    found.map(async (whole) => {
      const { thread, ...comment } = whole;
      const nothing = nothingIn(whole, asks);
      return {
        ...comment,
        thread: {
          ...thread,
          hunk: endOf(thread.hunk),
          ...(nothing === undefined ? {} : { asksNothing: nothing }),
          ...(await earlierOf(thread.earlier, maySpeak)),
        },
      };
    }),
  );
}

async function earlierOf(
  all: readonly EarlierRemark[],
  maySpeak: MaySpeak,
): Promise<Pick<CommentThread, 'earlier' | 'leftOut'>> {
  const earlier = [];
  for (const remark of all.slice(-MOST_EARLIER)) {
    if (!remark.isOwn && !(await maySpeak(remark))) continue;
    const { body, hidden } = await remark.shown();
    earlier.push({
      ...(remark.isOwn ? {} : { author: remark.author }),
      body: earlierText(body),
      ...(hidden === undefined ? {} : { hidden }),
    });
  }
  return { earlier, leftOut: all.length - earlier.length };
}

/** The comment is on the last line. */
const endOf = (hunk: string): string =>
  hunk.split('\n').slice(-MOST_HUNK_LINES).join('\n').slice(-MOST_HUNK);

/** With the verdict, which is looked up if only a comment of the review has come in; without one if that is gone. */
export async function wholeReview(
  received: ReceivedIntent,
  github: Pick<GitHubRepository, 'reviewOf'>,
): Promise<ReceivedIntent> {
  const { intent } = received;
  if (intent.kind !== 'review' || intent.verdict !== undefined) return received;
  const found = await github.reviewOf(intent.pullRequest, intent.reviewId);
  return found === undefined ? received : { ...received, intent: { ...intent, ...found } };
}

/** GitHub puts a single comment on a line, and each reply, into a review of its own. */
const isSingle = ({ verdict, body }: Review, { found }: Parts): boolean =>
  verdict === 'commented' && body.trim() === '' && found.length === 1;

/** What mentions the App waits for nothing. */
const gatherUntil = ({ at, waitMs, asks }: Parts): Pick<OnLines, 'gatherUntil'> =>
  waitMs === 0 || asks.length > 0
    ? {}
    : { gatherUntil: new Date(Date.parse(at) + waitMs).toISOString() };
