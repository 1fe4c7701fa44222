// A labelled issue with open sub-issues: they are worked on one after the other, each in a session of its own.
import type { ProposedSubIssue, SubIssueStep } from '../../contracts/sub-issue-work.ts';
import { sumOfCosts } from '../../session/parts/session-counts.ts';
import { isSubIssueOver } from '../../session/parts/session-thread.ts';
import { besideTheWork } from '../../lib/errors.ts';
import { sharedNow } from '../../lib/clock.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { SubIssueOnGitHub } from '../../github/sub-issues.ts';
import { mayAllRequest } from '../admission/starts.ts';
import type { Session } from '../../session/session.ts';
import { fold } from '../../session/fold/fold.ts';
import { isClosed, isUnfinished, stateOf, type State } from '../../session/state.ts';
import type { SessionRow } from '../../store/store.ts';
import { rulesFor, type Rules } from '../admission/settings.ts';
import type { Service, SessionScope } from '../service/service.ts';
import type { TrackedSession } from '../service/journal-tracker.ts';
import type { Entry } from '../../session/entry.ts';
import { entryAt } from '../../session/kept-entries.ts';
import { subIssueKey } from '../../session/github-names.ts';
import { proposedIn, subIssueBody } from '../../session/texts/sub-issues.ts';

/**
 * Looks where the sub-issues stand, and starts the first one that is neither closed nor worked on once all before it are done, or in
 * review if the settings say so. One that failed, asks, or is not what was requested any more holds up those after it. Safe to repeat:
 * a sub-issue is started once, by the meaning of its start.
 */
export async function workSubIssues(scope: SessionScope): Promise<void> {
  const { tracker, service } = scope;
  if (stateOf(tracker.session) !== 'waiting(sub-issues)') return;
  if ((await service.pause.look()) !== undefined) return;
  await besideTheWork(
    () => look(scope),
    (reason) => service.log.info({ reason }, 'failed to look at the sub-issues'),
  );
}

async function look(scope: SessionScope): Promise<void> {
  const { tracker, github, service } = scope;
  const { issue, repository, subIssues } = tracker.session.thread;
  const listed = await github.subIssues(issue);
  const rules = await rulesFor(github, repository);
  const onTop = rules.sub_issues === 'on_top';
  const steps: SubIssueStep[] = [];
  const bases = new Set<SubIssueStep>();
  for (const one of listed) {
    const { number, title, isOpen } = one;
    const child = await childOf(service.store, repository.id, number);
    const isStarted = subIssues?.started.includes(number) === true;
    const before = subIssues?.steps.find((step) => step.number === number);
    const stands = isOpen
      ? await standsOf(child, isStarted)
      : await standsClosed(scope, child, isStarted, before);
    const step = { number, title, stands, ...(await costOf(child, before)) };
    steps.push(step);
    if (onTop && stands === 'in_review' && (await isWholeWork(child))) bases.add(step);
  }
  const next = steps.findIndex((step) => !isSubIssueOver(step) && !bases.has(step));
  const wanted = listed[next];
  const below = steps.slice(0, next).findLast((step) => bases.has(step));
  const isToDo = steps[next]?.stands === 'to_do' && wanted !== undefined;
  const isChanged = isToDo && !(await isAsRequested(scope, wanted, rules));
  const started = isToDo && !isChanged ? await start(scope, wanted, below?.number) : undefined;
  const now = steps.map((step, place): SubIssueStep => {
    if (place !== next || !isToDo) return step;
    if (isChanged) return { ...step, stands: 'changed' };
    return step.number === started ? { ...step, stands: 'working' } : step;
  });
  const isOver = steps.every(isSubIssueOver);
  if (started === undefined && !isOver && isSame(now, subIssues?.steps ?? [])) return;
  await tracker.append({
    type: 'sub_issues_read',
    steps: now,
    ...withoutUndefined({ started }),
    ...(isOver ? { isOver } : {}),
    ...(onTop ? { onTop } : {}),
  });
}

/** What a session costs while it works changes with each reply: that is read with the next change. */
const isSame = (one: readonly SubIssueStep[], other: readonly SubIssueStep[]): boolean => {
  const [before, now] = [one, other].map((steps) =>
    steps.map(({ cost, ...step }) => (step.stands === 'working' ? step : { ...step, cost })),
  );
  return JSON.stringify(before) === JSON.stringify(now);
};

/** A sub-issue as we know it; without a row, we never heard of it. */
interface Child {
  readonly row: SessionRow | undefined;
  /** Reads its journal, once. */
  readonly session: () => Promise<Session | undefined>;
}

async function childOf(store: Service['store'], repository: number, issue: number): Promise<Child> {
  const row = await store.sessionFor(repository, issue);
  let read: Promise<Session> | undefined;
  const session = async () => row && (await (read ??= store.journal(row.id).then(fold)));
  return { row, session };
}

/** With what its own sub-issues cost. What is known of one that is over is not looked up again. */
async function costOf(
  { row, session }: Child,
  before: SubIssueStep | undefined,
): Promise<Pick<SubIssueStep, 'cost'>> {
  if (row === undefined) return {};
  if (before !== undefined && isSubIssueOver(before))
    return before.cost === undefined ? {} : { cost: before.cost };
  const below = (await session())?.thread.subIssues?.steps ?? [];
  const cost = sumOfCosts([row.cost, ...below.flatMap((step) => step.cost ?? [])]);
  return cost.dollars === 0 && !cost.isPartial ? {} : { cost };
}

/** What the state of its session means here. */
const STANDS: Readonly<Record<State, SubIssueStep['stands']>> = {
  ignored: 'to_do',
  queued: 'working',
  working: 'working',
  'waiting(sub-issues)': 'working',
  'waiting(review)': 'in_review',
  'waiting(answer)': 'asks',
  'waiting(approval)': 'asks',
  'waiting(pause)': 'asks',
  'waiting(person)': 'asks',
  done: 'done',
  failed: 'failed',
  stopped: 'failed',
};

async function standsOf(
  { row, session }: Child,
  isStarted: boolean,
): Promise<SubIssueStep['stands']> {
  const state = row === undefined ? 'to_do' : STANDS[row.state as State];
  const { run, thread } = (state === 'done' ? await session() : undefined) ?? {};
  // That it was split itself is no work on it.
  const stands = run?.splits === true && thread?.subIssues === undefined ? 'to_do' : state;
  // Its start was rejected, because whoever requested this may not do so any more, say.
  if (stands === 'to_do' && isStarted) return 'failed';
  return stands === 'done' && isUnfinished(run) ? 'failed' : stands;
}

/** Nothing begins on top of work that ended at a limit, or was done in part. */
async function isWholeWork({ session }: Child): Promise<boolean> {
  const { run } = (await session()) ?? {};
  return run?.end?.kind === 'finished' && !isUnfinished(run);
}

/** If nobody worked on it here, whoever closed it says that it is done. What is known of one that is over is not looked up again. */
async function standsClosed(
  { github }: SessionScope,
  child: Child,
  isStarted: boolean,
  before: SubIssueStep | undefined,
): Promise<SubIssueStep['stands']> {
  const { row } = child;
  const state = row === undefined ? 'to_do' : STANDS[row.state as State];
  if (row === undefined || (state === 'to_do' && !isStarted)) return 'done';
  const { pullRequest } = row;
  if (state === 'done' && pullRequest !== null) return 'done';
  if (before !== undefined && isSubIssueOver(before)) return before.stands;
  if (state === 'done') return (await standsOf(child, isStarted)) === 'done' ? 'done' : 'closed';
  // GitHub may tell of the merge after it has told that the issue was closed.
  const pull = pullRequest === null ? undefined : await github.pullRequest(pullRequest);
  return pull?.isMerged === true ? 'done' : 'closed';
}

/**
 * Whether it was a sub-issue with these words when work was requested, or people who may request work have made it one. Its text was
 * read before, so that a change since is found here.
 */
async function isAsRequested(
  { tracker: { session }, github, service: { allowedBots } }: SessionScope,
  { number }: SubIssueOnGitHub,
  rules: Rules,
): Promise<boolean> {
  const { subIssues } = session.thread;
  const changers = await github.changersSince(number, subIssues?.requestedAt ?? '');
  if (changers.size === 0) return true;
  return mayAllRequest({ github, allowedBots }, changers, rules);
}

/** In the name of whoever requested the work on the parent. Answers its number, also if another process started it. */
async function start(
  { tracker, service: { store } }: SessionScope,
  { number, title, body, author }: SubIssueOnGitHub,
  onTopOf: number | undefined,
): Promise<number | undefined> {
  const { thread, requests } = tracker.session;
  const { installation, repository, issue: subIssueOf, subIssues } = thread;
  const { requester: sender } = requests;
  if (sender === undefined) return undefined;
  const meaning = `sub-issue:${tracker.id}:${number}`;
  const by = author === undefined || author.id === sender.id ? {} : { author };
  const at = new Date(sharedNow()).toISOString();
  const requested = subIssues && { requestedAt: subIssues.requestedAt };
  await store.accept(
    {
      installation,
      repository,
      thread: { on: 'issue', number },
      sender,
      meaning,
      intent: {
        kind: 'start',
        label: '',
        title,
        body,
        at,
        ...by,
        subIssueOf,
        ...requested,
        ...withoutUndefined({ onTopOf }),
      },
    },
    { id: meaning, event: 'sub-issue' },
  );
  return number;
}

const MINUTE = 60_000;
const LOOK_AGAIN_MS = 10 * MINUTE;

/**
 * Nobody tells the parent that a sub-issue was closed, added or moved, and a wake-up may be lost. Those that were approved are opened
 * once the operator resumes the service.
 */
export function subIssuesLookedForAt(session: Session): Date | undefined {
  if (session.waiting.openingSubIssues !== undefined) return new Date(sharedNow() + MINUTE);
  return stateOf(session) === 'waiting(sub-issues)'
    ? new Date(sharedNow() + LOOK_AGAIN_MS)
    : undefined;
}

/** A step of a sub-issue may be its last: its parent looks. */
export async function wakeParent(
  { session }: TrackedSession,
  { store, log }: Service,
): Promise<void> {
  const { repository, parentIssue, issueText } = session.thread;
  const parent = parentIssue ?? issueText?.parent?.number;
  if (parent === undefined) return;
  if (await store.wakeForSubIssue(repository.id, parent)) log.info({ parent }, 'woke the parent');
}

// Opens the sub-issues that someone approved, one after the other.

/**
 * Each is journaled once it is open. After a crash, one that GitHub has already is found by its marker: none is opened twice. If
 * GitHub denies one, people are told why, and an approval continues there.
 */
export async function openApprovedSubIssues(scope: SessionScope): Promise<void> {
  const { tracker, service } = scope;
  const { openingSubIssues: opening } = tracker.session.waiting;
  if (opening === undefined || !isDue(scope) || (await service.pause.look()) !== undefined) return;
  const { seq: proposal } = opening.proposal;
  const entry = entryAt(tracker.entries, proposal);
  const items = entry === undefined ? [] : proposedIn(entry);
  const denied = await besideTheWork(
    () => openEach(scope, { proposal, items }),
    (reason) => reason,
  );
  if (denied === undefined) return;
  service.log.warn({ reason: denied }, 'failed to open a sub-issue');
  await tracker.append({ type: 'sub_issues_denied', proposal, reason: denied });
}

/** People may have stopped or paused it meanwhile. */
const isDue = ({ tracker: { session } }: SessionScope): boolean =>
  session.waiting.openingSubIssues !== undefined &&
  session.waiting.pausedBy === undefined &&
  session.requests.stop === undefined &&
  !isClosed(session);

interface FirstProposal {
  readonly key: string;
  /** When it was made. */
  readonly at: string;
}

/** One that is proposed again with its title is the same: GitHub may have it already. */
function firstProposalOf(entries: readonly Entry[], title: string): FirstProposal | undefined {
  for (const entry of entries) {
    const place = proposedIn(entry).findIndex((one) => one.title === title);
    if (place >= 0) return { key: subIssueKey(entry.seq, place), at: entry.at };
  }
  return undefined;
}

interface Proposal {
  readonly proposal: number;
  readonly items: readonly ProposedSubIssue[];
}

async function openEach(scope: SessionScope, { proposal, items }: Proposal): Promise<undefined> {
  const { tracker, github, service, admit } = scope;
  const { issue: parent } = tracker.session.thread;
  const done = new Set(
    tracker.entries.flatMap((entry) =>
      entry.type === 'sub_issue_opened' && entry.proposal === proposal ? [entry.place] : [],
    ),
  );
  for (const [place, item] of items.entries()) {
    if (done.has(place)) continue;
    await tracker.refresh();
    await admit();
    if (!isDue(scope)) return;
    const first = firstProposalOf(tracker.entries, item.title);
    if (first === undefined) return;
    const issue = await github.openSubIssue({
      session: tracker.id,
      key: first.key,
      parent,
      since: first.at,
      title: item.title,
      body: subIssueBody(parent, item),
      whole: service.pageUrl(tracker.id),
    });
    await tracker.append({
      type: 'sub_issue_opened',
      proposal,
      place,
      issue,
      ...(place === items.length - 1 ? { isLast: true } : {}),
    });
  }
}
