// Pull requests that are based on one another: each session looks at the one below, and wakes those above.
import { besideTheWork } from '../../lib/beside-the-work.ts';
import { pullRequestState } from '../../session/parts/session-thread.ts';
import { followBase } from '../run/stack.ts';
import type { SessionScope } from '../run/scope.ts';

/** What GitHub does not let us look up or change now is looked at the next time. */
export async function lookBelow({ tracker, github, service }: SessionScope): Promise<void> {
  await besideTheWork(
    () => followBase({ tracker, github, store: service.store }),
    (reason) => service.log.info({ reason }, 'failed to look at the pull request below'),
  );
}

/** Once its pull request is merged or closed. Nothing is lost if this is repeated: they look, and write only what is new. */
export async function wakeAbove({ tracker, service }: SessionScope): Promise<void> {
  const { thread, run } = tracker.session;
  const state = pullRequestState(thread);
  if (thread.adopted !== undefined || state === undefined || state === 'open') return;
  if (run === undefined || run.branch === '') return;
  const woken = await service.store.wakeForBase(thread.repository.id, run.branch);
  if (woken > 0) service.log.info({ woken }, 'woke the pull requests above');
}
