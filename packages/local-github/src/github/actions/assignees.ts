// Who an issue is assigned to.
import type { Hub } from '../hub.ts';
import { emitIssueEvent, recordEvent, touch } from '../hub.ts';
import { userPayload } from '../payloads/user.ts';
import type { Issue, Repository, User } from '../state.ts';
import type { World } from '../world.ts';

/** People with access of their own, and the App if it can be assigned. */
export const isAssignable = (
  world: World,
  { owner, collaborators }: Repository,
  user: User,
): boolean =>
  user === world.app.bot
    ? world.app.isAssignable === true
    : owner.id === user.id || collaborators.has(user.login);

export const assignableIn = (world: World, repository: Repository): readonly User[] =>
  [...world.users.values(), world.app.bot].filter((user) => isAssignable(world, repository, user));

/** Leaves out those who cannot be assigned (rule `assignable-people`). */
export function assign(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  users: readonly User[],
): void {
  for (const assignee of users) {
    if (issue.assignees.includes(assignee) || !isAssignable(hub.world, repository, assignee))
      continue;
    issue.assignees.push(assignee);
    changed(hub, repository, actor, issue, 'assigned', assignee);
  }
}

export function unassign(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  users: readonly User[],
): void {
  for (const assignee of users) {
    if (!issue.assignees.includes(assignee)) continue;
    issue.assignees = issue.assignees.filter((one) => one !== assignee);
    changed(hub, repository, actor, issue, 'unassigned', assignee);
  }
}

function changed(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  event: 'assigned' | 'unassigned',
  assignee: User,
): void {
  recordEvent(hub, issue, actor, event, { assignee });
  touch(hub, issue);
  emitIssueEvent(hub, repository, actor, issue, event, {
    assignee: userPayload(hub.world, assignee),
  });
}
