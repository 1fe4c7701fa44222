import type { PersonsText, IssueSummary, IssueThread, IssueQuery } from '../contracts/forge.ts';
import type { EarlierComment, IssueField } from '../contracts/shown-text.ts';
import { ifFound } from './errors.ts';
import { isOwn, type Gate } from './gate.ts';
import { newestPages, ownerAndRepo } from './requests/octokit.ts';
import { isEmpty, shownOf, WITH_HTML, type RenderedText } from './shown-texts.ts';
import { plannedWorkIn } from './sub-issues.ts';
import type { VisibleText } from './text/index.ts';

/** A text without its author's standing, which would take another request. */
export interface WrittenText extends Omit<PersonsText, 'standing'> {
  /** Whether the App itself wrote it, and not a person through the App. */
  readonly isOwn: boolean;
}

const COMMENTS_A_PAGE = 20;
const ISSUES_A_PAGE = 50;

/** @throws {NotFound} if there is none */
export async function readIssue(
  gate: Gate,
  number: number,
  page: number,
): Promise<IssueThread<WrittenText>> {
  const at = { ...ownerAndRepo(gate), issue_number: number, headers: WITH_HTML };
  const { issues } = gate.octokit.rest;
  const { data } = await issues.get(at);
  const pages = Math.max(1, Math.ceil(data.comments / COMMENTS_A_PAGE));
  // GitHub's first page has the oldest comments, ours the newest.
  const wanted = pages - page + 1;
  const { data: comments } =
    wanted < 1 || data.comments === 0
      ? { data: [] }
      : await issues.listComments({ ...at, per_page: COMMENTS_A_PAGE, page: wanted });
  const self = await gate.identity();
  const written = async (one: GitHubText): Promise<WrittenText> => ({
    author: one.user?.login ?? 'ghost',
    isOwn: isOwn(one, self),
    at: one.created_at,
    text: (await shownOf(gate, one)).body,
  });
  const [opening, ...shown] = await Promise.all([written(data), ...comments.map(written)]);
  return { ...summary(data), opening, page: shown, pages };
}

/** Issues only. GitHub's pages include pull requests, so a page may have few issues or none. */
export async function listIssues(
  gate: Gate,
  { state, labels, page }: IssueQuery,
): Promise<{ readonly issues: readonly IssueSummary[]; readonly hasMore: boolean }> {
  const { data } = await gate.octokit.rest.issues.listForRepo({
    ...ownerAndRepo(gate),
    state,
    ...(labels.length === 0 ? {} : { labels: labels.join(',') }),
    sort: 'updated',
    direction: 'desc',
    per_page: ISSUES_A_PAGE,
    page,
  });
  const issues = data.map(summary).filter(({ isPullRequest }) => !isPullRequest);
  return { issues, hasMore: data.length === ISSUES_A_PAGE };
}

/** The current state of an issue. */
export interface IssueState {
  readonly isOpen: boolean;
  /** Login. */
  readonly author: string;
  readonly labels: readonly string[];
  /** Logins. */
  readonly assignees: readonly string[];
  /** How many there are. */
  readonly comments: number;
  readonly text: RenderedText;
  /** The name of its type. */
  readonly type?: string;
  readonly fields: readonly IssueField[];
  /** How many sub-issues it has, open or closed, in any repository; missing without any. */
  readonly subIssues?: number;
  /** The number of the issue that it is a sub-issue of, if that is in the same repository. */
  readonly parent?: number;
}

/** @throws {NotFound} if there is none */
export async function issueState(gate: Gate, number: number): Promise<IssueState> {
  const { data } = await gate.octokit.rest.issues.get({
    ...ownerAndRepo(gate),
    issue_number: number,
    headers: WITH_HTML,
  });
  const { body, body_html } = data;
  return {
    isOpen: data.state === 'open',
    author: data.user?.login ?? 'ghost',
    labels: summary(data).labels,
    assignees: data.assignees?.map(({ login }) => login) ?? [],
    comments: data.comments,
    text: { body, body_html },
    ...plannedWorkIn(data),
  };
}

/** Adds a label to an issue. GitHub creates the label if the repository lacks it. Safe to repeat. */
export async function addLabel(gate: Gate, issue: number, name: string): Promise<void> {
  await gate.octokit.rest.issues.addLabels({
    ...ownerAndRepo(gate),
    issue_number: issue,
    labels: [name],
    request: { repeatable: true },
  });
}

/** Removes a label from an issue. Does nothing if the issue does not have it. */
export async function removeLabel(gate: Gate, issue: number, name: string): Promise<void> {
  const at = { ...ownerAndRepo(gate), issue_number: issue };
  await ifFound(gate.octokit.rest.issues.removeLabel({ ...at, name }));
}

/** Its text is rendered only when it is asked for. */
export interface PersonsComment extends Pick<EarlierComment, 'id' | 'author'> {
  readonly authorId: number;
  /** ISO 8601, whole seconds. */
  readonly writtenAt: string;
  readonly shown: () => Promise<VisibleText>;
}

/** How many pages of 100 comments are read, newest first. */
const PAGES = 3;

/**
 * The comments of people on an issue, as of a time (ISO 8601, whole seconds). A later comment counts as it was
 * written. Comments that were edited since, or in that second, are left out. The newest ones, oldest first.
 */
export async function commentsAsOf(
  gate: Gate,
  number: number,
  at: string,
): Promise<readonly PersonsComment[]> {
  const pages = newestPages(PAGES, (page) =>
    gate.octokit.rest.issues.listComments({
      ...ownerAndRepo(gate),
      issue_number: number,
      per_page: 100,
      page,
      headers: WITH_HTML,
    }),
  );
  const found = new Map<number, PersonsComment>();
  for await (const page of pages)
    for (const comment of page) {
      const { id, user, created_at: made, updated_at: changed } = comment;
      if (user?.type === 'User' && !isEmpty(comment.body) && (changed < at || changed === made))
        found.set(id, personsComment(gate, comment, user));
    }
  return [...found.values()].toSorted((one, other) => one.id - other.id);
}

const personsComment = (
  gate: Gate,
  {
    id,
    created_at: writtenAt,
    body,
    body_html,
  }: RenderedText & { readonly id: number; readonly created_at: string },
  { login: author, id: authorId }: { readonly login: string; readonly id: number },
): PersonsComment => ({
  id,
  author,
  authorId,
  writtenAt,
  shown: () => shownOf(gate, { body, body_html }),
});

type Issues = Gate['octokit']['rest']['issues'];
type GitHubIssue = Awaited<ReturnType<Issues['get']>>['data'];
type GitHubText = RenderedText &
  Pick<GitHubIssue, 'user' | 'created_at' | 'performed_via_github_app'>;

const summary = (issue: GitHubIssue): IssueSummary => ({
  number: issue.number,
  isPullRequest: issue.pull_request !== undefined,
  state: issue.draft === true && issue.state === 'open' ? 'draft' : issue.state,
  title: issue.title,
  author: issue.user?.login ?? 'ghost',
  labels: issue.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
  comments: issue.comments,
  updatedAt: issue.updated_at,
});
