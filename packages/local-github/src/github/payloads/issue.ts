import type {
  Comment,
  Issue,
  IssueEvent,
  IssueField,
  IssueType,
  Repository,
  User,
} from '../state.ts';
import { isPull, nodeId } from '../state.ts';
import { childrenOf, parentOf } from '../sub-issues.ts';
import type { World } from '../world.ts';
import { appPayload } from './app.ts';
import { reactionCounts } from './reaction.ts';
import { apiUrl, labelPayload, webUrl } from './repository.ts';
import { association, userPayload } from './user.ts';

/** Texts that the App wrote name the App. */
const viaApp = (world: World, author: User) =>
  author.id === world.app.bot.id ? appPayload(world) : null;

/** The address of the page of an issue or a pull request. */
export const issueWebUrl = (world: World, repository: Repository, issue: Issue): string =>
  `${webUrl(world, repository)}/${isPull(issue) ? 'pull' : 'issues'}/${issue.number}`;

export function issuePayload(world: World, repository: Repository, issue: Issue) {
  const url = `${apiUrl(world, repository)}/issues/${issue.number}`;
  return {
    url,
    repository_url: apiUrl(world, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    html_url: issueWebUrl(world, repository, issue),
    id: issue.id,
    node_id: nodeId('I', issue.id),
    number: issue.number,
    title: issue.title,
    user: userPayload(world, issue.author),
    labels: issue.labels.map((label) => labelPayload(world, repository, label)),
    state: issue.state,
    state_reason: issue.stateReason,
    locked: issue.locked,
    active_lock_reason: null,
    assignee: issue.assignees[0] === undefined ? null : userPayload(world, issue.assignees[0]),
    assignees: issue.assignees.map((one) => userPayload(world, one)),
    milestone: null,
    comments: repository.comments.filter((one) => one.issueNumber === issue.number).length,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: association(repository, issue.author),
    body: issue.body,
    reactions: reactionCounts(url, issue.reactions),
    performed_via_github_app: viaApp(world, issue.author),
    ...(isPull(issue) ? pullLinks(world, repository, issue) : plannedWork(world, issue)),
  };
}

/** What only issues have. */
function plannedWork(world: World, issue: Issue) {
  const children = childrenOf(world, issue);
  const completed = children.filter(({ issue: { state } }) => state === 'closed').length;
  const total = children.length;
  return {
    type: issue.type === undefined ? null : typePayload(issue.type),
    sub_issues_summary: {
      total,
      completed,
      percent_completed: total === 0 ? 0 : Math.floor((completed * 100) / total),
    },
    // Rule `issue-fields`.
    ...(issue.fields === undefined ? {} : { issue_field_values: issue.fields.map(fieldPayload) }),
  };
}

const fieldPayload = ({ id, name, value }: IssueField) => ({
  issue_field_id: id,
  issue_field_name: name,
  node_id: nodeId('IFT', id),
  data_type: 'text',
  value,
});

export const typePayload = ({ id, name }: IssueType) => ({
  id,
  node_id: nodeId('IT', id),
  name,
  description: null,
});

/** As the REST API has it: webhooks say neither who closed an issue nor what its parent is. */
export function restIssuePayload(world: World, repository: Repository, issue: Issue) {
  const parent = parentOf(world, issue);
  return {
    ...issuePayload(world, repository, issue),
    closed_by: issue.closedBy === undefined ? null : userPayload(world, issue.closedBy),
    // Missing without one: rule `parent-of-an-issue`.
    ...(parent === undefined
      ? {}
      : {
          parent_issue_url: `${apiUrl(world, parent.repository)}/issues/${parent.issue.number}`,
        }),
  };
}

export function eventPayload(
  world: World,
  repository: Repository,
  { id, event, actor, createdAt, label, assignee, reviewer }: IssueEvent,
) {
  return {
    id,
    node_id: nodeId('LE', id),
    url: `${apiUrl(world, repository)}/issues/events/${id}`,
    actor: userPayload(world, actor),
    event,
    commit_id: null,
    commit_url: null,
    created_at: createdAt,
    performed_via_github_app: viaApp(world, actor),
    ...(label === undefined ? {} : { label: { name: label.name, color: label.color } }),
    ...(assignee === undefined
      ? {}
      : { assignee: userPayload(world, assignee), assigner: userPayload(world, actor) }),
    ...(reviewer === undefined
      ? {}
      : {
          review_requester: userPayload(world, actor),
          requested_reviewer: userPayload(world, reviewer),
        }),
  };
}

/** The field that marks an issue as a pull request. */
function pullLinks(world: World, repository: Repository, issue: Issue) {
  const web = issueWebUrl(world, repository, issue);
  return {
    draft: issue.pull?.draft ?? false,
    pull_request: {
      url: `${apiUrl(world, repository)}/pulls/${issue.number}`,
      html_url: web,
      diff_url: `${web}.diff`,
      patch_url: `${web}.patch`,
      merged_at: issue.pull?.merged?.at ?? null,
    },
  };
}

export function commentPayload(world: World, repository: Repository, comment: Comment) {
  const url = `${apiUrl(world, repository)}/issues/comments/${comment.id}`;
  const issue = repository.issues.find((one) => one.number === comment.issueNumber);
  const page =
    issue === undefined ? webUrl(world, repository) : issueWebUrl(world, repository, issue);
  return {
    url,
    html_url: `${page}#issuecomment-${comment.id}`,
    issue_url: `${apiUrl(world, repository)}/issues/${comment.issueNumber}`,
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    user: userPayload(world, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: association(repository, comment.author),
    body: comment.body,
    reactions: reactionCounts(url, comment.reactions),
    performed_via_github_app: viaApp(
      world,
      comment.isViaApp === true ? world.app.bot : comment.author,
    ),
  };
}
