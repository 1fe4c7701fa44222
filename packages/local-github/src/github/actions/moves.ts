// Actions of an owner on issues and repositories: transfer, delete, move, lock.
import { GitHubError } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { emitIssueEvent, touch } from '../hub.ts';
import { issuePayload } from '../payloads/issue.ts';
import { repositoryPayload } from '../payloads/repository.ts';
import type { Issue, Repository, User } from '../state.ts';
import type { World } from '../world.ts';
import { addIssue } from './issues.ts';

/**
 * Transfers an issue to another repository, which sends `opened`. The issue keeps its comments, its assignees, and the labels
 * that the other repository also has (rule `transferred-issue`).
 */
export function transferIssue(
  hub: Hub,
  from: Repository,
  actor: User,
  issue: Issue,
  to: Repository,
): Issue {
  const moved = addIssue(hub, to, issue.author, issue.title, issue.body, undefined);
  const known = new Set(to.labels.map(({ name }) => name));
  moved.labels = to.labels.filter(({ name }) =>
    issue.labels.some((label) => label.name === name && known.has(name)),
  );
  moved.assignees = [...issue.assignees];
  const before = issuePayload(hub.world, from, issue);
  from.issues.splice(from.issues.indexOf(issue), 1);
  for (const comment of from.comments.filter((one) => one.issueNumber === issue.number)) {
    from.comments.splice(from.comments.indexOf(comment), 1);
    to.comments.push({ ...comment, issueNumber: moved.number });
  }
  hub.world.moves.issueTransferred(from, issue.number, { repository: to, number: moved.number });
  hub.world.changed();
  hub.webhooks.emit('issues', from, actor, {
    action: 'transferred',
    issue: before,
    changes: {
      new_issue: issuePayload(hub.world, to, moved),
      new_repository: repositoryPayload(hub.world, to),
    },
  });
  const changes = { old_issue: before, old_repository: repositoryPayload(hub.world, from) };
  emitIssueEvent(hub, to, actor, moved, 'opened', { changes });
  return moved;
}

/** Nothing of it is kept, and its number is not used again (rule `deleted-number`). */
export function deleteIssue(hub: Hub, repository: Repository, actor: User, issue: Issue): void {
  const payload = issuePayload(hub.world, repository, issue);
  repository.issues.splice(repository.issues.indexOf(issue), 1);
  const left = repository.comments.filter(({ issueNumber }) => issueNumber !== issue.number);
  repository.comments.splice(0, repository.comments.length, ...left);
  hub.world.changed();
  hub.webhooks.emit('issues', repository, actor, { action: 'deleted', issue: payload });
}

/** Gives it another name, or another owner. The former address redirects to the new one. */
export function moveRepository(
  world: World,
  repository: Repository,
  { owner = repository.owner, name = repository.name }: Partial<Pick<Repository, 'owner' | 'name'>>,
): void {
  const before = repository.fullName;
  const after = `${owner.login}/${name}`;
  if (world.repositories.has(after.toLowerCase()))
    throw new GitHubError('repository-name-taken', 422, 'Repository creation failed.');
  world.repositories.delete(before.toLowerCase());
  repository.owner = owner;
  repository.name = name;
  repository.fullName = after;
  world.repositories.set(after.toLowerCase(), repository);
  world.moves.repositoryRenamed(before, repository);
  world.changed();
}

/** The App cannot comment in a locked conversation, even with write access. */
export function lockIssue(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  locked: boolean,
): void {
  issue.locked = locked;
  touch(hub, issue);
  emitIssueEvent(hub, repository, actor, issue, locked ? 'locked' : 'unlocked');
}
