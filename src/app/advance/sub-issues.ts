// A labelled issue with open sub-issues: they are worked on one after the other, each in a session of its own.
import type { SubIssueStep } from '../../contracts/sub-issue-work.ts';
import { besideTheWork } from '../../lib/errors.ts';
import { sharedNow } from '../../lib/clock.ts';
import type { SubIssueOnGitHub } from '../../github/sub-issues.ts';
import { mayAllRequest } from '../admission/starts.ts';
import { rulesFor } from '../admission/settings.ts';
import type { Session } from '../../session/session.ts';
import { fold } from '../../session/fold/fold.ts';
import { isUnfinished, stateOf, type State } from '../../session/state.ts';
import type { Service, SessionScope } from '../service/service.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';

type Parts = Pick<SessionScope, 'tracker' | 'github'> & {
  readonly service: Pick<Service, 'store' | 'pause' | 'log' | 'allowedBots'>;
};

/**
 * Looks where the sub-issues stand, and starts the first one that is neither closed nor worked on once all before it are done. One that
 * failed, asks, or is not what was requested any more holds up those after it. Safe to repeat: a sub-issue is started once, by the
 * meaning of its start.
 */
export async function workSubIssues(parts: Parts): Promise<void> {
  const { tracker, service } = parts;
  if (stateOf(tracker.session) !== 'waiting(sub-issues)') return;
  if ((await service.pause.look()) !== undefined) return;
  await besideTheWork(
    () => look(parts),
    (reason) => service.log.info({ reason }, 'failed to look at the sub-issues'),
  );
}

async function look(parts: Parts): Promise<void> {
  const { tracker, github } = parts;
  const { issue, subIssues } = tracker.session.thread;
  const listed = await github.subIssues(issue);
  const steps: SubIssueStep[] = [];
  for (const one of listed) {
    const { number, title, isOpen } = one;
    steps.push({ number, title, stands: isOpen ? await standsOf(parts, number) : 'done' });
  }
  const next = steps.findIndex(({ stands }) => stands !== 'done');
  const wanted = listed[next];
  const isToDo = steps[next]?.stands === 'to_do' && wanted !== undefined;
  const isChanged = isToDo && !(await isAsRequested(parts, wanted));
  const started = isToDo && !isChanged ? await start(parts, wanted) : undefined;
  const now = steps.map((step, place): SubIssueStep => {
    if (place !== next || !isToDo) return step;
    if (isChanged) return { ...step, stands: 'changed' };
    return step.number === started ? { ...step, stands: 'working' } : step;
  });
  const isOver = next < 0;
  if (started === undefined && !isOver && isSame(now, subIssues?.steps ?? [])) return;
  await tracker.append({
    type: 'sub_issues_read',
    steps: now,
    ...(started === undefined ? {} : { started }),
    ...(isOver ? { isOver } : {}),
  });
}

const isSame = (one: readonly SubIssueStep[], other: readonly SubIssueStep[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

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
  { tracker, service: { store } }: Parts,
  number: number,
): Promise<SubIssueStep['stands']> {
  const { repository, subIssues } = tracker.session.thread;
  const row = await store.sessionFor(repository.id, number);
  const state = row === undefined ? 'to_do' : STANDS[row.state as State];
  const { run, thread } =
    state === 'done' && row !== undefined ? fold(await store.journal(row.id)) : {};
  // That it was split itself is no work on it.
  const stands = run?.splits === true && thread?.subIssues === undefined ? 'to_do' : state;
  // Its start was rejected, because whoever requested this may not do so any more, say.
  if (stands === 'to_do' && subIssues?.started.includes(number) === true) return 'failed';
  return stands === 'done' && isUnfinished(run) ? 'failed' : stands;
}

/**
 * Whether it was a sub-issue with these words when work was requested, or people who may request work have made it one. Its text was
 * read before, so that a change since is found here.
 */
async function isAsRequested(
  { tracker: { session }, github, service: { allowedBots } }: Parts,
  { number }: SubIssueOnGitHub,
): Promise<boolean> {
  const { repository, subIssues } = session.thread;
  const changers = await github.changersSince(number, subIssues?.requestedAt ?? '');
  if (changers.size === 0) return true;
  return mayAllRequest({ github, allowedBots }, changers, await rulesFor(github, repository));
}

/** In the name of whoever requested the work on the parent. Answers its number, also if another process started it. */
async function start(
  { tracker, service: { store } }: Parts,
  { number, title, body, author }: SubIssueOnGitHub,
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
      intent: { kind: 'start', label: '', title, body, at, ...by, subIssueOf, ...requested },
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
  { session }: Pick<JournalTracker, 'session'>,
  { store, log }: Pick<Service, 'store' | 'log'>,
): Promise<void> {
  const { repository, parentIssue, issueText } = session.thread;
  const parent = parentIssue ?? issueText?.parent?.number;
  if (parent === undefined) return;
  if (await store.wakeForSubIssue(repository.id, parent)) log.info({ parent }, 'woke the parent');
}
