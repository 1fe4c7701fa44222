// Sub-issues are added, removed and ordered.
import { GitHubError, invalid } from '../github-error.ts';
import { recordEvent, touch, type Hub } from '../hub.ts';
import { restIssuePayload } from '../payloads/issue.ts';
import { repositoryPayload } from '../payloads/repository.ts';
import type { User } from '../state.ts';
import { childrenOf, issueWithId, parentOf, type PlacedIssue } from '../sub-issues.ts';

const MOST = 100;

/** Adds an issue of the same owner at the end (rule `sub-issue-added-last`). */
export function addSubIssue(
  hub: Hub,
  actor: User,
  parent: PlacedIssue,
  { id, replacesParent }: { readonly id: number; readonly replacesParent: boolean },
): void {
  const { world } = hub;
  const child = issueWithId(world, id);
  const isOfOwner = child?.repository.owner.id === parent.repository.owner.id;
  if (child === undefined || !isOfOwner || child.issue.id === parent.issue.id)
    throw invalid(
      'sub-issue-of-the-same-owner',
      'Issue',
      'The sub-issue could not be added',
      'sub_issue_id',
    );
  const before = parentOf(world, child.issue);
  if (before?.issue.id === parent.issue.id || (before !== undefined && !replacesParent))
    throw invalid(
      'one-parent',
      'Issue',
      'Issue may not contain duplicate sub-issues and Sub issue may only have one parent',
      'sub_issue_id',
    );
  if (childrenOf(world, parent.issue).length >= MOST)
    throw invalid('sub-issues-limit', 'Issue', `Parent cannot have more than ${MOST} sub-issues`);
  if (before !== undefined) removeSubIssue(hub, actor, before, id);
  const others = parent.issue.subIssues ?? [];
  const isLast = world.rules.holds('sub-issue-added-last');
  parent.issue.subIssues = isLast ? [...others, id] : [id, ...others];
  // Rule `parent-in-timeline`.
  recordEvent(hub, child.issue, actor, 'parent_issue_added');
  touch(hub, parent.issue);
  tell(hub, actor, { parent, child, what: 'added' });
}

/** Throws GitHub's 404 if it is none of its sub-issues. */
export function removeSubIssue(hub: Hub, actor: User, parent: PlacedIssue, id: number): void {
  const child = childrenOf(hub.world, parent.issue).find(({ issue }) => issue.id === id);
  if (child === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  parent.issue.subIssues = (parent.issue.subIssues ?? []).filter((one) => one !== id);
  touch(hub, parent.issue);
  tell(hub, actor, { parent, child, what: 'removed' });
}

/** Moves a sub-issue behind another one, or before it. */
export function orderSubIssue(
  hub: Hub,
  parent: PlacedIssue,
  { id, after, before }: { id: number; after?: number | undefined; before?: number | undefined },
): void {
  const others = (parent.issue.subIssues ?? []).filter((one) => one !== id);
  const at = others.indexOf(after ?? before ?? -1);
  if (at < 0 || others.length === parent.issue.subIssues?.length)
    throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  others.splice(after === undefined ? at : at + 1, 0, id);
  parent.issue.subIssues = others;
  touch(hub, parent.issue);
}

/** Each of the two repositories hears of its own issue (rule `sub-issue-events`). */
function tell(
  { world, webhooks }: Hub,
  actor: User,
  { parent, child, what }: { parent: PlacedIssue; child: PlacedIssue; what: 'added' | 'removed' },
): void {
  const both = {
    sub_issue_id: child.issue.id,
    sub_issue: restIssuePayload(world, child.repository, child.issue),
    parent_issue_id: parent.issue.id,
    parent_issue: restIssuePayload(world, parent.repository, parent.issue),
  };
  webhooks.emit('sub_issues', parent.repository, actor, {
    action: `sub_issue_${what}`,
    ...both,
    sub_issue_repo: repositoryPayload(world, child.repository),
  });
  webhooks.emit('sub_issues', child.repository, actor, {
    action: `parent_issue_${what}`,
    ...both,
    parent_issue_repo: repositoryPayload(world, parent.repository),
  });
}
