// Whether a label or an assignment counts: one that was made, or taken back.
import type { Intent } from '../../contracts/intent.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { LabelTrigger } from '../../github/waiting-issues.ts';
import type { RejectionReason } from '../../session/entry.ts';
import { isSameLabel } from '../../session/same-label.ts';
import { standsForApp } from '../../session/said/asks.ts';
import type { Session } from '../../session/session.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Rules } from './settings.ts';
import type { ShownTexts } from './shown-texts.ts';
import { mayAsk, type KnownRoles } from './who-may.ts';

type Start = Extract<Intent, { kind: 'start' }>;
type Withdrawal = Extract<Intent, { kind: 'unlabeled' | 'unassigned' }>;
type Issues = Pick<GitHubRepository, 'issueState'>;
type Tracked = Pick<JournalTracker, 'session' | 'entries'>;

interface Parts {
  readonly github: Issues & Pick<GitHubRepository, 'appSlug'>;
  readonly tracker: Tracked;
  readonly texts: ShownTexts;
  readonly rules: Rules;
}

/** Why a label or an assignment starts nothing. `seq`: of the entry that received it. */
export async function againstStart(
  seq: number,
  start: Start,
  { github, tracker, texts, rules }: Parts,
): Promise<RejectionReason | undefined> {
  const { label, assignee } = start;
  if (assignee === undefined && !isSameLabel(label, rules.label)) return 'other_label';
  if (assignee !== undefined && !(await isOurs(assignee, github))) return 'other_assignee';
  if (isRepeated(start, seq, tracker)) return 'duplicate';
  const issue = await github.issueState(tracker.session.thread.issue);
  texts.fetchedIssue(issue);
  const isStill =
    assignee === undefined ? hasLabel(issue, label) : issue.assignees.includes(assignee);
  return issue.isOpen && isStill ? undefined : 'outdated';
}

/** A person's account was looked at when the event came; the name of the App may have been unknown then. */
const isOurs = async (
  assignee: string,
  github: Pick<GitHubRepository, 'appSlug'>,
): Promise<boolean> => {
  const person = assignee.toLowerCase();
  return standsForApp(assignee, { slug: await github.appSlug(), assignee: person });
};

/** Why taking it back stops nothing. It needs no permission; but it may have been done again since. */
export async function againstWithdrawal(
  intent: Withdrawal,
  { thread }: Pick<Session, 'thread'>,
  github: Issues,
  rules: Rules,
): Promise<RejectionReason | undefined> {
  if (intent.kind === 'unassigned') {
    if (intent.assignee !== thread.assignee) return 'other_assignee';
    const { assignees } = await github.issueState(thread.issue);
    return assignees.includes(intent.assignee) ? 'outdated' : undefined;
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
function isRepeated(start: Start, seq: number, { session, entries }: Tracked): boolean {
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
  intent.kind === 'start' && intent.addressed !== true && intent.assignee === undefined;

/** A start that the service made itself for this label. The label's own event may arrive later. */
const isOwnStart = (intent: Intent, { label, at }: Start): boolean =>
  intent.kind === 'start' &&
  intent.afterIssue !== undefined &&
  isSameLabel(intent.label, label) &&
  intent.at === at;

function isSameTrigger(intent: Intent, { label, assignee }: Start): boolean {
  if (assignee !== undefined)
    return (
      (intent.kind === 'start' || intent.kind === 'unassigned') && intent.assignee === assignee
    );
  return (
    (intent.kind === 'start' || intent.kind === 'unlabeled') && isSameLabel(intent.label, label)
  );
}

/** The session began with it, in another way, when the issue was opened. */
const hasBegun = (intent: Intent, { thread }: Pick<Session, 'thread'>): boolean =>
  intent.kind === 'start' &&
  (intent.addressed === true || intent.atOpening === true) &&
  isSameLabel(intent.label, thread.label) &&
  intent.assignee === thread.assignee;

/** Requested by the person who added the label, if only people with permission edited the text after that. */
export async function isWantedBy(
  github: Pick<GitHubRepository, 'permissionOf'>,
  { by, editedBy }: LabelTrigger,
  { who }: Pick<Rules, 'who'>,
  known: KnownRoles,
): Promise<boolean> {
  if (!by.isPerson) return false;
  if (!(await mayAsk(github, by, who, known))) return false;
  for (const login of new Set(editedBy))
    if (login !== by.login && !(await mayAsk(github, { login }, who, known))) return false;
  return true;
}
