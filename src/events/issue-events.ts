// What people do with issues, and what they say there.
import type { IssueAuthor, Intent, ThreadText } from '../contracts/intent.ts';
import { namesApp } from '../session/said/asks.ts';
import { QUESTION_LABEL } from '../session/github-names.ts';
import {
  Assignee,
  CommentPayload,
  DeletedComment,
  EditedComment,
  Issue,
  IssueType,
  Label,
  Sender,
  Transfer,
  eventReader,
  factReader,
  deleted,
  editedBy,
  NOT_BY_AUTHOR,
  type EventReader,
  type Meaning,
} from './payload.ts';

export const ISSUE_EVENTS: readonly EventReader[] = [
  // Which label starts work is a setting of the repository: asked later.
  eventReader({
    name: 'issues.labeled',
    shape: { issue: Issue, label: Label.optional(), sender: Sender },
    nothing: 'the label is on a pull request or on a closed issue.',
    read: ({ issue, label, sender }) =>
      label === undefined || issue.pull_request !== undefined || issue.state === 'closed'
        ? undefined
        : labelledAt(issue, label.name, sender),
  }),

  // Which types start work is a setting of the repository, too.
  eventReader({
    name: 'issues.typed',
    shape: { issue: Issue, type: IssueType, sender: Sender },
    nothing: 'the issue is closed.',
    read: ({ issue, type, sender }) =>
      issue.state === 'closed' ? undefined : typedAt(issue, type.name, sender),
  }),

  // GitHub also sends an event for each label, and for the type. Or the text of the issue may request work.
  eventReader({
    name: 'issues.opened',
    shape: { issue: Issue, sender: Sender },
    nothing: 'the new issue has neither label nor type, and does not mention the App.',
    read: ({ issue, sender }) =>
      issue.pull_request === undefined
        ? [
            ...(issue.labels ?? []).map(({ name }) => labelledAt(issue, name, sender)),
            ...(issue.type ? [typedAt(issue, issue.type.name, sender)] : []),
            // Whoever moves an issue here from another repository has not written it.
            ...(issue.user?.id === sender.id ? askedBy(issue) : []),
          ]
        : undefined,
  }),

  // Whether it is the label that started the work is asked later; our own says nothing.
  factReader({
    name: 'issues.unlabeled',
    shape: { issue: Issue, label: Label.optional() },
    nothing: `only Issuewright itself uses the label ${QUESTION_LABEL}.`,
    read: ({ issue, label }) =>
      label === undefined || label.name === QUESTION_LABEL
        ? undefined
        : about(issue, `unlabeled:${issue.node_id}:${label.name}:${issue.updated_at}`, {
            kind: 'unlabeled',
            label: label.name,
            at: issue.updated_at,
          }),
  }),

  factReader({
    name: 'issues.untyped',
    shape: { issue: Issue, type: IssueType },
    read: ({ issue, type: { name: type } }) =>
      about(issue, `untyped:${issue.node_id}:${type}:${issue.updated_at}`, {
        kind: 'untyped',
        type,
        at: issue.updated_at,
      }),
  }),

  // Whether the account stands for the App is asked later.
  eventReader({
    name: 'issues.assigned',
    shape: { issue: Issue, assignee: Assignee.nullish(), sender: Sender },
    nothing: 'the issue is closed.',
    read: ({ issue, assignee, sender }) =>
      !assignee || issue.pull_request !== undefined || issue.state === 'closed'
        ? undefined
        : about(issue, `assigned:${issue.node_id}:${assignee.login}:${issue.updated_at}`, {
            ...startOf(issue, sender),
            assignee: assignee.login,
          }),
  }),

  factReader({
    name: 'issues.unassigned',
    shape: { issue: Issue, assignee: Assignee.nullish() },
    nothing: 'the event names no account.',
    read: ({ issue, assignee }) =>
      assignee
        ? about(issue, `unassigned:${issue.node_id}:${assignee.login}:${issue.updated_at}`, {
            kind: 'unassigned',
            assignee: assignee.login,
            at: issue.updated_at,
          })
        : undefined,
  }),

  factReader({
    name: 'issues.closed',
    shape: { issue: Issue },
    read: ({ issue }) =>
      about(issue, `issue_closed:${issue.node_id}:${issue.updated_at}`, {
        kind: 'issue_closed',
        at: issue.updated_at,
      }),
  }),

  factReader({
    name: 'issues.reopened',
    shape: { issue: Issue },
    read: ({ issue }) =>
      about(issue, `issue_reopened:${issue.node_id}:${issue.updated_at}`, {
        kind: 'issue_reopened',
        // When it happened, by rule `reopened-updated-at` of docs/github-rules.md.
        at: issue.updated_at,
      }),
  }),

  // The issue is in another repository now, under another number.
  factReader({
    name: 'issues.transferred',
    shape: { issue: Issue, changes: Transfer },
    read: ({ issue, changes }) =>
      about(issue, `issue_gone:${issue.node_id}`, {
        kind: 'issue_gone',
        movedTo: changes.new_issue.html_url,
      }),
  }),

  factReader({
    name: 'issues.deleted',
    shape: { issue: Issue },
    read: ({ issue }) => about(issue, `issue_gone:${issue.node_id}`, { kind: 'issue_gone' }),
  }),

  eventReader({
    name: 'issue_comment.created',
    shape: { issue: Issue, comment: CommentPayload },
    read: ({ issue, comment }) => {
      const on = issue.pull_request === undefined ? 'issue' : 'pull_request';
      const addressed = namesApp(comment.body, undefined);
      const thread = issueText(issue, comment.user);
      return {
        thread: { on, number: issue.number },
        meaning: `comment:${comment.node_id}:${comment.updated_at}`,
        intent: {
          kind: 'comment',
          on,
          commentId: comment.id,
          body: comment.body,
          at: comment.created_at,
          ...(thread.isOpen ? { onOpen: true } : {}),
          ...(issue.user && issue.user.id === comment.user?.id ? { byAuthor: true } : {}),
          ...(addressed ? { addressed, thread } : {}),
        },
      };
    },
  }),

  eventReader({
    name: 'issue_comment.edited',
    shape: { issue: Issue, comment: EditedComment, sender: Sender },
    nothing: NOT_BY_AUTHOR,
    read: ({ issue, comment, sender }) => {
      const on = issue.pull_request === undefined ? 'issue' : 'pull_request';
      const thread = { on, number: issue.number } as const;
      return editedBy(sender, comment, {
        thread,
        on: 'comment',
        about: issueText(issue, comment.user),
      });
    },
  }),

  factReader({
    name: 'issue_comment.deleted',
    shape: { issue: Issue, comment: DeletedComment },
    read: ({ issue, comment }) => {
      const on = issue.pull_request === undefined ? 'issue' : 'pull_request';
      return deleted(comment, { on, number: issue.number }, 'comment');
    },
  }),
];

const about = ({ number }: { number: number }, meaning: string, intent: Intent): Meaning => ({
  thread: { on: 'issue', number },
  meaning,
  intent,
});

function askedBy(issue: LabelledIssue): Meaning[] {
  const { node_id: id, title, body, created_at: at } = issue;
  if (body === null || !namesApp(body, undefined)) return [];
  const intent = { kind: 'start', label: '', title, body, at, addressed: true } as const;
  return [about(issue, `opened:${id}`, intent)];
}

/** What the events that request work have in common. */
interface LabelledIssue {
  readonly number: number;
  readonly node_id: string;
  readonly title: string;
  readonly body: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly user?: User | null | undefined;
}

interface Actor {
  readonly id: number;
}

interface User extends Actor {
  readonly login?: string | undefined;
}

/** The issue or pull request on which someone says something. */
const issueText = (
  issue: Pick<LabelledIssue, 'title' | 'body' | 'user'> & {
    readonly state?: string | null | undefined;
  },
  sender: User | null | undefined,
): ThreadText => ({
  title: issue.title,
  body: issue.body ?? '',
  isOpen: issue.state === 'open',
  ...authorOf(issue, sender),
});

/** Of an issue or pull request that someone else acts on. */
function authorOf(
  { user }: Pick<LabelledIssue, 'user'>,
  sender: Actor | null | undefined,
): { readonly author?: IssueAuthor } {
  if (!user || user.id === sender?.id || user.login === undefined) return {};
  return { author: { login: user.login, id: user.id } };
}

/** GitHub writes the labels and assignees of a new issue a moment after the issue, and counts in seconds. */
const OPENING_MS = 5_000;

/** The two events that tell of one label mean the same. */
const labelledAt = (issue: LabelledIssue, label: string, sender: Actor): Meaning =>
  about(issue, `labeled:${issue.node_id}:${label}:${issue.updated_at}`, {
    ...startOf(issue, sender),
    label,
  });

const typedAt = (issue: LabelledIssue, type: string, sender: Actor): Meaning =>
  about(issue, `typed:${issue.node_id}:${type}:${issue.updated_at}`, {
    ...startOf(issue, sender),
    type,
  });

/** Work that is requested by what was just done to the issue. */
function startOf(issue: LabelledIssue, sender: Actor) {
  const { title, body, created_at: opened, updated_at: at } = issue;
  const sinceOpening = Date.parse(at) - Date.parse(opened);
  const atOpening = sinceOpening <= OPENING_MS ? ({ atOpening: true } as const) : {};
  const about = { title, body: body ?? '', ...authorOf(issue, sender) };
  return { kind: 'start', label: '', ...about, at, ...atOpening } as const;
}
