import { createHash } from 'node:crypto';
import type { FoundLineComment } from '../../github/reviews/review-comments.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { IssueState } from '../../github/issues.ts';
import { ifFound } from '../../github/errors.ts';
import type { ShownSince, ShownTextPlace } from '../../github/shown-texts.ts';
import { NOTHING_SHOWN, type VisibleText } from '../../github/text/index.ts';
import type { ShownIssue } from '../../contracts/shown-text.ts';
import type { Ask, AskedFor, Intent, ThreadText } from '../../contracts/intent.ts';
import { hasAskedIn, newestWords } from '../../session/fold/items.ts';
import type { OwnWords } from '../../session/said/asks.ts';
import type { ReceivedIntent } from '../../session/session.ts';
import type { TrackedJournal } from '../service/journal-tracker.ts';

/** An issue as GitHub rendered it. */
export interface FoundIssue extends VisibleText, Omit<ShownIssue, 'body' | 'hidden' | 'images'> {}

/** Requests for which the model reads the issue. */
const WORK: ReadonlySet<AskedFor> = new Set([
  'work',
  'retry',
  'fix',
  'new',
  'resume',
  'approve',
  'base',
  'split',
]);

/** What people see of what came in, as it was then. GitHub is asked once for each text. */
export class ShownTexts {
  readonly #github: GitHubRepository;
  readonly #tracker: TrackedJournal;
  readonly #known = new Map<number, Promise<ShownSince>>();
  readonly #lines = new Map<number, Promise<readonly FoundLineComment[]>>();
  /** The issue, if it was just fetched anyway. */
  #issueNow: IssueState | undefined;

  constructor(github: GitHubRepository, tracker: TrackedJournal) {
    this.#github = github;
    this.#tracker = tracker;
  }

  fetchedIssue(now: IssueState): void {
    this.#issueNow = now;
  }

  /** The issue as GitHub has it now, fetched once; `undefined` if it is gone. */
  async issueNow(): Promise<IssueState | undefined> {
    this.#issueNow ??= await ifFound(this.#github.issueState(this.#tracker.session.thread.issue));
    return this.#issueNow;
  }

  /** Whether nobody has commented on the issue, as far as is known. */
  get isUncommented(): boolean {
    return this.#issueNow?.comments === 0;
  }

  /** Whether the issue that was labelled, say, has open sub-issues: these are worked on instead. */
  async workedOnInParts({ intent }: ReceivedIntent): Promise<{ readonly subIssues?: true }> {
    if (intent.kind !== 'start' || intent.addressed === true || intent.review !== undefined)
      return {};
    if (this.#issueNow?.subIssues === undefined) return {};
    const all = await this.#github.subIssues(this.#tracker.session.thread.issue);
    return all.some(({ isOpen }) => isOpen) ? { subIssues: true } : {};
  }

  /** The text of a comment, a review, or a new issue; empty if there is none. */
  of({ seq, intent }: ReceivedIntent): Promise<ShownSince> {
    if (this.#wereWordsAsked(intent)) return Promise.resolve(NOTHING_SHOWN);
    const known = this.#known.get(seq) ?? this.#look(intent);
    this.#known.set(seq, known);
    return known;
  }

  /** The same, with the words that its author gave it since, whether or not that is known. */
  async inNewestWords(received: ReceivedIntent): Promise<VisibleText> {
    const { intent } = received;
    const body =
      intent.kind === 'edited' ? undefined : newestWords(received, this.#tracker.entries);
    const isKnown = body !== undefined && 'body' in intent && !this.#wereWordsAsked(intent);
    const found = isKnown ? await this.#look({ ...intent, body }) : await this.of(received);
    const { newest, ...shown } = found;
    return newest ?? shown;
  }

  /** What a review says on lines, oldest first, without what an edit asked for before the review was heard. */
  async linesOf(received: ReceivedIntent): Promise<readonly FoundLineComment[]> {
    const { entries } = this.#tracker;
    const all = await this.#allLinesOf(received);
    return all.filter(
      ({ thread }) => !hasAskedIn({ on: 'line_comment', id: thread.comment }, entries),
    );
  }

  /** Whether edits that were heard before have asked for all that it says. */
  async wasAskedByEdit(received: ReceivedIntent): Promise<boolean> {
    const { intent } = received;
    if (intent.kind === 'comment')
      return hasAskedIn({ on: 'comment', id: intent.commentId }, this.#tracker.entries);
    if (intent.kind !== 'review') return false;
    const wereWordsAsked = this.#wereWordsAsked(intent);
    if (!wereWordsAsked && intent.body.trim() !== '') return false;
    const isAnyOnLines = (await this.#allLinesOf(received)).length > 0;
    return (wereWordsAsked || isAnyOnLines) && (await this.linesOf(received)).length === 0;
  }

  #wereWordsAsked(intent: Intent): boolean {
    if (intent.kind !== 'review') return false;
    const { pullRequest, reviewId: id } = intent;
    return hasAskedIn({ on: 'review', id, pullRequest }, this.#tracker.entries);
  }

  #allLinesOf({ seq, intent }: ReceivedIntent): Promise<readonly FoundLineComment[]> {
    if (intent.kind !== 'review') return Promise.resolve([]);
    const { pullRequest, reviewId } = intent;
    const known = this.#lines.get(seq) ?? this.#github.lineCommentsOf(pullRequest, reviewId);
    this.#lines.set(seq, known);
    return known;
  }

  /** All that is said in it; of a review also what it says on lines. */
  async saidIn(received: ReceivedIntent): Promise<OwnWords> {
    const { said } = await this.of(received);
    const all = [said, ...(await this.linesOf(received)).map((line) => line.said)];
    return {
      lines: all.flatMap(({ lines }) => lines),
      hasMore: all.some(({ hasMore }) => hasMore),
    };
  }

  /**
   * The issue that is to be worked on; `undefined` if the session knows it as it is. `adopted`: of someone
   * else's pull request on which work is requested. It takes the place of the issue.
   */
  async issueFor(
    received: ReceivedIntent,
    ask: Ask | undefined,
    adopted: IssueWords | undefined,
  ): Promise<FoundIssue | undefined> {
    const { intent } = received;
    const about = issueOf(intent, adopted);
    if (about === undefined) return undefined;
    const { title } = about;
    const digest = createHash('sha256').update(`${title}\n${about.body}`).digest('hex');
    if (intent.kind === 'start') return { title, digest, ...(await this.of(received)) };
    const { issueText, issue } = this.#tracker.session.thread;
    if (ask === undefined || !WORK.has(ask.for) || issueText?.digest === digest) return undefined;
    const now = adopted ? undefined : await this.issueNow();
    const shown = await this.#github.shown({ on: 'issue', number: issue }, about.body, now?.text);
    return { title, digest, ...shown };
  }

  async #look(intent: Intent): Promise<ShownSince> {
    const place = this.#placeOf(intent);
    if (place === undefined || !('body' in intent)) return NOTHING_SHOWN;
    const isAsked = intent.kind === 'start' && intent.addressed === true;
    const now = isAsked ? await this.issueNow() : this.#issueNow;
    return this.#github.shown(place, intent.body, place.on === 'issue' ? now?.text : undefined);
  }

  #placeOf(intent: Intent): ShownTextPlace | undefined {
    if (intent.kind === 'start') return { on: 'issue', number: this.#tracker.session.thread.issue };
    if (intent.kind === 'comment') return { on: 'comment', id: intent.commentId };
    if (intent.kind === 'edited') return intent.in;
    if (intent.kind !== 'review') return undefined;
    return { on: 'review', pullRequest: intent.pullRequest, id: intent.reviewId };
  }
}

export type IssueWords = Pick<ThreadText, 'title' | 'body'>;

/** Says what people see of one text. */
export type ShownTextLookup = Pick<ShownTexts, 'of'>;

function issueOf(intent: Intent, adopted: IssueWords | undefined): IssueWords | undefined {
  if (intent.kind === 'start') return intent;
  if ((intent.kind === 'comment' || intent.kind === 'edited') && intent.on === 'issue')
    return intent.thread;
  // A review in which only a comment on a line mentions the App came without the text.
  return adopted && 'thread' in intent ? intent.thread : adopted;
}
