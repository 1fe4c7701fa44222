// What people do with an issue and its pull request on GitHub, and how a session hears of it, in whatever order.
import type { Intent } from '../../src/contracts/intent.ts';
import { isDeleted, isEditedSince, newestWords } from '../../src/session/edits.ts';
import { isRunning, needsRun, stateOf } from '../../src/session/state.ts';
import { Journal } from './journal.ts';
import { asked, submitted, working } from './stories.ts';

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

/** Admission asks GitHub how the pull request is. */
const LOOKED_UP: ReadonlySet<Act> = new Set(['work', 'retry', 'resume', 'label']);

const isComment = (act: Act): act is (typeof COMMANDS)[number] | 'answer' =>
  act === 'answer' || isCommand(act);

const isCommand = (act: Act): act is (typeof COMMANDS)[number] =>
  COMMANDS.some((command) => command === act);

/** What GitHub knows. */
interface Repository {
  isLabelled: boolean;
  isIssueOpen: boolean;
  pull: 'none' | 'open' | 'closed' | 'merged';
  closedAt?: string;
  /** The comment that can be edited or deleted. */
  answer: number | undefined;
}

/** Something that was done, as a webhook tells of it. */
interface Deed {
  readonly act: Act;
  readonly intent: Intent;
  /** GitHub as it was then. */
  readonly github: Repository;
}

const PULL = 12;
const PERSON = { login: 'octo-maintainer', id: 5 };
/** Long after the last entry of the scene. */
const FIRST_ACT = Date.parse('2030-01-15T15:00:00Z');

/** A session, and what people do with it. */
class LateScene {
  readonly #journal: Journal;
  #github: Repository;
  readonly #deeds: Deed[] = [];
  readonly #told = new Set<Deed>();
  #seconds = 0;

  constructor(journal: Journal, github: Partial<Repository> = {}) {
    this.#journal = journal;
    this.#github = {
      isLabelled: true,
      isIssueOpen: true,
      pull: journal.session.thread.pullRequest === undefined ? 'none' : 'open',
      answer: undefined,
      ...github,
    };
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
    const { isLabelled, isIssueOpen, pull, answer } = this.#github;
    if (isComment(act)) return true;
    switch (act) {
      case 'label':
        return !isLabelled && isIssueOpen;
      case 'unlabel':
        return isLabelled;
      case 'edit':
      case 'delete':
        return answer !== undefined;
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
      default:
        return act satisfies never;
    }
  }

  #does(act: Act): void {
    const intent = this.#intentOf(act);
    this.#github = { ...this.#github, ...changeBy(act, intent) };
    this.#deeds.push({ act, intent, github: this.#github });
  }

  #intentOf(act: Act): Intent {
    const at = new Date(FIRST_ACT + this.#seconds * 1000).toISOString().replace('.000Z', 'Z');
    const { isIssueOpen, pull, answer = 0 } = this.#github;
    const id = 1_000 + this.#deeds.length;
    if (isComment(act) || act === 'approve')
      return {
        kind: 'comment',
        on: 'issue',
        commentId: id,
        body: `${act} ${id}`,
        at,
        ...(isIssueOpen ? { onOpen: true } : {}),
      };
    switch (act) {
      case 'label':
        return { kind: 'start', label: 'issuewright', title: 'Greet', body: 'Again.', at };
      case 'unlabel':
        return { kind: 'unlabeled', label: 'issuewright', at };
      case 'edit':
        return { kind: 'edited', in: { on: 'comment', id: answer }, body: `edited ${id}`, at };
      case 'delete':
        return { kind: 'deleted', in: { on: 'comment', id: answer } };
      case 'close issue':
        return { kind: 'issue_closed', at };
      case 'reopen issue':
        return { kind: 'issue_reopened', at };
      case 'close pull':
      case 'merge pull':
        return {
          kind: 'pull_request_closed',
          pullRequest: PULL,
          merged: act === 'merge pull',
          at,
        };
      case 'reopen pull':
        return { kind: 'pull_request_reopened', pullRequest: PULL, at };
      case 'review':
        return {
          kind: 'review',
          pullRequest: PULL,
          reviewId: id,
          verdict: 'changes_requested',
          body: `${act} ${id}`,
          at,
          ...(pull === 'open' ? { onOpen: true } : {}),
        };
      default:
        return act satisfies never;
    }
  }

  /** The session hears of these, by their numbers; of none more than once. */
  tell(order: readonly number[]): this {
    for (const number of order) {
      const deed = this.#deeds[number];
      // The database takes each event once.
      if (deed === undefined || this.#told.has(deed)) continue;
      this.#told.add(deed);
      this.#journal.receive(deed.intent, PERSON);
      this.#judge(deed, this.#known());
      if (this.#hasToStop()) this.#journal.end({ kind: 'stopped', reason: 'x' });
    }
    return this;
  }

  /** What GitHub says when it is asked: as of the newest act that the session heard of. */
  #known(): Repository {
    return this.#deeds.findLast((deed) => this.#told.has(deed))?.github ?? this.#github;
  }

  #hasToStop(): boolean {
    const { session } = this.#journal;
    const isOver = !needsRun(session) && session.waiting.pausedBy === undefined;
    return isRunning(session) && (isOver || session.run?.interruptedAt !== undefined);
  }

  /** What admission decides, by what GitHub says now. */
  #judge({ act, intent, github: then }: Deed, now: Repository): void {
    const journal = this.#journal;
    const { session, entries } = journal;
    const heard = session.requests.awaitingAdmission.at(-1);
    if (heard === undefined || heard.seq !== entries.length) return;
    const { seq: received } = heard;
    const isRejected =
      (act === 'label' && !(now.isLabelled && now.isIssueOpen)) ||
      (act === 'unlabel' && now.isLabelled) ||
      (['work', 'retry', 'resume'].includes(act) && !then.isIssueOpen) ||
      (act === 'answer' && isDeleted(intent, entries)) ||
      (act === 'approve' && session.waiting.proposal === undefined) ||
      isEditedSince(heard, entries) ||
      (act === 'edit' &&
        !session.requests.unread.some(
          (item) =>
            item.intent.kind === 'comment' &&
            intent.kind === 'edited' &&
            item.intent.commentId === intent.in.id,
        ));
    if (isRejected) {
      journal.add({ type: 'rejected', received, reason: 'outdated' });
      return;
    }
    const words = newestWords(heard, entries) ?? ('body' in intent ? intent.body : '');
    const { pull, closedAt } = now;
    const pullRequest = pull !== 'none' && LOOKED_UP.has(act) ? pull : undefined;
    journal.add({
      type: 'admitted',
      received,
      lineComments: [],
      ...(words === '' || act === 'label' ? {} : { shown: { body: words } }),
      ...(isCommand(act) ? { ask: { for: act, alone: act !== 'work' } } : {}),
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
    const isGoing = needsRun(session);
    return {
      isGoing,
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

const CHANGES: Partial<Readonly<Record<Act, Partial<Repository>>>> = {
  label: { isLabelled: true },
  unlabel: { isLabelled: false },
  delete: { answer: undefined },
  'close issue': { isIssueOpen: false },
  'reopen issue': { isIssueOpen: true },
  'close pull': { pull: 'closed' },
  'merge pull': { pull: 'merged' },
  'reopen pull': { pull: 'open' },
};

const changeBy = (act: Act, intent: Intent): Partial<Repository> =>
  act === 'answer' && intent.kind === 'comment'
    ? { answer: intent.commentId }
    : intent.kind === 'pull_request_closed' && intent.at !== undefined
      ? { ...CHANGES[act], closedAt: intent.at }
      : (CHANGES[act] ?? {});

const planned = (): Journal =>
  new Journal()
    .start()
    .run({ planFirst: true })
    .effect(
      {
        type: 'plan',
        items: [{ id: '1', title: 'Greet', done: false }],
        needsApproval: true,
      },
      'asked',
    )
    .end({ kind: 'asked' });

export const SCENES = {
  working: () => new LateScene(working()),
  asked: () => new LateScene(asked()),
  planned: () => new LateScene(planned()),
  submitted: () => new LateScene(submitted()),
  failed: () => new LateScene(working().end({ kind: 'failed', reason: 'x' })),
  stopped: () => new LateScene(asked().command('stop')),
  paused: () => new LateScene(asked().command('pause')),
  closed: () =>
    new LateScene(asked().receive({ kind: 'issue_closed', at: '2030-01-15T14:30:00Z' }), {
      isIssueOpen: false,
    }),
  unsubmitted: () =>
    new LateScene(
      submitted().receive({
        kind: 'pull_request_closed',
        pullRequest: PULL,
        merged: false,
        at: '2030-01-15T14:30:00Z',
      }),
      { pull: 'closed' },
    ),
} satisfies Readonly<Record<string, () => LateScene>>;
export type SceneName = keyof typeof SCENES;

/** Whether people can do this there, one after the other. */
export function isDoable(scene: SceneName, acts: readonly Act[]): boolean {
  const at = SCENES[scene]();
  return acts.every((act) => {
    const isPossible = at.isDoable(act);
    if (isPossible) at.do([act]);
    return isPossible;
  });
}
