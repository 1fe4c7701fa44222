// What people do with issues, and what they say there.
import type { Arrival } from '../contracts/intent.ts';
import { namesApp } from '../session/asks.ts';
import { QUESTION_LABEL } from '../session/github-names.ts';
import { labelledAt, type LabelledIssue } from './label.ts';
import { common, eventReader, fact } from './reader.ts';

/** A person labelled an issue. Which label starts work is a setting of the repository: asked later. */
export const issuesLabeled = eventReader('issues.labeled', (payload) => {
  const { issue, label } = payload;
  const from = common(payload);
  if (from === undefined || label === undefined) return undefined;
  if (issue.pull_request !== undefined || issue.state === 'closed') return undefined;
  return { ...from, ...labelledAt(issue, label.name) };
});

/**
 * An issue was opened with labels on it: GitHub tells of each of them in an event of its own too. Or
 * its own words may ask for work.
 */
export const issuesOpened = eventReader('issues.opened', (payload) => {
  const { issue } = payload;
  const from = common(payload);
  if (from === undefined || issue.pull_request !== undefined) return undefined;
  const labelled = (issue.labels ?? []).map(({ name }) => labelledAt(issue, name));
  return [...labelled, ...askedBy(issue)].map((said) => ({ ...from, ...said }));
});

function askedBy({
  number,
  node_id: id,
  title,
  body,
  created_at: at,
}: LabelledIssue): Pick<Arrival, 'thread' | 'meaning' | 'intent'>[] {
  if (body === null || !namesApp(body, undefined)) return [];
  const intent = { kind: 'start', label: '', title, body, at, addressed: true } as const;
  return [{ thread: { on: 'issue', number }, meaning: `opened:${id}`, intent }];
}

/** A label is gone from an issue. Whether it is the one that started the work is asked later; our own says nothing. */
export const issuesUnlabeled = eventReader('issues.unlabeled', (payload) => {
  const { issue, label } = payload;
  const from = fact(payload);
  if (from === undefined || label === undefined || label.name === QUESTION_LABEL) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `unlabeled:${issue.node_id}:${label.name}:${issue.updated_at}`,
    intent: { kind: 'unlabeled', label: label.name },
  };
});

export const issuesClosed = eventReader('issues.closed', (payload) => {
  const { issue } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `issue_closed:${issue.node_id}:${issue.updated_at}`,
    intent: { kind: 'issue_closed', at: issue.updated_at },
  };
});

export const issuesReopened = eventReader('issues.reopened', (payload) => {
  const { issue } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `issue_reopened:${issue.node_id}:${issue.updated_at}`,
    intent: { kind: 'issue_reopened', at: issue.updated_at },
  };
});

/** The issue is in another repository now, under another number. */
export const issuesTransferred = eventReader('issues.transferred', (payload) => {
  const { issue, changes } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `issue_gone:${issue.node_id}`,
    intent: { kind: 'issue_gone', movedTo: changes.new_issue.html_url },
  };
});

export const issuesDeleted = eventReader('issues.deleted', (payload) => {
  const { issue } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `issue_gone:${issue.node_id}`,
    intent: { kind: 'issue_gone' },
  };
});

export const issueCommentCreated = eventReader('issue_comment.created', (payload) => {
  const { issue, comment } = payload;
  const from = common(payload);
  if (from === undefined) return undefined;
  const on = issue.pull_request === undefined ? 'issue' : 'pull_request';
  const addressed = namesApp(comment.body, undefined);
  const { title, body } = issue;
  const thread = { title, body: body ?? '', isOpen: issue.state === 'open' };
  return {
    ...from,
    thread: { on, number: issue.number },
    meaning: `comment:${comment.node_id}:${comment.updated_at}`,
    intent: {
      kind: 'comment',
      on,
      commentId: comment.id,
      body: comment.body,
      at: comment.created_at,
      ...(issue.user !== null && issue.user.id === comment.user?.id ? { byAuthor: true } : {}),
      ...(addressed ? { addressed, thread } : {}),
    },
  };
});
