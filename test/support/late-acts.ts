// What people do with an issue and its pull request on GitHub, and how a session hears of it, in whatever order and way.
import type { Arrival } from '../../src/contracts/intent.ts';
import { READERS } from '../../src/events/index.ts';
import { isRunning, needsRun, stateOf } from '../../src/session/state.ts';
import type { Journal } from './journal.ts';
import {
  commentIn,
  compareWith,
  delivery,
  ISSUE,
  issueIn,
  NEW_STATE,
  PULL,
  pullIn,
  reviewIn,
  type Delivery,
  type GitHubState,
} from './late-github.ts';

const COMMANDS = ['stop', 'pause', 'resume', 'retry', 'work'] as const;
const OTHERS = [
  'label',
  'unlabel',
  'answer',
  'edit',
  'delete',
  'approve',
  'close issue',
  'reopen issue',
  'close pull',
  'reopen pull',
  'merge pull',
  'review',
] as const;
export type Act = (typeof COMMANDS)[number] | (typeof OTHERS)[number];
export const ACTS: readonly Act[] = [...COMMANDS, ...OTHERS];

/** A webhook, by the number of the act; or the comparison of what GitHub's lists show with what is known. */
export type Step = number | 'compare';

/** Admission asks GitHub how the pull request is. */
const LOOKED_UP: ReadonlySet<Act> = new Set(['work', 'retry', 'resume', 'label']);
/** Of a closed issue, these are rejected. */
const FOR_OPEN: ReadonlySet<Act> = new Set(['work', 'retry', 'resume']);

const commandOf = (act: Act): (typeof COMMANDS)[number] | undefined =>
  COMMANDS.find((command) => command === act);

/** Something that was done, as a webhook tells of it. */
interface Deed {
  readonly delivery: Delivery;
  /** GitHub as it was then. */
  readonly github: GitHubState;
}

/** Long after the last entry of the scene. */
const FIRST_ACT = Date.parse('2030-01-15T15:00:00Z');

/** A session, and what people do with it. */
export class LateScene {
  readonly #journal: Journal;
  #github: GitHubState;
  readonly #deeds: Deed[] = [];
  readonly #acts = new Map<number, Act>();
  readonly #known = new Set<string>();
  /** GitHub as of the newest act that the session heard of, or as it is. */
  #now: GitHubState | undefined;
  #newest = -1;
  #seconds = 0;

  constructor(journal: Journal, github: Partial<GitHubState> = {}) {
    this.#journal = journal;
    const pull = journal.session.thread.pullRequest === undefined ? 'none' : 'open';
    this.#github = { ...NEW_STATE, pull, ...github };
    journal.wait(3_600);
  }

  do(acts: readonly Act[]): this {
    for (const act of acts) {
      this.#seconds += 10;
      this.#does(act);
    }
    return this;
  }

  doAtOnce(acts: readonly Act[]): this {
    for (const act of acts) this.#does(act);
    return this;
  }

  get isClosedOnGitHub(): boolean {
    return !this.#github.isIssueOpen;
  }

  isDoable(act: Act): boolean {
    const { isLabelled, isIssueOpen, pull } = this.#github;
    switch (act) {
      case 'label':
        return !isLabelled && isIssueOpen;
      case 'unlabel':
        return isLabelled;
      case 'edit':
      case 'delete':
        return this.#answer !== undefined;
      case 'close issue':
        return isIssueOpen;
      case 'reopen issue':
        return !isIssueOpen;
      case 'close pull':
      case 'merge pull':
        return pull === 'open';
      case 'reopen pull':
        return pull === 'closed';
      case 'review':
        return pull !== 'none';
      case 'approve':
        return this.#journal.session.waiting.proposal !== undefined;
      case 'answer':
      case 'stop':
      case 'pause':
      case 'resume':
      case 'retry':
      case 'work':
        return true;
      default:
        return act satisfies never;
    }
  }

  /** The comment that can be edited or deleted. */
  get #answer() {
    return this.#github.comments.findLast(({ id }) => this.#acts.get(id) === 'answer');
  }

  #does(act: Act): void {
    const at = new Date(FIRST_ACT + this.#seconds * 1000).toISOString().replace('.000Z', 'Z');
    const id = 1_000 + this.#deeds.length;
    this.#acts.set(id, act);
    this.#github = { ...this.#github, updatedAt: at };
    const delivered = this.#deliveryOf(act, id, at);
    this.#deeds.push({ delivery: delivered, github: this.#github });
  }

  #says(act: Act, id: number, at: string): Delivery {
    const words = act === 'answer' || act === 'approve' ? act : `/issuewright ${act}`;
    const comment = { id, body: `${words} ${id}`, created_at: at, updated_at: at };
    this.#github = { ...this.#github, comments: [...this.#github.comments, comment] };
    return delivery('issue_comment.created', {
      issue: issueIn(this.#github),
      comment: commentIn(comment),
    });
  }

  #deliveryOf(act: Act, id: number, at: string): Delivery {
    const before = this.#github;
    const { comments } = before;
    const answer = this.#answer ?? { id: 1, body: '', created_at: at, updated_at: at };
    const others = comments.filter((one) => one.id !== answer.id);
    const happens = (event: string, thread: number, change: Partial<GitHubState>): Delivery => {
      const one = { id, event, thread, created_at: at };
      this.#github = { ...before, ...change, events: [...before.events, one] };
      const label = { name: 'issuewright' };
      return thread === ISSUE
        ? delivery(`issues.${event}`, { issue: issueIn(this.#github), label })
        : delivery(`pull_request.${event}`, { pull_request: pullIn(this.#github) });
    };
    switch (act) {
      case 'label':
        return happens('labeled', ISSUE, { isLabelled: true });
      case 'unlabel':
        return happens('unlabeled', ISSUE, { isLabelled: false });
      case 'close issue':
        return happens('closed', ISSUE, { isIssueOpen: false });
      case 'reopen issue':
        return happens('reopened', ISSUE, { isIssueOpen: true });
      case 'close pull':
        return happens('closed', PULL, { pull: 'closed', closedAt: at });
      case 'merge pull':
        return happens('closed', PULL, { pull: 'merged', closedAt: at });
      case 'reopen pull':
        return happens('reopened', PULL, { pull: 'open' });
      case 'edit': {
        const edited = { ...answer, body: `edited ${id}`, updated_at: at };
        this.#github = { ...before, comments: [...others, edited] };
        const comment = commentIn(edited);
        return delivery('issue_comment.edited', { issue: issueIn(before), comment });
      }
      case 'delete': {
        this.#github = { ...before, comments: others };
        const comment = commentIn(answer);
        return delivery('issue_comment.deleted', { issue: issueIn(before), comment });
      }
      case 'review': {
        const review = { id, body: `${act} ${id}`, at };
        this.#github = { ...before, reviews: [...before.reviews, review] };
        return delivery('pull_request_review.submitted', {
          review: reviewIn(review, 'changes_requested'),
          pull_request: pullIn(before),
        });
      }
      case 'answer':
      case 'approve':
      case 'stop':
      case 'pause':
      case 'resume':
      case 'retry':
      case 'work':
        return this.#says(act, id, at);
      default:
        return act satisfies never;
    }
  }

  /** The session hears of what people did, each thing once. */
  async tell(steps: readonly Step[]): Promise<this> {
    for (const step of steps)
      if (step === 'compare') await this.#compare();
      else this.#deliver(step);
    return this;
  }

  #deliver(number: number): void {
    const deed = this.#deeds[number];
    if (deed === undefined) return;
    if (number > this.#newest) this.#now = deed.github;
    this.#newest = Math.max(this.#newest, number);
    this.#take(deed.delivery);
  }

  async #compare(): Promise<void> {
    this.#newest = this.#deeds.length;
    this.#now = this.#github;
    await compareWith(this.#github, this.#known, (one) => this.#take(one));
  }

  #take({ name, payload }: Delivery): void {
    for (const arrival of READERS.get(name)?.read(payload) ?? []) this.#receive(arrival);
  }

  /** The database takes each event once. */
  #receive({ meaning, intent, sender }: Arrival): void {
    if (this.#known.has(meaning)) return;
    this.#known.add(meaning);
    this.#journal.receive(intent, sender);
    this.#judge(this.#now ?? this.#github);
    if (this.#hasToStop()) this.#journal.end({ kind: 'stopped', reason: 'x' });
  }

  #hasToStop(): boolean {
    const { session } = this.#journal;
    const isOver = !needsRun(session) && session.waiting.pausedBy === undefined;
    return isRunning(session) && (isOver || session.run?.interruptedAt !== undefined);
  }

  /** What admission decides, by what GitHub says now. */
  #judge(now: GitHubState): void {
    const journal = this.#journal;
    const { session, entries } = journal;
    const heard = session.requests.awaitingAdmission.at(-1);
    if (heard === undefined || heard.seq !== entries.length) return;
    const { seq: received, intent } = heard;
    const id =
      'commentId' in intent ? intent.commentId : intent.kind === 'edited' ? intent.in.id : 0;
    const act = intent.kind === 'comment' ? this.#acts.get(id) : undefined;
    const text = now.comments.find((comment) => comment.id === id)?.body;
    const isRead = session.requests.unread.every(
      (item) => item.intent.kind !== 'comment' || item.intent.commentId !== id,
    );
    const isRejected =
      (intent.kind === 'start' && !(now.isLabelled && now.isIssueOpen)) ||
      (intent.kind === 'unlabeled' && now.isLabelled) ||
      (intent.kind === 'comment' && isForOpen(act) && intent.onOpen !== true) ||
      (act === 'answer' && text === undefined) ||
      (act === 'approve' && session.waiting.proposal === undefined) ||
      (intent.kind === 'edited' && (isRead || text === undefined));
    if (isRejected) {
      journal.add({ type: 'rejected', received, reason: 'outdated' });
      return;
    }
    const words = text ?? ('body' in intent ? intent.body : '');
    const { pull, closedAt } = now;
    const isAsked = intent.kind === 'start' || (act !== undefined && LOOKED_UP.has(act));
    const pullRequest = pull !== 'none' && isAsked ? pull : undefined;
    const command = act && commandOf(act);
    journal.add({
      type: 'admitted',
      received,
      lineComments: [],
      ...(words === '' || intent.kind === 'start' ? {} : { shown: { body: words } }),
      ...(command === undefined ? {} : { ask: { for: command, alone: command !== 'work' } }),
      ...(act === 'approve' ? { approves: true } : {}),
      ...(pullRequest === undefined ? {} : { pullRequest }),
      ...(pullRequest === undefined || pullRequest === 'open' || closedAt === undefined
        ? {}
        : { closedAt }),
    });
  }

  /** How it stands. */
  end() {
    const { session } = this.#journal;
    const { requests, thread, waiting } = session;
    return {
      isGoing: needsRun(session),
      isPaused: waiting.pausedBy !== undefined && stateOf(session) === 'waiting(pause)',
      isIssueClosed: thread.issueClosed,
      // One that is closed is followed by another.
      pull: thread.pullRequest?.state === 'closed' ? undefined : thread.pullRequest?.state,
      closedPulls: thread.closedPullRequests,
      words: requests.unread
        .filter(({ isAlone, approves }) => !isAlone && approves === undefined)
        .map(({ shown }) => shown?.body ?? '')
        .filter((body) => body !== '')
        .toSorted(),
    };
  }
}

const isForOpen = (act: Act | undefined): boolean => act !== undefined && FOR_OPEN.has(act);
