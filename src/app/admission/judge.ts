import type { GitHubRepository, ShownLineComment } from '../../github/repository.ts';
import { isApproval } from '../../session/approval.ts';
import { ANY_APP, askOf, startsWork } from '../../session/asks.ts';
import { isRemark } from '../../events/asks.ts';
import type { Attempt, RejectionReason } from '../../session/entry.ts';
import type { Ask, Intent } from '../../contracts/intent.ts';
import type { Received } from '../../session/session.ts';
import { isQuestionOpen, takesRemarks } from '../../session/state.ts';
import { commentsInJournal, earlierComments, wasIncluded } from './earlier-comments.ts';
import type { FoundVerdict } from './keep-images.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import { rulesFor, type Rules } from './settings.ts';
import { isRepeatedStart, type Start } from './repeated-start.ts';
import { ShownTexts } from './shown-texts.ts';
import type { Service } from '../service/service.ts';
import { isAllowedBot, mayAsk, type Permissions } from './who-may.ts';

/** What admission sees of the session, always up to date with its journal. */
type Watched = Pick<JournalTracker, 'session' | 'entries'>;

/** Decides what counts. The settings are read once, and each person is looked up once. */
export class Judge {
  readonly #github: GitHubRepository;
  readonly #tracker: Watched;
  readonly #allowedBots: Service['allowedBots'];
  readonly #permissions: Permissions = new Map();
  readonly #texts: ShownTexts;
  #rules: Promise<Rules> | undefined;

  constructor(github: GitHubRepository, tracker: Watched, allowedBots: Service['allowedBots']) {
    this.#allowedBots = allowedBots;
    this.#github = github;
    this.#tracker = tracker;
    this.#texts = new ShownTexts(github, tracker);
  }

  /** @throws {GitHubDenied} if GitHub does not let us look it up */
  async verdictOn(received: Received): Promise<FoundVerdict> {
    const { seq, intent } = received;
    const ask = await this.#meant(received, await this.#askOf(received));
    const reason = await this.#against(received, ask);
    if (reason !== undefined) {
      const { who } = await this.#settled();
      // Bots are told nothing: they would answer.
      const isTold = TOLD.has(reason) && received.sender.bot !== true;
      const attempt = isTold ? await this.#attemptOf(received, ask) : undefined;
      return {
        type: 'rejected',
        received: seq,
        reason,
        ...(attempt === undefined ? {} : { notify: true, attempt }),
        ...(reason === 'not_permitted' ? { requiredRole: who } : {}),
      };
    }
    const earlier = await this.#earlier(received, ask);
    const shown = await this.#texts.of(received);
    const issue = await this.#texts.issueFor(received, ask);
    const work = ask ?? (await this.#remark(received));
    return {
      type: 'admitted',
      received: seq,
      ...(shown.body === '' || intent.kind === 'start' ? {} : { shown }),
      ...(issue === undefined ? {} : { issue }),
      lineComments: await this.#lineComments(received),
      ...(work === undefined ? {} : { ask: withoutAddressee(work) }),
      ...(earlier.length === 0 ? {} : { earlier }),
      ...((await this.#approves(received, ask)) ? { approves: true } : {}),
    };
  }

  /** A comment from before the plan does not approve it. */
  async #approves(received: Received, ask: Ask | undefined): Promise<boolean> {
    const { seq, intent } = received;
    const { proposedPlan, approval } = this.#tracker.session.waiting;
    if (proposedPlan === undefined || approval !== 'needed' || seq < proposedPlan.seq) return false;
    if (intent.kind === 'thumbs_up') return intent.plan === proposedPlan.seq;
    if (intent.kind !== 'comment') return false;
    return isApproval((await this.#texts.of(received)).said, ask !== undefined);
  }

  /** On our own pull request, a person's comment requests work without naming the App, as a review does. */
  async #remark(received: Received): Promise<Ask | undefined> {
    const { intent, sender } = received;
    if (intent.kind !== 'comment' || intent.on !== 'pull_request' || sender.bot === true)
      return undefined;
    if (!takesRemarks(this.#tracker.session)) return undefined;
    const { said } = await this.#texts.of(received);
    return isRemark(said) ? { to: ANY_APP, for: 'work', alone: false } : undefined;
  }

  /** What the sender wants; `undefined` if it does not seem to be meant for us. */
  async #attemptOf(received: Received, ask: Ask | undefined): Promise<Attempt | undefined> {
    const { seq, intent } = received;
    if (intent.kind === 'start') return 'request';
    if (ask !== undefined) return ask.for === 'work' ? 'request' : 'command';
    if (intent.kind !== 'comment') return undefined;
    const { session } = this.#tracker;
    const { question, proposedPlan } = session.waiting;
    const { said } = await this.#texts.of(received);
    if (proposedPlan !== undefined && seq > proposedPlan.seq && isApproval(said, false))
      return 'approval';
    const isQuestion = isQuestionOpen(session) && seq > (question?.seq ?? 0);
    return isQuestion && intent.byAuthor === true ? 'answer' : undefined;
  }

  /**
   * While a question is open, a mention is an answer, not a request, if it is one word that resembles a command
   * or says to continue, or if it comes from people who may answer but not request work. Praise requests nothing
   * if no plan waits for approval.
   */
  async #meant(received: Received, ask: Ask | undefined): Promise<Ask | undefined> {
    const { session } = this.#tracker;
    if (ask === undefined) return undefined;
    const { lines } = (await this.#texts.of(received)).said;
    if (ask.for === 'approve' && session.waiting.proposedPlan === undefined && !saysApprove(lines))
      return undefined;
    if (!isQuestionOpen(session)) return ask;
    const { pausedBy } = session.waiting;
    if (ask.for === 'unclear' || isMemory(ask) || (ask.for === 'resume' && pausedBy === undefined))
      return isCommand(lines) ? ask : undefined;
    if (ask.for !== 'work' || !(await this.#isAuthorWhoAnswers(received))) return ask;
    const { who } = await this.#settled();
    const { login } = received.sender;
    return (await mayAsk(this.#github, login, who, this.#permissions)) ? ask : undefined;
  }

  async #isAuthorWhoAnswers({ intent }: Received): Promise<boolean> {
    if (intent.kind !== 'comment' || intent.byAuthor !== true) return false;
    return (await this.#settled()).authorAnswers;
  }

  #settled(): Promise<Rules> {
    return (this.#rules ??= rulesFor(this.#github, this.#tracker.session.thread.repository));
  }

  async #askOf(received: Received): Promise<Ask | undefined> {
    const asks = await this.#texts.asksIn(received);
    return asks.length === 0 ? undefined : askOf(asks, await this.#github.appSlug());
  }

  async #against(received: Received, ask: Ask | undefined): Promise<RejectionReason | undefined> {
    const { session } = this.#tracker;
    const { intent } = received;
    if (intent.kind === 'unlabeled') return this.#againstUnlabeled(intent.label);
    if (intent.kind === 'start') {
      const reason =
        intent.addressed === undefined
          ? await this.#againstLabel(received, intent)
          : this.#againstWords(ask);
      if (reason !== undefined) return reason;
    } else if (ask === undefined && session.requests.requester === undefined) return 'no_session';
    if (intent.kind === 'thumbs_up' && !(await this.#approves(received, ask))) return 'outdated';
    if (!(await this.#mayAsk(received, ask))) return 'not_permitted';
    if (intent.kind !== 'comment') return undefined;
    if (ask === undefined)
      return wasIncluded(intent.commentId, this.#tracker.entries) ? 'duplicate' : undefined;
    if (intent.on === 'pull_request' && session.thread.pullRequest === undefined)
      return 'foreign_pull_request';
    const isWork = startsWork(ask.for) || ask.for === 'resume';
    return isWork && (await this.#isClosed(intent)) ? 'issue_closed' : undefined;
  }

  /** An event of a pull request does not contain its issue, and we may have missed that it was reopened. */
  async #isClosed({ on, thread }: Extract<Intent, { kind: 'comment' }>): Promise<boolean> {
    const { thread: ours } = this.#tracker.session;
    if (on === 'issue') return thread?.isOpen === false;
    return ours.issueClosed && !(await this.#github.issueState(ours.issue)).isOpen;
  }

  /** The text of a new issue; if its label requests work too, that is the same request. */
  #againstWords(ask: Ask | undefined): RejectionReason | undefined {
    if (ask === undefined) return 'no_session';
    return this.#tracker.session.requests.requester === undefined ? undefined : 'duplicate';
  }

  async #againstLabel({ seq }: Received, start: Start): Promise<RejectionReason | undefined> {
    const { issue } = this.#tracker.session.thread;
    if (start.label !== (await this.#settled()).label) return 'other_label';
    if (isRepeatedStart(start, seq, this.#tracker)) return 'duplicate';
    const { isOpen, labels, text } = await this.#github.issueState(issue);
    this.#texts.fetchedIssue(text);
    return isOpen && labels.includes(start.label) ? undefined : 'outdated';
  }

  /** Needs no permission; but the label may have been added again. */
  async #againstUnlabeled(label: string): Promise<RejectionReason | undefined> {
    const { session } = this.#tracker;
    const started =
      session.thread.label === '' ? (await this.#settled()).label : session.thread.label;
    if (label !== started) return 'other_label';
    const { labels } = await this.#github.issueState(session.thread.issue);
    return labels.includes(label) ? 'outdated' : undefined;
  }

  /** A bot may have been on the operator's list when it was heard, and is not now. */
  async #mayAsk(received: Received, ask: Ask | undefined): Promise<boolean> {
    const { sender } = received;
    const { question, proposedPlan } = this.#tracker.session.waiting;
    const { who } = await this.#settled();
    if (sender.bot === true) return isAllowedBot(sender, this.#allowedBots);
    const answers =
      ask === undefined &&
      (question !== undefined || proposedPlan !== undefined) &&
      !(await this.#approves(received, ask));
    if (answers && (await this.#isAuthorWhoAnswers(received))) return true;
    return mayAsk(this.#github, sender.login, who, this.#permissions);
  }

  /** Once per session: later comments are in its journal. */
  async #earlier({ intent, sender }: Received, ask: Ask | undefined) {
    const {
      requests: { requester },
      thread: { issue },
    } = this.#tracker.session;
    const begins = intent.kind === 'start' || (ask !== undefined && startsWork(ask.for));
    if (!begins || requester !== undefined || !('at' in intent) || intent.at === undefined)
      return [];
    const { who } = await this.#settled();
    const except = commentsInJournal(this.#tracker.entries);
    return earlierComments(
      this.#github,
      { issue, at: intent.at, except },
      (login) => login === sender.login || mayAsk(this.#github, login, who, this.#permissions),
    );
  }

  /** A review event contains only its summary; the comments on single lines are fetched. */
  async #lineComments({ intent }: Received): Promise<readonly ShownLineComment[]> {
    if (intent.kind !== 'review') return [];
    return this.#github.lineCommentsOf(intent.pullRequest, intent.reviewId);
  }
}

const withoutAddressee = ({ to: _to, ...ask }: Ask): Omit<Ask, 'to'> => ask;

const isMemory = (ask: Ask): boolean => ask.for === 'memory' || ask.for === 'forget';

const saysApprove = (lines: readonly string[]): boolean =>
  lines.some((line) => /\bapprove/i.test(line));

const isCommand = (lines: readonly string[]): boolean =>
  lines.some((line) => /^\/issuewright/i.test(line));

/** The reasons that the requester is told; the others do not concern them. */
const TOLD: ReadonlySet<RejectionReason> = new Set([
  'not_permitted',
  'issue_closed',
  'foreign_pull_request',
]);
