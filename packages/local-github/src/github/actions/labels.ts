import { GitHubError } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { emitIssueEvent, recordEvent, touch } from '../hub.ts';
import { labelPayload } from '../payloads/repository.ts';
import type { Issue, Label, Repository, User } from '../state.ts';

const COLORS = ['0e8a16', '1d76db', '5319e7', 'b60205', 'd93f0b', 'fbca04', '006b75'] as const;
const PLAIN_COLOR = 'ededed';

/** Finds the repository's label, ignoring case, but with its emoji as written. Creates it if it is new (rule `shortcode-in-label`, rule `label-created-on-use`). */
export function labelNamed(
  hub: Hub,
  repository: Repository,
  name: string,
  wanted: Partial<Pick<Label, 'color' | 'description'>> = {},
): Label {
  const plain = (text: string) =>
    hub.world.rules.holds('labels-ignore-case') ? text.toLowerCase() : text;
  const known = repository.labels.find((one) => plain(one.name) === plain(name));
  if (known !== undefined) return known;
  const color = COLORS[repository.labels.length % COLORS.length] ?? PLAIN_COLOR;
  const label: Label = { id: hub.world.nextId(), name, color, description: null, ...wanted };
  repository.labels.push(label);
  return label;
}

/** Sends a `labeled` event for each label that is new on the issue. */
export function addLabels(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  names: readonly string[],
): void {
  for (const name of names) {
    const label = labelNamed(hub, repository, name);
    if (issue.labels.includes(label)) continue;
    issue.labels.push(label);
    recordEvent(hub, issue, actor, 'labeled', { label });
    touch(hub, issue);
    emitIssueEvent(hub, repository, actor, issue, 'labeled', {
      label: labelPayload(hub.world, repository, label),
    });
  }
}

/** Throws GitHub's 404 if the issue does not have the label. */
export function removeLabel(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  name: string,
): void {
  const label = issue.labels.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (label === undefined) throw new GitHubError('label-removal', 404, 'Label does not exist');
  issue.labels = issue.labels.filter((one) => one !== label);
  recordEvent(hub, issue, actor, 'unlabeled', { label });
  touch(hub, issue);
  emitIssueEvent(hub, repository, actor, issue, 'unlabeled', {
    label: labelPayload(hub.world, repository, label),
  });
}
