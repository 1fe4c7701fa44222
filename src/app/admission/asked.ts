// What is asked for: by a comment, by the text of a new issue, or by the texts of a review.
import type { Ask, PlacedAsk } from '../../contracts/intent.ts';
import { asksIn, asksQuestion, isRemark, isToSomeone, joined } from '../../events/asks.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { ANY_APP, firstAsk } from '../../session/said/asks.ts';
import type { ReceivedIntent, Session } from '../../session/session.ts';
import { isForAnother } from '../../session/requested-work.ts';
import { isQuestionOpen, takesRemarks } from '../../session/state.ts';
import type { Shown } from '../../github/text/index.ts';
import type { Said } from '../../session/said/said.ts';
import type { Rules } from './settings.ts';
import type { ShownTexts } from './shown-texts.ts';

export interface Asked {
  readonly ask: Ask | undefined;
  /** Of a review: its texts that ask for something. */
  readonly asks: readonly PlacedAsk[];
}

/** Of one review: more than anyone writes. */
const MOST_ASKS = 20;

const NOTHING: Asked = { ask: undefined, asks: [] };

export async function askedIn(
  received: ReceivedIntent,
  texts: Pick<ShownTexts, 'of' | 'linesOf'>,
  github: Pick<GitHubRepository, 'appSlug'>,
): Promise<Asked> {
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
  ...(meant === undefined ? {} : { meant }),
});

interface Text {
  readonly in: PlacedAsk['in'];
  readonly shown: Shown;
}

/** A review is one request, like a comment: of several commands in it, one counts. */
async function askedInReview(
  received: ReceivedIntent,
  texts: Pick<ShownTexts, 'of' | 'linesOf'>,
  github: Pick<GitHubRepository, 'appSlug'>,
): Promise<Asked> {
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
  texts: Pick<ShownTexts, 'of' | 'linesOf'>,
): Promise<readonly Text[]> {
  const { intent } = received;
  if (intent.kind !== 'review') return [];
  const { pullRequest, reviewId: id } = intent;
  const words = { in: { on: 'review', id, pullRequest }, shown: await texts.of(received) } as const;
  const lines = (await texts.linesOf(received)).map((line) => ({
    in: { on: 'line_comment', id: line.thread.comment } as const,
    shown: line,
  }));
  return [...(words.shown.body.trim() === '' ? [] : [words]), ...lines];
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
  texts: Pick<ShownTexts, 'of'>,
  session: Session,
  { heedsAllComments, mayAnswer }: Pick<Rules, 'heedsAllComments'> & { mayAnswer: boolean },
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
  { intent, sender }: Pick<ReceivedIntent, 'intent' | 'sender'>,
  said: Said,
  ask: Ask | undefined,
): boolean =>
  intent.kind === 'comment' &&
  sender.bot !== true &&
  asksQuestion(said) &&
  (ask !== undefined || isRemark(said));
