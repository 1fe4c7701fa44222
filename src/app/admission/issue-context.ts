// What the model reads of an issue besides the words that request work: earlier comments, what its author adds, and what it is a part of.
import type { GitHubRepository, UnsignedRepository } from '../../github/repository.ts';
import type { Entry, EntryOf, RejectionReason } from '../../session/entry.ts';
import { verdictsIn } from '../../session/kept-entries.ts';
import type { VisibleText } from '../../github/text/index.ts';
import type { EarlierComment, ParentIssue, ShownIssue } from '../../contracts/shown-text.ts';
import { earlierText } from '../../agent/prompts/input.ts';
import type { AskingAccount } from './who-may.ts';
import type { Ask, Intent, IssueAuthor } from '../../contracts/intent.ts';
import { isSamePlace } from '../../session/said/asks.ts';
import type { ReceivedIntent } from '../../session/session.ts';
import type { TrackedSession } from '../service/journal-tracker.ts';
import type { ShownTextLookup } from './shown-texts.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { IssueState } from '../../github/issues.ts';

const MOST_COMMENTS = 50;
const MOST_AUTHORS = 30;
/** Of what the model reads, and of all that is kept. */
const MOST_READ = 60_000;
const MOST_KEPT = 500_000;

interface EarlierCommentsQuery {
  readonly issue: number;
  /** ISO time. */
  readonly at: string;
  /** Comments that come, or came, by themselves; the one that asked among them. */
  readonly except: ReadonlySet<number>;
  /** The id of who wrote the issue: what they say there is background if they could not have requested work. */
  readonly issueAuthor?: number | undefined;
}

/** An earlier comment as GitHub just rendered it. */
export interface FoundComment
  extends VisibleText, Pick<EarlierComment, 'id' | 'author' | 'isBackground'> {}

/**
 * The comments on an issue when work begins, by its author and by people who could have requested it themselves. Oldest first;
 * if they are too much, only the newest.
 */
export async function earlierComments(
  github: Pick<GitHubRepository, 'commentsAsOf'>,
  { issue, at, except, issueAuthor }: EarlierCommentsQuery,
  maySpeak: (author: AskingAccount) => boolean | Promise<boolean>,
): Promise<readonly FoundComment[]> {
  const all = await github.commentsAsOf(issue, at);
  const newest = all.filter(({ id }) => !except.has(id)).toReversed();
  const authors = new Set<number>();
  const kept: FoundComment[] = [];
  let read = 0;
  let size = 0;
  for (const { id, author, authorId, shown } of newest) {
    if (kept.length >= MOST_COMMENTS) break;
    if (!authors.has(authorId) && authors.size >= MOST_AUTHORS) continue;
    authors.add(authorId);
    const isBackground = !(await maySpeak({ login: author, id: authorId }));
    if (isBackground && authorId !== issueAuthor) continue;
    const text = await shown();
    read += earlierText(text.body).length;
    size += text.body.length;
    if (read > MOST_READ || size > MOST_KEPT) break;
    kept.push({ id, author, ...(isBackground ? { isBackground } : {}), ...text });
  }
  return kept.toReversed();
}

/**
 * Comments that the journal has decided or will decide. GitHub may have reported one before the event that
 * began the work; at that time it was rejected, because there was no session.
 */
export function commentsInJournal(entries: readonly Entry[]): ReadonlySet<number> {
  const verdicts = verdictsIn(entries);
  const hadNoSession = (seq: number): boolean => {
    const verdict = verdicts.get(seq);
    return verdict?.type === 'rejected' && verdict.reason === 'no_session';
  };
  return new Set(
    entries.flatMap((entry) => {
      if (entry.type !== 'received' || hadNoSession(entry.seq)) return [];
      const { intent } = entry;
      if (intent.kind === 'comment') return [intent.commentId];
      return intent.kind === 'edited' && intent.addressed === true && intent.in.on === 'comment'
        ? [intent.in.id]
        : [];
    }),
  );
}

/** Whether it was included when work began, before its own event arrived. */
export const wasIncluded = (comment: number, entries: readonly Entry[]): boolean =>
  [...verdictsIn(entries).values()].some(
    (verdict) => verdict.type === 'admitted' && verdict.earlier?.some(({ id }) => id === comment),
  );

// What the author of an issue or pull request says there, who may not ask for anything: the model reads it later, as background.

/** Of what the model has not read: comments, and their characters. */
const MOST_BACKGROUND = 20;
const MOST_CHARACTERS = 30_000;

export class Background {
  readonly #tracker: TrackedSession;
  readonly #texts: ShownTextLookup;

  constructor(tracker: TrackedSession, texts: ShownTextLookup) {
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
    return { background: withoutUndefined({ body: text, hidden: shown.hidden }) };
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
    return (
      reason === 'not_permitted' && isByAuthor && isSaid && background.length < MOST_BACKGROUND
    );
  }
}

/** Who wrote the issue or pull request, if that is someone else than the sender. */
export function issueAuthorIn(intent: Intent): IssueAuthor | undefined {
  const about = 'thread' in intent ? intent.thread : intent;
  return about !== undefined && 'author' in about ? about.author : undefined;
}

// What GitHub says of an issue besides its text: its type, its fields, and what it is a part of. The model reads it as background.

/** Of what is kept; the model reads less. */
const MOST_OF_PARENT = 20_000;
const LONGEST_NAME = 256;
const MOST_FIELDS = 30;

type PlannedWork = Pick<ShownIssue, 'type' | 'fields' | 'parent'>;

/**
 * Costs no request if the issue has no parent. Images of the parent are not fetched. `isTrusted`: whether someone may request
 * work here.
 */
export async function plannedWorkOf(
  issue: number,
  { type, fields, parent }: IssueState,
  github: UnsignedRepository,
  isTrusted: (account: AskingAccount) => Promise<boolean>,
): Promise<PlannedWork> {
  const shownFields = fields.slice(0, MOST_FIELDS).map(({ name, value }) => ({
    name: name.slice(0, LONGEST_NAME),
    value: value.slice(0, LONGEST_NAME),
  }));
  return withoutUndefined({
    type: type?.slice(0, LONGEST_NAME),
    fields: shownFields.length === 0 ? undefined : shownFields,
    parent: parent === undefined ? undefined : await parentOf(issue, parent, github, isTrusted),
  });
}

async function parentOf(
  child: number,
  parent: number,
  github: UnsignedRepository,
  isTrusted: (account: AskingAccount) => Promise<boolean>,
): Promise<ParentIssue | undefined> {
  const found = await github.parentIssue({ parent, child });
  if (found === undefined) return undefined;
  const { title, author, text, others, leftOut } = found;
  return withoutUndefined({
    number: parent,
    title,
    body: text.body.slice(0, MOST_OF_PARENT),
    hidden: text.hidden,
    by: {
      login: author?.login ?? 'ghost',
      mayRequest: author !== undefined && (await isTrusted(author)),
    },
    others,
    leftOut,
  });
}
