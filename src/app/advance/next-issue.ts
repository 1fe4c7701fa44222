// Continuous mode: when a session finishes, the next open issue with the label starts.
import { besideTheWork } from '../../lib/errors.ts';
import { isNextDue } from '../../session/state.ts';
import type { SessionScope } from '../service/service.ts';
import { rulesFor, type Rules } from '../admission/settings.ts';
import { wantedIssues, type WantedIssue } from '../admission/starts.ts';

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
  const isBegun = async (issue: number): Promise<boolean> =>
    (await service.store.sessionFor(repository.id, issue)) !== undefined;
  for await (const issue of wantedIssues(github, rules, isBegun)) {
    const outcome = await start(parts, issue, rules);
    // Another process was faster: the next one.
    if (outcome !== 'exists') return outcome === 'accepted' ? issue.number : null;
  }
  return null;
}

async function start(
  { tracker, service: { store } }: SessionScope,
  { number, title, body, trigger: { by, at } }: WantedIssue,
  { label }: Rules,
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
