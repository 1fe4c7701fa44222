// The forms of the pages. The user chooses in whose name they act.
import type { CheckRun } from '../checks/state.ts';
import type { Issue, Repository, ReviewComment, User } from '../state.ts';
import { isPull } from '../state.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';

export interface Viewer {
  readonly people: readonly User[];
  /** The person who acted last in this browser, or the first. */
  readonly current: User | undefined;
}

export const chooser = ({ people, current }: Viewer): Html =>
  html`<label class="grow"
    >as
    <select name="as" aria-label="Acting person">
      ${people.map(
        ({ login }) =>
          html`<option ${login === current?.login ? html`selected` : ''}>${login}</option>`,
      )}
    </select></label
  >`;

export const action = (repository: Repository, issue: Issue, name: string): string =>
  `/ui/${repository.fullName}/${issue.number}/${name}`;

export const newIssueForm = (repository: Repository, viewer: Viewer): Html =>
  html`<form class="box" method="post" action="/ui/${repository.fullName}/issues">
    <h2>New issue</h2>
    <input
      type="text"
      name="title"
      placeholder="Title"
      aria-label="Title"
      required
      maxlength="256"
    />
    <textarea
      name="body"
      placeholder="Describe it. Markdown works."
      aria-label="Description"
    ></textarea>
    <div class="buttons">${chooser(viewer)}<button class="main">Open issue</button></div>
  </form>`;

export function replyForm(repository: Repository, issue: Issue, viewer: Viewer): Html {
  const isOpen = issue.state === 'open';
  const change = isOpen ? 'close' : 'reopen';
  const isMerged = issue.pull?.merged !== undefined;
  return html`<form class="box" method="post" action="${action(repository, issue, 'comment')}">
    <h2>Reply</h2>
    <textarea name="body" placeholder="Leave a comment" aria-label="Reply"></textarea>
    <div class="buttons">
      ${chooser(viewer)}
      ${
        !isMerged &&
        html`<button formaction="${action(repository, issue, change)}">
          ${isOpen ? 'Close' : 'Reopen'} ${isPull(issue) ? 'pull request' : 'issue'}
        </button>`
      }
      <button class="main">Comment</button>
    </div>
  </form>`;
}

export const reviewForm = (repository: Repository, issue: Issue, viewer: Viewer): Html =>
  html`<form class="box" method="post" action="${action(repository, issue, 'review')}">
    <h2>Review these changes</h2>
    <textarea name="body" placeholder="What should be different?" aria-label="Review"></textarea>
    <div class="buttons">
      ${chooser(viewer)}
      <button name="event" value="COMMENT">Comment</button>
      <button name="event" value="REQUEST_CHANGES">Request changes</button>
      <button class="main" name="event" value="APPROVE">Approve</button>
    </div>
  </form>`;

const onComment = ({ id }: ReviewComment): Html =>
  html`<input type="hidden" name="comment" value="${id}" />`;

export const replyToThreadForm = (
  repository: Repository,
  issue: Issue,
  viewer: Viewer,
  first: ReviewComment,
): Html =>
  html`<form method="post" action="${action(repository, issue, 'reply')}">
    ${onComment(first)}
    <textarea name="body" placeholder="Reply" aria-label="Reply to the thread" required></textarea>
    <div class="buttons">${chooser(viewer)}<button>Reply</button></div>
  </form>`;

export const resolveForm = (
  repository: Repository,
  issue: Issue,
  { current }: Viewer,
  first: ReviewComment,
  isResolved: boolean,
): Html =>
  html`<form
    method="post"
    action="${action(repository, issue, isResolved ? 'unresolve' : 'resolve')}"
  >
    ${onComment(first)}<input type="hidden" name="as" value="${current?.login ?? ''}" />
    <button>${isResolved ? 'Unresolve' : 'Resolve'} conversation</button>
  </form>`;

export const suggestionForm = (
  repository: Repository,
  issue: Issue,
  { current }: Viewer,
  comment: ReviewComment,
): Html =>
  html`<form method="post" action="${action(repository, issue, 'suggestion')}">
    ${onComment(comment)}<input type="hidden" name="as" value="${current?.login ?? ''}" />
    <button>Commit suggestion</button>
  </form>`;

export const remarkForm = (
  repository: Repository,
  issue: Issue,
  viewer: Viewer,
  path: string,
): Html =>
  html`<form method="post" action="${action(repository, issue, 'remark')}">
    <input type="hidden" name="path" value="${path}" />
    <div class="inline">
      <input
        type="text"
        name="line"
        inputmode="numeric"
        pattern="\\d+(-\\d+)?"
        required
        placeholder="Line, or 3-5"
        aria-label="Line of ${path}"
      />
    </div>
    <textarea
      name="body"
      placeholder="What about it?"
      aria-label="Comment on a line of ${path}"
      required
    ></textarea>
    <div class="buttons">${chooser(viewer)}<button>Comment on the line</button></div>
  </form>`;

export function mergeForm(
  repository: Repository,
  issue: Issue,
  viewer: Viewer,
  mergeable: boolean,
): Html {
  const isDraft = issue.pull?.draft === true;
  let words = 'This branch has conflicts with the base branch.';
  if (isDraft) words = 'This pull request is still a draft.';
  else if (mergeable) words = 'No conflicts with the base branch.';
  const name = isDraft ? 'ready' : 'merge';
  return html`<form class="box" method="post" action="${action(repository, issue, name)}">
    <h2>${words}</h2>
    <div class="buttons">
      ${chooser(viewer)} ${isDraft && html`<button>Ready for review</button>`}
      ${!isDraft && mergeable && html`<button class="main">Merge pull request</button>`}
    </div>
  </form>`;
}

/** The buttons of a check run. Only a check that is completed can run again. */
export function checkForm(
  { fullName }: Repository,
  { id, status, actions }: CheckRun,
  app: string,
  viewer: Viewer,
): Html | undefined {
  const address = `/ui/${fullName}/checks/${id}`;
  // Buttons show once a check run is completed, those of its App too (rule `check-run-buttons`).
  if (status !== 'completed') return undefined;
  return html`<form class="box" method="post" action="${address}/action">
    <h2>Actions of ${app}</h2>
    ${actions.map(({ label, description }) => html`<p class="muted">${label}: ${description}</p>`)}
    <div class="buttons">
      ${chooser(viewer)} <button formaction="${address}/rerun">Re-run</button>
      ${actions.map(
        ({ label, identifier }) =>
          html`<button name="identifier" value="${identifier}">${label}</button>`,
      )}
    </div>
  </form>`;
}
