// What the author of an issue or pull request says there, who may not ask for anything: the model reads it later, as background.
import { earlierText } from '../../agent/prompts/input.ts';
import type { Ask, Intent, IssueAuthor } from '../../contracts/intent.ts';
import type { EntryOf, RejectionReason } from '../../session/entry.ts';
import { isSamePlace } from '../../session/said/asks.ts';
import type { ReceivedIntent, Session } from '../../session/session.ts';
import type { ShownTexts } from './shown-texts.ts';

/** Of what the model has not read: comments, and their characters. */
const MOST_COMMENTS = 20;
const MOST_CHARACTERS = 30_000;

interface Watched {
  readonly session: Pick<Session, 'requests'>;
}

export class Background {
  readonly #tracker: Watched;
  readonly #texts: Pick<ShownTexts, 'of'>;

  constructor(tracker: Watched, texts: Pick<ShownTexts, 'of'>) {
    this.#tracker = tracker;
    this.#texts = texts;
  }

  /** The words of what was rejected, if the model is to read them. Images are not fetched for them. */
  async of(
    received: ReceivedIntent,
    reason: RejectionReason,
    ask: Ask | undefined,
  ): Promise<Pick<EntryOf<'rejected'>, 'background'>> {
    if (!this.#isBackground(received, reason, ask)) return {};
    const { body, hidden, isGone, newest } = await this.#texts.of(received);
    const shown = newest ?? { body, hidden };
    const text = earlierText(shown.body);
    const all = this.#tracker.session.requests.background
      .filter(
        (one) => received.intent.kind !== 'edited' || !isSamePlace(one.in, received.intent.in),
      )
      .reduce((sum, one) => sum + one.body.length, text.length);
    if (isGone === true || text === '' || all > MOST_CHARACTERS) return {};
    return {
      background: { body: text, ...(shown.hidden === undefined ? {} : { hidden: shown.hidden }) },
    };
  }

  #isBackground(
    { intent, sender }: ReceivedIntent,
    reason: RejectionReason,
    ask: Ask | undefined,
  ): boolean {
    const { background, requester } = this.#tracker.session.requests;
    if (sender.bot === true || requester === undefined) return false;
    if (intent.kind === 'edited')
      return background.some(
        (one) => one.author === sender.login && isSamePlace(one.in, intent.in),
      );
    const isSaid = ask === undefined || ask.for === 'work';
    const isByAuthor = intent.kind === 'comment' && intent.byAuthor === true;
    return reason === 'not_permitted' && isByAuthor && isSaid && background.length < MOST_COMMENTS;
  }
}

/** Who wrote the issue or pull request, if that is someone else than the sender. */
export function issueAuthorIn(intent: Intent): IssueAuthor | undefined {
  const about = 'thread' in intent ? intent.thread : intent;
  return about !== undefined && 'author' in about ? about.author : undefined;
}
