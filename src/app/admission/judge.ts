import { GitHubDenied } from '../../github/errors.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { hasCommand, isPlainRequest, isWithdrawal, startsWork } from '../../session/said/asks.ts';
import type { AttemptKind, RejectionReason } from '../../session/entry.ts';
import type { Ask } from '../../contracts/intent.ts';
import type { ReceivedIntent } from '../../session/session.ts';
import { isApproval, saysApprove } from '../../session/said/approval.ts';
import { isFixApproved } from '../../session/checks/due.ts';
import { isQuestionOpen, isUpForReview } from '../../session/state.ts';
import {
  Adoptions,
  againstStart,
  againstWithdrawal,
  dependenciesOf,
  type Adoption,
  type RequestWords,
} from './starts.ts';
import {
  askedIn,
  editedSuggestion,
  isQuestion,
  onLines,
  placedWords,
  remarkIn,
  wholeReview,
  type TextAsks,
  type UnnamedRemark,
} from './line-comments.ts';
import {
  admittedAsItIs,
  againstClosed,
  againstComment,
  againstEdit,
  againstWords,
  answersPush,
  headToMerge,
  isEditOfRequest,
  isMemory,
  isOutdated,
  pullRequestNow,
  rejection,
  TOLD,
  withoutAddressee,
} from './verdict-parts.ts';
import { hasAnsweredIn } from '../../session/fold/items.ts';
import { entryAt } from '../../session/kept-entries.ts';
import { Approvals, isAllowedBot, mayAsk, WORKFLOWS_ROLE } from './who-may.ts';
import type { AskingAccount, KnownRoles } from './who-may.ts';
import {
  Background,
  commentsInJournal,
  earlierComments,
  issueAuthorIn,
  plannedWorkOf,
} from './issue-context.ts';
import type { FoundVerdict } from './keep-images.ts';
import { againstReview, gatherAfterPush } from './review-requests.ts';
import type { TrackedJournal } from '../service/journal-tracker.ts';
import { rulesFor, type Rules } from './settings.ts';
import { ShownTexts } from './shown-texts.ts';
import type { Service } from '../service/service.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

/** Decides what counts. The settings are read once, and each person is looked up once. */
export class Judge {
  readonly #github: GitHubRepository;
  /** Without the rejections that are found but not journaled yet. */
  readonly #tracker: TrackedJournal;
  readonly #allowedBots: Service['allowedBots'];
  readonly #permissions: KnownRoles = new Map();
  readonly #texts: ShownTexts;
  readonly #adoptions: Adoptions;
  readonly #background: Background;
  readonly #approvals: Approvals;
  #rules: Promise<Rules> | undefined;

  constructor(
    github: GitHubRepository,
    tracker: TrackedJournal,
    allowedBots: Service['allowedBots'],
  ) {
    this.#allowedBots = allowedBots;
    this.#github = github;
    this.#tracker = tracker;
    const texts = new ShownTexts(github, tracker);
    this.#texts = texts;
    const permissions = this.#permissions;
    this.#approvals = new Approvals({ github, tracker, texts, permissions });
    this.#adoptions = new Adoptions(github);
    this.#background = new Background(tracker, texts);
  }

  /** @throws {GitHubDenied} if GitHub does not let us look it up */
  async verdictOn(heard: ReceivedIntent): Promise<FoundVerdict> {
    if (heard.intent.kind === 'operator_command') return admittedAsItIs(heard);
    const received = await wholeReview(heard, this.#github);
    const { seq, intent } = received;
    const { asks, ask } = await this.#asked(received);
    const reason = await this.#against(received, ask);
    if (reason !== undefined) {
      const lacksRole = await this.#approvals.lacksRole(received, ask);
      const required = lacksRole ? WORKFLOWS_ROLE : (await this.#settled()).who;
      // Bots are told nothing: they would answer.
      const isTold = TOLD.has(reason) && received.sender.bot !== true;
      const attempt = isTold ? await this.#attemptOf(received, ask) : undefined;
      const background = await this.#background.of(received, reason, ask);
      return { ...rejection(seq, reason, { attempt, asks }, required), ...background };
    }
    const earlier = await this.#earlier(received, ask);
    const shown = await this.#texts.inNewestWords(received);
    const adoption = await this.#adoptions.of(received, ask, this.#tracker.session);
    const issue = await this.#texts.issueFor(received, ask, adoption?.text);
    const remark = ask === undefined ? await this.#remark(received) : {};
    const work = ask ?? remark.ask;
    const words = { ask, said: shown.said, issue: issue?.said };
    const dependsOn = await this.#dependsOn(received, words);
    const shownIssue = issue && { ...issue, ...(await this.#aboutIssue(received, adoption)) };
    return {
      type: 'admitted',
      received: seq,
      ...withoutUndefined({ issue: shownIssue, adopts: adoption?.adopts }),
      ...(await this.#onLines(heard, received, asks)),
      ...gatherAfterPush(received, this.#tracker.entries, await this.#settled()),
      ...placedWords(intent, shown, ask, this.#tracker.entries),
      ...editedSuggestion(intent, shown),
      ...(await pullRequestNow(received, work, this.#tracker.session, this.#github)),
      ...(await headToMerge(ask, this.#tracker.session, this.#github)),
      ...(work === undefined ? {} : { ask: withoutAddressee(work) }),
      ...(remark.needsMention === true ? { needsMention: true } : {}),
      ...(isQuestion(received, shown.said, ask) ? { isQuestion: true } : {}),
      ...((await this.#answersOnly(received, ask)) ? { answersOnly: true } : {}),
      ...(asks.length === 0 ? {} : { asks }),
      ...(earlier.length === 0 ? {} : { earlier }),
      ...(await this.#texts.workedOnInParts(received)),
      ...(dependsOn.length === 0 ? {} : { dependsOn }),
      ...((await this.#approvals.approves(received, ask)) ? this.#approvals.verdict() : {}),
      ...((await this.#allowsPush(received, ask)) ? { allowsPush: true } : {}),
    };
  }

  async #asked(received: ReceivedIntent): Promise<TextAsks> {
    if (isEditOfRequest(received, this.#tracker.entries)) return { ask: undefined, asks: [] };
    const { asks, ask } = await askedIn(received, this.#texts, this.#github);
    const meant = await this.#meant(received, ask);
    return { ask: meant, asks: meant === undefined ? [] : asks };
  }

  /** Only people who may request work decide that, whoever else may answer questions. */
  async #allowsPush(received: ReceivedIntent, ask: Ask | undefined): Promise<boolean> {
    if (!answersPush(received, ask, this.#tracker.session.waiting)) return false;
    if (!isApproval(await this.#texts.saidIn(received), ask !== undefined)) return false;
    return this.#mayRequest(received.sender);
  }

  /** Who wrote the text that the work is about, if someone else requests it; of an issue, also what it is a part of. */
  async #aboutIssue({ intent, sender }: ReceivedIntent, adoption: Adoption | undefined) {
    const named = issueAuthorIn(intent);
    const { author: login = named?.login } = adoption?.adopts ?? {};
    const isOwn = login === undefined || login.toLowerCase() === sender.login.toLowerCase();
    const now = adoption === undefined ? await this.#texts.issueNow() : undefined;
    const trusts = (account: AskingAccount) => this.#isTrusted(account);
    const { issue } = this.#tracker.session.thread;
    return {
      ...(isOwn ? {} : { by: { login, mayRequest: await trusts({ login, id: named?.id }) } }),
      ...(now === undefined ? {} : await plannedWorkOf(issue, now, this.#github, trusts)),
    };
  }

  async #isTrusted({ login, id }: AskingAccount): Promise<boolean> {
    if (login.endsWith('[bot]')) return isAllowedBot({ login }, this.#allowedBots);
    return this.#mayRequest({ login, id }).catch((error: unknown) => {
      if (error instanceof GitHubDenied) return false;
      throw error;
    });
  }

  async #remark(received: ReceivedIntent): Promise<UnnamedRemark> {
    const { on_pull_request_comments: heeded } = await this.#settled();
    const mayAnswer = await this.#isAuthorWhoAnswers(received);
    const how = { heedsAllComments: heeded === 'all', mayAnswer };
    return remarkIn(received, this.#texts, this.#tracker.session, how);
  }

  #dependsOn(received: ReceivedIntent, words: RequestWords): Promise<readonly number[]> {
    const { issue } = this.#tracker.session.thread;
    const mayRequest = (login: string) => this.#mayRequest({ login });
    return dependenciesOf({ github: this.#github, issue, mayRequest }, received, words);
  }

  /** What the sender wants; `undefined` if it does not seem to be meant for us. */
  async #attemptOf(
    received: ReceivedIntent,
    ask: Ask | undefined,
  ): Promise<AttemptKind | undefined> {
    const { seq, intent } = received;
    if (intent.kind === 'start') return isPlainRequest(intent) ? 'request' : undefined;
    if (intent.kind === 'check_action') return 'command';
    if (await this.#approvals.isAttempt(received, ask)) return 'approval';
    const { session } = this.#tracker;
    const { question } = session.waiting;
    const isQuestion = isQuestionOpen(session) && seq > (question?.seq ?? 0);
    const isAnswer = isQuestion && intent.kind === 'comment' && intent.byAuthor === true;
    if (ask !== undefined && ask.for !== 'work') return 'command';
    if (isAnswer) return 'answer';
    return ask === undefined ? undefined : 'request';
  }

  /**
   * While a question is open, a mention is an answer, not a request, if it is one word that resembles a command
   * or says to continue, or if it comes from people who may answer but not request work. It stays one when it is edited,
   * unless that makes it a command. Praise requests nothing if no plan waits for approval.
   */
  async #meant(received: ReceivedIntent, ask: Ask | undefined): Promise<Ask | undefined> {
    const { session } = this.#tracker;
    if (ask === undefined) return undefined;
    const { lines } = await this.#texts.saidIn(received);
    if (ask.for === 'approve' && session.waiting.proposal === undefined && !saysApprove(lines))
      return undefined;
    const { intent } = received;
    const isEdited = intent.kind === 'edited' && hasAnsweredIn(intent.in, this.#tracker.entries);
    if (!isEdited && !isQuestionOpen(session)) return ask;
    const { pausedBy } = session.waiting;
    if (ask.for === 'unclear' || isMemory(ask) || (ask.for === 'resume' && pausedBy === undefined))
      return hasCommand(lines) ? ask : undefined;
    if (isEdited && ask.for === 'work') return undefined;
    if (ask.for !== 'work' || !(await this.#isAuthorWhoAnswers(received))) return ask;
    return (await this.#mayRequest(received.sender)) ? ask : undefined;
  }

  async #mayRequest(account: AskingAccount): Promise<boolean> {
    return mayAsk(this.#github, account, (await this.#settled()).who, this.#permissions);
  }

  async #isAuthorWhoAnswers({ intent }: ReceivedIntent): Promise<boolean> {
    if (intent.kind !== 'comment' || intent.byAuthor !== true) return false;
    return (await this.#settled()).answers_from === 'author';
  }

  async #answersOnly(received: ReceivedIntent, ask: Ask | undefined): Promise<boolean> {
    if (ask !== undefined || !(await this.#isAuthorWhoAnswers(received))) return false;
    return !(await this.#mayRequest(received.sender));
  }

  #settled(): Promise<Rules> {
    return (this.#rules ??= rulesFor(this.#github, this.#tracker.session.thread.repository));
  }

  async #against(
    received: ReceivedIntent,
    ask: Ask | undefined,
  ): Promise<RejectionReason | undefined> {
    const { session } = this.#tracker;
    const { intent } = received;
    if (intent.kind === 'edited' && ask === undefined)
      return againstEdit(received, intent, this.#tracker);
    if (isWithdrawal(intent))
      return againstWithdrawal(intent, session, this.#github, await this.#settled());
    if (intent.kind === 'check_action' && isOutdated(intent, session)) return 'outdated';
    if (intent.kind === 'review' && intent.verdict === undefined) return 'outdated';
    if (intent.kind === 'start' && intent.review !== undefined)
      return againstReview(received, intent, await this.#reviewParts());
    if (intent.kind === 'start') {
      const reason =
        intent.addressed === undefined
          ? await againstStart(received.seq, intent, {
              github: this.#github,
              tracker: this.#tracker,
              texts: this.#texts,
              rules: await this.#settled(),
            })
          : againstWords(ask, session);
      if (reason !== undefined) return reason;
    } else if (ask === undefined && session.requests.requester === undefined) return 'no_session';
    if (intent.kind === 'thumbs_up' && !(await this.#approvals.approves(received, ask)))
      return 'outdated';
    if (intent.kind === 'fix_approved' && !isFixApproved(session, intent.checks)) return 'outdated';
    if (await this.#approvals.lacksRole(received, ask)) return 'not_permitted';
    if (!(await this.#mayAsk(received, ask))) return 'not_permitted';
    // A bot may ask for work, and not for a merge.
    if (ask?.for === 'merge' && received.sender.bot === true) return 'not_permitted';
    if (intent.kind !== 'comment' && intent.kind !== 'review' && intent.kind !== 'edited')
      return undefined;
    if (await this.#texts.wasAskedByEdit(received)) return 'duplicate';
    if (ask === undefined) return againstComment(received, this.#tracker.entries, this.#texts);
    const adoption = await this.#adoptions.of(received, ask, session);
    if (adoption !== undefined) return adoption.against;
    const isWork = startsWork(ask.for) || ask.for === 'resume';
    return isWork ? againstClosed(intent, session, this.#github) : undefined;
  }

  async #reviewParts() {
    return {
      github: this.#github,
      tracker: this.#tracker,
      texts: this.#texts,
      rules: await this.#settled(),
      allowedBots: this.#allowedBots,
      permissions: this.#permissions,
    };
  }

  /** A bot may have been on the operator's list when it was heard, and is not now. */
  async #mayAsk(received: ReceivedIntent, ask: Ask | undefined): Promise<boolean> {
    const { sender } = received;
    const { question, proposal } = this.#tracker.session.waiting;
    if (sender.bot === true) return isAllowedBot(sender, this.#allowedBots);
    const answers =
      ask === undefined &&
      (question !== undefined || proposal !== undefined) &&
      !(await this.#approvals.approves(received, ask));
    if (answers && (await this.#isAuthorWhoAnswers(received))) return true;
    return this.#mayRequest(sender);
  }

  /** Once per session: later comments are in its journal. */
  async #earlier({ intent, sender }: ReceivedIntent, ask: Ask | undefined) {
    const { requests, run, thread } = this.#tracker.session;
    const { issue, subIssues } = thread;
    const begins = intent.kind === 'start' || (ask !== undefined && startsWork(ask.for));
    const isRead =
      requests.requester !== undefined && (subIssues === undefined || run !== undefined);
    if (!begins || isRead || !('at' in intent) || intent.at === undefined) return [];
    if (this.#texts.isUncommented) return [];
    const except = commentsInJournal(this.#tracker.entries);
    return earlierComments(
      this.#github,
      { issue, at: intent.at, except, issueAuthor: issueAuthorIn(intent)?.id },
      async (author) => author.id === sender.id || this.#mayRequest(author),
    );
  }

  async #onLines(heard: ReceivedIntent, received: ReceivedIntent, asks: TextAsks['asks']) {
    const { comment_wait: wait, on_pull_request_comments: heeded } = await this.#settled();
    return onLines(heard, received.intent, {
      github: this.#github,
      found: await this.#texts.linesOf(received),
      said: (await this.#texts.of(received)).said,
      asks,
      needsQuestion:
        heeded !== 'all' && received.sender.bot !== true && isUpForReview(this.#tracker.session),
      at: entryAt(this.#tracker.entries, received.seq)?.at ?? '',
      waitMs: wait * 1000,
      maySpeak: ({ author: login, isBot }) =>
        isBot ? isAllowedBot({ login }, this.#allowedBots) : this.#mayRequest({ login }),
    });
  }
}
