// Whether a label or an assignment counts: one that was made, or taken back.
import type { Ask, Intent } from '../../contracts/intent.ts';
import type { GitHubRepository, PermissionLookup } from '../../github/repository.ts';
import type { LabelTrigger, WaitingIssue } from '../../github/waiting-issues.ts';
import type { RejectionReason } from '../../session/entry.ts';
import { isSameLabel, isSameType } from '../../session/github-names.ts';
import type { IssueState } from '../../github/issues.ts';
import {
  isOnPull,
  isReviewWanted,
  standsForApp,
  startsWork,
  baseNamedIn,
  dependenciesIn,
} from '../../session/said/asks.ts';
import type { ReceivedIntent, Session } from '../../session/session.ts';
import type { TrackedJournal } from '../service/journal-tracker.ts';
import type { Rules } from './settings.ts';
import type { Service } from '../service/service.ts';
import type { IssueWords, ShownTexts } from './shown-texts.ts';
import { isAllowedBot, mayAsk, type KnownRoles } from './who-may.ts';
import type { OwnWords } from '../../session/said/asks.ts';
import type { AdoptedPullRequest } from '../../contracts/pull-request.ts';

type Start = Extract<Intent, { kind: 'start' }>;
type Withdrawal = Extract<Intent, { kind: 'unlabeled' | 'unassigned' | 'untyped' }>;

interface StartScope {
  readonly github: GitHubRepository;
  readonly tracker: TrackedJournal;
  readonly texts: ShownTexts;
  readonly rules: Rules;
}

/** Why a label, a type or an assignment starts nothing. `seq`: of the entry that received it. */
export async function againstStart(
  seq: number,
  start: Start,
  { github, tracker, texts, rules }: StartScope,
): Promise<RejectionReason | undefined> {
  const reason = await againstTrigger(start, github, rules);
  if (reason !== undefined) return reason;
  if (isRepeated(start, seq, tracker)) return 'duplicate';
  const issue = await github.issueState(tracker.session.thread.issue);
  texts.fetchedIssue(issue);
  return issue.isOpen && isStill(start, issue) ? undefined : 'outdated';
}

async function againstTrigger(
  { label, type, assignee, subIssueOf }: Start,
  github: GitHubRepository,
  rules: Rules,
): Promise<RejectionReason | undefined> {
  if (subIssueOf !== undefined) return undefined;
  if (type !== undefined)
    return rules.on.some((one) => isSameType(type, one)) ? undefined : 'other_type';
  if (assignee === undefined) return isSameLabel(label, rules.label) ? undefined : 'other_label';
  return (await isOurs(assignee, github)) ? undefined : 'other_assignee';
}

function isStill({ label, type, assignee, subIssueOf }: Start, issue: IssueState): boolean {
  if (subIssueOf !== undefined) return issue.parent === subIssueOf;
  if (type !== undefined) return isSameType(type, issue.type);
  return assignee === undefined ? hasLabel(issue, label) : issue.assignees.includes(assignee);
}

/** A person's account was looked at when the event came; the name of the App may have been unknown then. */
export const isOurs = async (
  assignee: string,
  github: Pick<GitHubRepository, 'appSlug'>,
): Promise<boolean> => {
  const person = assignee.toLowerCase();
  return standsForApp(assignee, { slug: await github.appSlug(), assignee: person });
};

/** Why taking it back stops nothing. It needs no permission; but it may have been done again since. */
export async function againstWithdrawal(
  intent: Withdrawal,
  { thread }: Session,
  github: GitHubRepository,
  rules: Rules,
): Promise<RejectionReason | undefined> {
  if (intent.kind === 'unassigned') {
    if (intent.assignee !== thread.assignee) return 'other_assignee';
    const { assignees } =
      thread.adopted === undefined
        ? await github.issueState(thread.issue)
        : { assignees: (await github.pullRequest(thread.issue))?.reviewers ?? [] };
    return assignees.includes(intent.assignee) ? 'outdated' : undefined;
  }
  if (intent.kind === 'untyped') {
    if (!isSameType(intent.type, thread.type)) return 'other_type';
    const { type } = await github.issueState(thread.issue);
    return isSameType(intent.type, type) ? 'outdated' : undefined;
  }
  const { label } = intent;
  if (!isSameLabel(label, thread.label === '' ? rules.label : thread.label)) return 'other_label';
  return hasLabel(await github.issueState(thread.issue), label) ? 'outdated' : undefined;
}

const hasLabel = ({ labels }: { readonly labels: readonly string[] }, label: string): boolean =>
  labels.some((one) => isSameLabel(one, label));

/**
 * Whether a start repeats one that is in the journal. GitHub reports the label of a new issue in two
 * events, a moment apart, and the issue's text or an assignment may have asked for the same work.
 */
function isRepeated(start: Start, seq: number, { session, entries }: TrackedJournal): boolean {
  const before = entries.flatMap((entry) =>
    entry.type === 'received' && entry.seq < seq ? [entry.intent] : [],
  );
  if (before.some((one) => isOwnStart(one, start))) return true;
  if (start.atOpening !== true) return false;
  const last = before.findLast((one) => isSameTrigger(one, start));
  if (last !== undefined) return last.kind === 'start' && last.atOpening === true;
  return (
    session.requests.requester !== undefined &&
    before.some((one) => hasBegun(one, session) && !(isLabel(one) && isLabel(start)))
  );
}

/** Two labels are no two ways to ask for the same work: only one of them can count, by the settings of its time. */
const isLabel = (intent: Intent): boolean =>
  intent.kind === 'start' &&
  intent.addressed !== true &&
  intent.assignee === undefined &&
  intent.type === undefined &&
  intent.subIssueOf === undefined;

/** A start that the service made itself for this label. The label's own event may arrive later. */
const isOwnStart = (intent: Intent, { label, at }: Start): boolean =>
  intent.kind === 'start' &&
  intent.afterIssue !== undefined &&
  isSameLabel(intent.label, label) &&
  intent.at === at;

function isSameTrigger(intent: Intent, { label, assignee, type }: Start): boolean {
  if (type !== undefined)
    return (intent.kind === 'start' || intent.kind === 'untyped') && isSameType(type, intent.type);
  if (assignee !== undefined)
    return (
      (intent.kind === 'start' || intent.kind === 'unassigned') && intent.assignee === assignee
    );
  return (
    (intent.kind === 'start' || intent.kind === 'unlabeled') && isSameLabel(intent.label, label)
  );
}

/** The session began with it, in another way, when the issue was opened. */
const hasBegun = (intent: Intent, { thread }: Session): boolean =>
  intent.kind === 'start' &&
  (intent.addressed === true || intent.atOpening === true) &&
  isSameLabel(intent.label, thread.label) &&
  intent.type === thread.type &&
  intent.assignee === thread.assignee;

const MOST_PAGES = 5;
/** Issues whose history is looked at, which takes GitHub some requests for each. */
const MOST_CANDIDATES = 20;

export interface WantedIssue extends WaitingIssue {
  readonly trigger: LabelTrigger;
}

/** Open issues that nobody has begun, and that a person who may request work labelled, oldest first. */
export async function* wantedIssues(
  github: Pick<GitHubRepository, 'waitingIssues' | 'triggerOf' | 'permissionOf'>,
  rules: Rules,
  isBegun: (issue: number) => Promise<boolean>,
): AsyncGenerator<WantedIssue> {
  const known: KnownRoles = new Map();
  let looked = 0;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { issues, hasMore } = await github.waitingIssues(rules.label, page);
    for (const issue of issues) {
      if (await isBegun(issue.number)) continue;
      if ((looked += 1) > MOST_CANDIDATES) return;
      const trigger = await github.triggerOf(issue.number, rules);
      if (trigger === undefined || !(await isWantedBy(github, trigger, rules, known))) continue;
      yield { ...issue, trigger };
    }
    if (!hasMore) return;
  }
}

/** Requested by the person who added the label, if only people with permission edited the text after that. */
async function isWantedBy(
  github: PermissionLookup,
  { by, editedBy }: LabelTrigger,
  { who }: Rules,
  known: KnownRoles,
): Promise<boolean> {
  if (!by.isPerson) return false;
  if (!(await mayAsk(github, by, who, known))) return false;
  for (const login of new Set(editedBy))
    if (login !== by.login && !(await mayAsk(github, { login }, who, known))) return false;
  return true;
}

/** Whether all of them may request work. The App itself does only what they approved. */
export async function mayAllRequest(
  {
    github,
    allowedBots,
  }: {
    readonly github: Pick<GitHubRepository, 'permissionOf' | 'appSlug'>;
    readonly allowedBots: Service['allowedBots'];
  },
  logins: ReadonlySet<string>,
  { who }: Pick<Rules, 'who'>,
): Promise<boolean> {
  const known: KnownRoles = new Map();
  for (const login of logins) {
    const may = login.endsWith('[bot]')
      ? isAllowedBot({ login }, allowedBots) || login === `${await github.appSlug()}[bot]`
      : await mayAsk(github, { login }, who, known);
    if (!may) return false;
  }
  return true;
}

// What a request says that its work depends on.

interface DependencyLookup {
  readonly github: GitHubRepository;
  /** Of the session. */
  readonly issue: number;
  readonly mayRequest: (login: string) => Promise<boolean>;
}

export interface RequestWords {
  readonly ask: Ask | undefined;
  /** The request itself. */
  readonly said: OwnWords;
  /** The text of the issue, if the session does not know it as it is. */
  readonly issue: OwnWords | undefined;
}

/**
 * The numbers that a request for work names. Its own words come before those of the issue, which count only if whoever
 * wrote the issue may request work too. A sub-issue that says nothing of it may begin on top of the one before it.
 */
export async function dependenciesOf(
  { github, issue, mayRequest }: DependencyLookup,
  { intent, sender }: ReceivedIntent,
  words: RequestWords,
): Promise<readonly number[]> {
  if (intent.kind === 'comment' || intent.kind === 'edited') {
    const { ask } = words;
    if (ask === undefined || !startsWork(ask.for)) return [];
    const own = ask.for === 'base' ? baseNamedIn(words.said) : dependenciesIn(words.said);
    if (own.length > 0) return own;
  } else if (intent.kind !== 'start') return [];
  const named = words.issue === undefined ? [] : dependenciesIn(words.issue);
  if (named.length > 0) {
    const isOwn = intent.kind === 'start' && intent.addressed === true;
    const author = isOwn ? sender.login : (await github.issueState(issue)).author;
    if (await mayRequest(author)) return named;
  }
  return intent.kind === 'start' && intent.onTopOf !== undefined ? [intent.onTopOf] : [];
}

// Requests for work on a pull request that someone else opened.

export interface Adoption {
  /** Why no work begins on it. */
  readonly against?: RejectionReason;
  readonly adopts?: AdoptedPullRequest;
  /** The title and the text that it has now. */
  readonly text?: IssueWords;
}

/** Looks up each pull request once for each request, when the request is judged: it may have changed since the last one. */
export class Adoptions {
  readonly #github: GitHubRepository;
  readonly #known = new Map<number, Promise<Adoption>>();

  constructor(github: GitHubRepository) {
    this.#github = github;
  }

  /** `undefined` if it does not request work on someone else's pull request. */
  async of(
    { seq, intent }: ReceivedIntent,
    ask: Ask | undefined,
    { thread }: Session,
  ): Promise<Adoption | undefined> {
    if (!isOnPull(intent)) return undefined;
    // What our own branch is for is known before its pull request is.
    if (intent.kind === 'review' && intent.pullRequest !== thread.issue) return undefined;
    const asks =
      isReviewWanted(intent) ||
      (ask !== undefined && (startsWork(ask.for) || ask.for === 'resume'));
    if (thread.pullRequest !== undefined || !asks) return undefined;
    const known = this.#known.get(seq) ?? this.#look(thread.issue);
    this.#known.set(seq, known);
    return known;
  }

  async #look(number: number): Promise<Adoption> {
    const found = await this.#github.pullRequest(number);
    if (found === undefined || found.isOwn) return { against: 'own_pull_request' };
    const { url, title, author, branch, baseBranch, fork, isOpen, isMerged } = found;
    const from = fork === undefined ? {} : { fork };
    if (isOpen)
      return {
        adopts: { number, url, title, author, branch, baseBranch, ...from },
        text: { title, body: found.body },
      };
    return { against: isMerged ? 'pull_request_merged' : 'issue_closed' };
  }
}
