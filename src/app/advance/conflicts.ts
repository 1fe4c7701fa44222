// A pull request that waits for review gets conflicts when its base branch moves, and GitHub has no event for that.
import { setTimeout as wait } from 'node:timers/promises';
import { besideTheWork } from '../../lib/errors.ts';
import type { Mergeability } from '../../github/pull-requests.ts';
import { isMergeLeft } from '../../session/merging.ts';
import { hasBrokenOff, stateOf } from '../../session/state.ts';
import { hasMergingGit } from '../../workspace/git/engines/native/native-git.ts';
import type { SessionScope } from '../service/service.ts';

type ConflictScope = Pick<SessionScope, 'tracker' | 'github' | 'service' | 'signal'>;

/** GitHub computes it when it is asked, and usually knows within seconds. If not, something else wakes the session. */
const WAITS_MS = [500, 2_000, 4_000];

/**
 * Looks whether GitHub can merge the pull request, and journals that it cannot: once for each pair of commits, so that
 * an attempt that failed is not repeated by itself. A merge that is left to people is not tried
 * with another commit of the base branch either, until someone pushes to the pull request.
 */
export async function lookForConflict(scope: ConflictScope): Promise<void> {
  const { tracker, service } = scope;
  const { thread } = tracker.session;
  const { pullRequest } = thread;
  // Never touch a person's own pull request without a request.
  if (pullRequest === undefined || thread.adopted !== undefined) return;
  // A run that ended at a limit would end there again, with each commit of the base branch.
  if (stateOf(tracker.session) !== 'waiting(review)' || hasBrokenOff(tracker.session)) return;
  if (!(await hasMergingGit())) return;
  const found = await settled(scope, pullRequest.number);
  if (found?.state !== 'conflicts') return;
  const { branch, head, base } = found;
  if (isMergeLeft(tracker.session, head)) return;
  const meaning = `conflict:${pullRequest.number}:${head}:${base}`;
  const { number } = pullRequest;
  await service.store.accept(
    {
      installation: thread.installation,
      repository: thread.repository,
      thread: { on: 'issue', number: thread.issue },
      sender: { login: 'github', id: 0, bot: true },
      meaning,
      intent: { kind: 'conflict', pullRequest: number, branch, head, base },
    },
    { id: `${tracker.id}:${meaning}`, event: 'pull_request' },
  );
  await tracker.refresh();
}

async function settled(
  { github, service, signal }: ConflictScope,
  number: number,
): Promise<Mergeability | undefined> {
  const look = async (): Promise<Mergeability> => {
    let found = await github.mergeability(number);
    for (const ms of WAITS_MS) {
      if (found.state !== 'unknown' || signal.aborted) break;
      await wait(ms, undefined, { signal });
      found = await github.mergeability(number);
    }
    return found;
  };
  try {
    return await besideTheWork<Mergeability | undefined>(look, (reason) => {
      if (!signal.aborted) service.log.info({ reason }, 'failed to look for conflicts');
      return undefined;
    });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
