// The type of an issue, and its fields.
import { invalid } from '../github-error.ts';
import { emitIssueEvent, touch, type Hub } from '../hub.ts';
import { typePayload } from '../payloads/issue.ts';
import type { Issue, IssueField, IssueType, Repository, User } from '../state.ts';

/** Every organization has these: rule `issue-types`. */
const TYPES: readonly IssueType[] = [
  { id: 410, name: 'Task' },
  { id: 411, name: 'Bug' },
  { id: 412, name: 'Feature' },
];

/** Throws GitHub's 422 if the organization has no such type. */
export function issueTypeNamed(name: string): IssueType {
  const found = TYPES.find((type) => type.name.toLowerCase() === name.toLowerCase());
  if (found === undefined)
    throw invalid('unknown-issue-type', 'Issue', 'The issue type does not exist', 'type');
  return found;
}

/** `null` takes the type away. Sends `typed` or `untyped`. */
export function setIssueType(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  name: string | null,
): void {
  const before = issue.type;
  const type = name === null ? undefined : issueTypeNamed(name);
  if (type?.id === before?.id) return;
  if (type === undefined) delete issue.type;
  else issue.type = type;
  touch(hub, issue);
  const told = type ?? before;
  if (told === undefined) return;
  emitIssueEvent(hub, repository, actor, issue, type === undefined ? 'untyped' : 'typed', {
    type: typePayload(told),
  });
}

/** With one more value, or another one for the same field. */
export function setIssueField(hub: Hub, issue: Issue, name: string, value: string): void {
  const { fields = [] } = issue;
  const before = fields.find((field) => field.name === name);
  const field: IssueField = { id: before?.id ?? hub.world.nextId(), name, value };
  issue.fields = [...fields.filter((one) => one !== before), field];
  touch(hub, issue);
}
