// Continuous mode: when a session finishes, the next open issue with the label starts.
import type { LabelTrigger, WaitingIssue } from '../../github/waiting-issues.ts';
import { besideTheWork } from '../../lib/errors.ts';
import { isNextDue } from '../../session/state.ts';
import type { SessionScope } from '../service/service.ts';
import { rulesFor, type Rules } from '../admission/settings.ts';
import { isWantedBy } from '../admission/starts.ts';
import type { KnownRoles } from '../admission/who-may.ts';

const MOST_PAGES = 5;
/** Issues whose history is looked at, which takes GitHub two requests for each. */
const MOST_CANDIDATES = 20;

/** Once for each session that is finished, however many processes try. Safe to repeat. */
export async function takeNext(parts: SessionScope): Promise<void> {
  const { tracker, service } = parts;
  const { session } = tracker;
  if (session.run === undefined || !isNextDue(session)) return;
  const run = session.run.number;
  const issue = await besideTheWork(
    () => take(parts),
    (reason) => {
      // No one waits for it, so what GitHub denies is not retried.
      service.log.warn({ reason }, 'failed to start the next issue');
      return null;
    },
  );
  await tracker.append({ type: 'next_issue_started', run, issue });
}

async function take(parts: SessionScope): Promise<number | null> {
  const { tracker, github, service } = parts;
  const { repository } = tracker.session.thread;
  if (await service.store.isPersonAwaited(repository.id)) return null;
  const rules = await rulesFor(github, repository);
  const known: KnownRoles = new Map();
  let looked = 0;
  for await (const issue of unstarted(parts, rules)) {
    if ((looked += 1) > MOST_CANDIDATES) return null;
    const trigger = await github.triggerOf(issue.number, rules);
    if (trigger === undefined || !(await isWantedBy(github, trigger, rules, known))) continue;
    const outcome = await start(parts, issue, rules, trigger);
    // Another process was faster: the next one.
    if (outcome !== 'exists') return outcome === 'accepted' ? issue.number : null;
  }
  return null;
}

/** Oldest first. */
async function* unstarted(
  { tracker, github, service: { store } }: SessionScope,
  { label }: Rules,
): AsyncGenerator<WaitingIssue> {
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { issues, hasMore } = await github.waitingIssues(label, page);
    const numbers = issues.map(({ number }) => number);
    const started = await store.issuesWithSession(tracker.session.thread.repository.id, numbers);
    yield* issues.filter(({ number }) => !started.has(number));
    if (!hasMore) return;
  }
}

async function start(
  { tracker, service: { store } }: SessionScope,
  { number, title, body }: WaitingIssue,
  { label }: Rules,
  { by, at }: LabelTrigger,
) {
  const { installation, repository, issue: after } = tracker.session.thread;
  const meaning = `next-after:${tracker.id}`;
  const { outcome } = await store.accept(
    {
      installation,
      repository,
      thread: { on: 'issue', number },
      sender: { login: by.login, id: by.id },
      meaning,
      onlyNew: true,
      intent: { kind: 'start', label, title, body, at, afterIssue: after },
    },
    { id: meaning, event: 'next' },
  );
  return outcome;
}
