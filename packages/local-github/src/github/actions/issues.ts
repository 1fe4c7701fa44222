import { invalid, GitHubError } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { emitIssueEvent, recordEvent, touch } from '../hub.ts';
import { keepHead } from '../git/pull.ts';
import type { Issue, Pull, Repository, User } from '../state.ts';
import { isPull, timestamp } from '../state.ts';
import { labelNamed } from './labels.ts';
import { typePayload } from '../payloads/issue.ts';
import { labelPayload } from '../payloads/repository.ts';
import { issueTypeNamed } from './issue-types.ts';
import { isTooLong, MAX_BODY } from './comments.ts';

export function findIssue(repository: Repository, number: number): Issue {
  const issue = repository.issues.find((one) => one.number === number);
  if (issue === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return issue;
}

export interface NewIssue {
  readonly title: string;
  readonly body?: string | null | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly type?: string | undefined;
}

/**
 * Opens an issue. Sends `opened`, then `labeled` for each label (rule `opened-then-labeled`), and `typed` if it has a type (rule
 * `opened-then-typed`).
 */
export function openIssue(hub: Hub, repository: Repository, actor: User, wanted: NewIssue): Issue {
  checkText(hub, wanted.title, wanted.body ?? null);
  const labels = (wanted.labels ?? []).map((name) => labelNamed(hub, repository, name));
  const type = wanted.type === undefined ? undefined : issueTypeNamed(wanted.type);
  const issue = addIssue(hub, repository, actor, wanted.title, wanted.body ?? null, undefined);
  issue.labels = labels;
  if (type !== undefined) issue.type = type;
  for (const label of labels) recordEvent(hub, issue, actor, 'labeled', { label });
  hub.world.changed();
  emitIssueEvent(hub, repository, actor, issue, 'opened');
  for (const label of labels)
    emitIssueEvent(hub, repository, actor, issue, 'labeled', {
      label: labelPayload(hub.world, repository, label),
    });
  if (type !== undefined)
    emitIssueEvent(hub, repository, actor, issue, 'typed', { type: typePayload(type) });
  return issue;
}

/** Adds an issue or a pull request with the repository's next number. */
export function addIssue(
  hub: Hub,
  repository: Repository,
  author: User,
  title: string,
  body: string | null,
  pull: Pull | undefined,
): Issue {
  const now = timestamp();
  const number = repository.nextNumber;
  repository.nextNumber += 1;
  const issue: Issue = {
    id: hub.world.nextId(),
    number,
    author,
    title,
    body,
    pull,
    state: 'open',
    stateReason: null,
    labels: [],
    assignees: [],
    locked: false,
    reactions: [],
    events: [],
    edited: undefined,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedBy: undefined,
  };
  repository.issues.push(issue);
  return issue;
}

export interface IssueChange {
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
  readonly state?: 'open' | 'closed' | undefined;
  readonly stateReason?: Issue['stateReason'] | undefined;
}

/** Edits, closes or reopens. Unchanged fields cause no events. */
export async function changeIssue(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  change: IssueChange,
): Promise<void> {
  editText(hub, repository, actor, issue, change);
  if (change.state === undefined || change.state === issue.state) return;
  if (change.state === 'closed')
    await closeIssue(hub, repository, actor, issue, change.stateReason ?? 'completed');
  else reopen(hub, repository, actor, issue);
}

function editText(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  change: IssueChange,
) {
  const { title = issue.title, body = issue.body } = change;
  if (title === issue.title && body === issue.body) return;
  checkText(hub, title, body);
  const changes = {
    ...(title === issue.title ? {} : { title: { from: issue.title } }),
    ...(body === issue.body ? {} : { body: { from: issue.body ?? '' } }),
  };
  if (title !== issue.title) recordEvent(hub, issue, actor, 'renamed');
  if (body !== issue.body) issue.edited = { at: timestamp(), by: actor };
  issue.title = title;
  issue.body = body;
  touch(hub, issue);
  emitIssueEvent(hub, repository, actor, issue, 'edited', { changes });
}

export async function closeIssue(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  reason: Issue['stateReason'],
): Promise<void> {
  if (isPull(issue)) await keepHead(repository, issue);
  issue.state = 'closed';
  issue.stateReason = isPull(issue) ? null : reason;
  issue.closedAt = timestamp();
  issue.closedBy = actor;
  recordEvent(hub, issue, actor, 'closed');
  touch(hub, issue);
  emitIssueEvent(hub, repository, actor, issue, 'closed');
}

function reopen(hub: Hub, repository: Repository, actor: User, issue: Issue): void {
  if (issue.pull?.merged !== undefined && hub.world.rules.holds('reopen-of-merged'))
    throw invalid(
      'reopen-of-merged',
      'PullRequest',
      'state cannot be changed. The pull request cannot be reopened.',
    );
  issue.state = 'open';
  issue.stateReason = isPull(issue) ? null : 'reopened';
  issue.closedAt = null;
  issue.closedBy = undefined;
  recordEvent(hub, issue, actor, 'reopened');
  touch(hub, issue);
  emitIssueEvent(hub, repository, actor, issue, 'reopened');
}

export function checkText({ world }: Hub, title: string, body: string | null): void {
  if (title.trim() === '')
    throw new GitHubError('title-required', 422, 'Validation Failed', [
      { resource: 'Issue', code: 'missing_field', field: 'title' },
    ]);
  if (title.length > 256)
    throw invalid('title-limit', 'Issue', 'title is too long (maximum is 256 characters)', 'title');
  if (body !== null && isTooLong(world, body))
    throw invalid(
      'body-limit',
      'Issue',
      `body is too long (maximum is ${MAX_BODY} characters)`,
      'body',
    );
}
