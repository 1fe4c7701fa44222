// What a review says on lines, with what the model may read of its threads.
import {
  asksIn,
  asksNothing,
  asksQuestion,
  isRemark,
  isToSomeone,
  joined,
} from '../../events/asks.ts';
import { earlierText } from '../../agent/prompts/input.ts';
import type { Ask, Intent, PlacedAsk } from '../../contracts/intent.ts';
import type { AsksNothing, CommentThread } from '../../contracts/shown-text.ts';
import {
  suggestionIn,
  type EarlierRemark,
  type FoundLineComment,
} from '../../github/reviews/review-comments.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { VisibleText } from '../../github/text/index.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import { isForAnother, remarksIn } from '../../session/requested-work.ts';
import { ANY_APP, firstAsk, type OwnWords } from '../../session/said/asks.ts';
import type { ReceivedIntent, Session } from '../../session/session.ts';
import type { ShownLineComment } from './keep-images.ts';
import { isQuestionOpen, takesRemarks } from '../../session/state.ts';
import type { ShownTextLookup, ShownTexts } from './shown-texts.ts';

// What is asked for: by a comment, by the text of a new issue, or by the texts of a review.

export interface TextAsks {
  readonly ask: Ask | undefined;
  /** Of a review: its texts that ask for something. */
  readonly asks: readonly PlacedAsk[];
}

/** Of one review: more than anyone writes. */
const MOST_ASKS = 20;

const NOTHING: TextAsks = { ask: undefined, asks: [] };

export async function askedIn(
  received: ReceivedIntent,
  texts: ShownTexts,
  github: GitHubRepository,
): Promise<TextAsks> {
  const { intent } = received;
  if (intent.kind === 'review')
    return intent.verdict === undefined ? NOTHING : askedInReview(received, texts, github);
  if (!('addressed' in intent) || intent.addressed !== true) return NOTHING;
  const all = asksIn((await texts.of(received)).said);
  // The words of a new issue ask for work and give no commands.
  const asks = intent.kind === 'start' ? all.filter((ask) => ask.for === 'work') : all;
  if (asks.length === 0) return NOTHING;
  const ask = firstAsk(asks, await github.appSlug());
  if (ask === undefined || intent.kind !== 'edited') return { ...NOTHING, ask };
  return { ask, asks: [placedAsk(ask, intent.in)] };
}

const placedAsk = ({ for: wanted, alone, meant }: Ask, place: PlacedAsk['in']): PlacedAsk => ({
  in: place,
  for: wanted,
  alone,
  ...withoutUndefined({ meant }),
});

interface ReviewText {
  readonly in: PlacedAsk['in'];
  readonly shown: VisibleText;
}

/** A review is one request, like a comment: of several commands in it, one counts. */
async function askedInReview(
  received: ReceivedIntent,
  texts: ShownTexts,
  github: GitHubRepository,
): Promise<TextAsks> {
  const found = await textsOf(received, texts);
  if (found.every(({ shown }) => asksIn(shown.said).length === 0)) return NOTHING;
  const slug = await github.appSlug();
  const own = found.flatMap((text) => {
    const ask = firstAsk(asksIn(text.shown.said), slug);
    return ask === undefined ? [] : [{ text, ask }];
  });
  const ask = firstAsk(joined(own.map((one) => one.ask)), slug);
  if (ask === undefined) return NOTHING;
  const isAlone = own.length === found.length && own.every((one) => one.ask.alone);
  const asks = own.map((one) => placedAsk(one.ask, one.text.in));
  return { ask: { ...ask, alone: isAlone }, asks: asks.slice(0, MOST_ASKS) };
}

/** Those that say something. */
async function textsOf(
  received: ReceivedIntent,
  texts: ShownTexts,
): Promise<readonly ReviewText[]> {
  const { intent } = received;
  if (intent.kind !== 'review') return [];
  const { pullRequest, reviewId: id } = intent;
  const words = { in: { on: 'review', id, pullRequest }, shown: await texts.of(received) } as const;
  const lines = (await texts.linesOf(received)).map((line) => ({
    in: { on: 'line_comment', id: line.thread.comment } as const,
    shown: line,
  }));
  return words.shown.body.trim() === '' ? lines : [words, ...lines];
}

/** What someone says in a conversation without naming the App. */
export interface UnnamedRemark {
  /** Where the settings say so, it requests work on our own pull request, as a review does. */
  readonly ask?: Ask;
  /**
   * It starts nothing, now or after the run that it came in during: said on our own pull request, said to someone else, or asked by someone
   * whom our question was not for.
   */
  readonly needsMention?: true;
}

/** `mayAnswer`: its author may answer our question, whoever was asked. */
export async function remarkIn(
  received: ReceivedIntent,
  texts: ShownTextLookup,
  session: Session,
  { heedsAllComments, mayAnswer }: { heedsAllComments: boolean; mayAnswer: boolean },
): Promise<UnnamedRemark> {
  const { intent, sender } = received;
  if (intent.kind !== 'comment' || sender.bot === true || sender.operator === true) return {};
  const { said } = await texts.of(received);
  const { question, proposal } = session.waiting;
  const isWaiting = question !== undefined || proposal !== undefined;
  const isAsked = isWaiting && (mayAnswer || !isForAnother(session, sender));
  const asks = asksQuestion(said);
  // Whoever was asked may answer in words to someone else: "@ann is right".
  const isToOthers = intent.addressed !== true && isToSomeone(said) && (asks || !isAsked);
  if (isToOthers || (asks && !isAsked && isQuestionOpen(session))) return { needsMention: true };
  if (intent.on !== 'pull_request' || !takesRemarks(session)) return {};
  if (heedsAllComments && isRemark(said))
    return { ask: { to: ANY_APP, for: 'work', alone: false } };
  return { needsMention: true };
}

/** Whether a comment by a person asks something, of us or of nobody by name. */
export const isQuestion = (
  { intent, sender }: ReceivedIntent,
  said: OwnWords,
  ask: Ask | undefined,
): boolean =>
  intent.kind === 'comment' &&
  sender.bot !== true &&
  asksQuestion(said) &&
  (ask !== undefined || isRemark(said));

/** Of each thread, the newest. */
const MOST_EARLIER = 10;
const MOST_HUNK_LINES = 40;
const MOST_HUNK = 4_000;

/** Whether the model reads what someone else wrote in a thread before. */
type MaySpeak = (remark: EarlierRemark) => boolean | Promise<boolean>;

interface ReviewReading {
  /** What it says on lines. */
  readonly found: readonly FoundLineComment[];
  /** Its own words. */
  readonly said: OwnWords;
  /** Its texts that ask for something by naming the App. */
  readonly asks: readonly PlacedAsk[];
  readonly github: GitHubRepository;
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
  parts: ReviewReading,
): Promise<OnLines> {
  if (intent.kind !== 'review') return { lineComments: [] };
  const { verdict, body } = intent;
  const wasMissing = heard.intent.kind === 'review' && heard.intent.verdict === undefined;
  const lineComments = await lineCommentsFor(parts);
  const remarks = await judgedRemarks(intent, parts);
  // GitHub puts a single comment on a line, and each reply, into a review of its own.
  const isSingle = verdict === 'commented' && body.trim() === '' && parts.found.length === 1;
  return {
    lineComments,
    ...withoutUndefined({ verdict: wasMissing ? verdict : undefined, remarks }),
    ...(asksInApproval(intent, parts) ? { needsMention: true, isQuestion: true } : {}),
    ...(remarks === true || isSingle ? gatherUntil(parts) : {}),
  };
}

async function judgedRemarks(
  { verdict, pullRequest }: Review,
  { found, said, asks, github, needsQuestion }: ReviewReading,
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
const asksInApproval = (
  { verdict }: Review,
  { said, asks, needsQuestion }: ReviewReading,
): boolean =>
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
  { body }: VisibleText,
): Pick<EntryOf<'admitted'>, 'suggestion'> {
  if (intent.kind !== 'edited' || intent.in.on !== 'line_comment') return {};
  const suggestion = suggestionIn(intent.body, body);
  return suggestion === undefined ? {} : { suggestion };
}

/** Its words. What an edit asks for on a line is read there, as far as the session has heard of that comment. */
export function placedWords(
  intent: Intent,
  shown: VisibleText,
  ask: Ask | undefined,
  entries: readonly Entry[],
): { readonly shown?: VisibleText; readonly lineComments?: readonly ShownLineComment[] } {
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

function lineCommentsFor({
  found,
  asks,
  maySpeak,
}: ReviewReading): Promise<readonly ShownLineComment[]> {
  return Promise.all(
    found.map(async (whole) => {
      const { thread, ...comment } = whole;
      const nothing = nothingIn(whole, asks);
      // The comment is on the last line.
      const lines = thread.hunk.split('\n').slice(-MOST_HUNK_LINES);
      return {
        ...comment,
        thread: {
          ...thread,
          hunk: lines.join('\n').slice(-MOST_HUNK),
          ...withoutUndefined({ asksNothing: nothing }),
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
    const author = remark.isOwn ? undefined : remark.author;
    earlier.push(withoutUndefined({ author, body: earlierText(body), hidden }));
  }
  return { earlier, leftOut: all.length - earlier.length };
}

/** With the verdict, which is looked up if only a comment of the review has come in; without one if that is gone. */
export async function wholeReview(
  received: ReceivedIntent,
  github: GitHubRepository,
): Promise<ReceivedIntent> {
  const { intent } = received;
  if (intent.kind !== 'review' || intent.verdict !== undefined) return received;
  const found = await github.reviewOf(intent.pullRequest, intent.reviewId);
  return found === undefined ? received : { ...received, intent: { ...intent, ...found } };
}

/** What mentions the App waits for nothing. */
const gatherUntil = ({ at, waitMs, asks }: ReviewReading): Pick<OnLines, 'gatherUntil'> =>
  waitMs === 0 || asks.length > 0
    ? {}
    : { gatherUntil: new Date(Date.parse(at) + waitMs).toISOString() };
