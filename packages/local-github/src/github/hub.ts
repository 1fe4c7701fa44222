// What actions need: the state that they change, and the webhooks that report the change.
import { pullPayload } from './payloads/pull.ts';
import { issuePayload } from './payloads/issue.ts';
import { pullFacts } from './git/pull.ts';
import type { Issue, IssueEvent, PullRequest, Repository, User } from './state.ts';
import { isPull, timestamp } from './state.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

export interface Hub {
  readonly world: World;
  readonly webhooks: Webhooks;
}

/** Sets the issue's time of change to now and notifies listeners. */
export function touch(hub: Hub, issue: Issue): void {
  issue.updatedAt = timestamp();
  hub.world.changed();
}

/** Adds an event to the issue's list. */
export function recordEvent(
  { world }: Hub,
  issue: Issue,
  actor: User,
  event: IssueEvent['event'],
  about: Pick<IssueEvent, 'label' | 'assignee' | 'reviewer'> = {},
): void {
  issue.events.push({ id: world.nextId(), event, actor, createdAt: timestamp(), ...about });
}

/** Sends `issues.ACTION`, or `pull_request.ACTION` if the issue is a pull request. */
export function emitIssueEvent(
  hub: Hub,
  repository: Repository,
  sender: User,
  issue: Issue,
  action: string,
  more: Record<string, unknown> = {},
): void {
  if (isPull(issue)) {
    emitPullEvent(hub, repository, sender, issue, action, more);
    return;
  }
  const payload = issuePayload(hub.world, repository, issue);
  hub.webhooks.emit('issues', repository, sender, { action, issue: payload, ...more });
}

export function emitPullEvent(
  hub: Hub,
  repository: Repository,
  sender: User,
  issue: PullRequest,
  action: string,
  more: Record<string, unknown> = {},
): void {
  const fields = pullFacts(repository, issue).then((facts) => ({
    action,
    number: issue.number,
    pull_request: pullPayload(hub.world, repository, issue, facts),
    ...more,
  }));
  hub.webhooks.emit('pull_request', repository, sender, fields);
}
