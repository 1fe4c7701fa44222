// The threads of a pull request: what was said about lines, with the lines, replies and suggestions.
import type { Placement } from '../git/placing.ts';
import { partsOf } from '../markdown/suggestions.ts';
import type { PullRequest, Repository, ReviewComment, ReviewThread } from '../state.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';
import { patchRows } from './diff.ts';
import {
  remarkForm,
  replyToThreadForm,
  resolveForm,
  suggestionForm,
  type Viewer,
} from './forms.ts';
import type { Render } from './markdown.ts';
import { reactionBar, userName, when } from './parts.ts';

type Placements = ReadonlyMap<ReviewThread, Placement>;

export interface ThreadsView {
  readonly repository: Repository;
  readonly viewer: Viewer;
  readonly render: Render;
  readonly placements: Placements;
}

/** Lines of the diff above the comment that a page shows. */
const LINES_SHOWN = 4;

export function threadBox(view: ThreadsView, issue: PullRequest, thread: ReviewThread): Html {
  const { repository, viewer, placements } = view;
  const placement = placements.get(thread);
  const comments = repository.reviewComments.filter((one) => one.threadId === thread.id);
  const [first] = comments;
  if (first === undefined || placement === undefined) return html``;
  const isResolved = thread.resolvedBy !== undefined;
  const inside = html`<table class="diff">
      ${hunkRows(placement.diffHunk)}
    </table>
    ${comments.map((comment) => remark(view, issue, thread, comment, placement))}
    ${replyToThreadForm(repository, issue, viewer, first)}
    ${resolveForm(repository, issue, viewer, first, isResolved)}`;
  return html`<section class="box thread">
    <header>
      <h3><code>${thread.path}</code> ${linesOf(thread)}</h3>
      ${placement.current === undefined && html`<span class="chip">Outdated</span>`}
      ${isResolved && html`<span class="chip">Resolved</span>`}
    </header>
    ${
      isResolved
        ? html`<details>
            <summary>Show the resolved conversation</summary>
            ${inside}
          </details>`
        : inside
    }
  </section>`;
}

function linesOf({ line, startLine }: ReviewThread): string {
  if (line === undefined) return '';
  return startLine === undefined ? `line ${line}` : `lines ${startLine} to ${line}`;
}

/** The last lines of a hunk, without its header. */
function hunkRows(hunk: string): Html[] {
  const rows = patchRows(hunk);
  return rows.slice(-Math.min(LINES_SHOWN, rows.length - 1));
}

function remark(
  view: ThreadsView,
  issue: PullRequest,
  thread: ReviewThread,
  comment: ReviewComment,
  placement: Placement,
): Html {
  const { repository, viewer, render } = view;
  const canCommit =
    issue.state === 'open' && thread.side === 'RIGHT' && placement.current?.line !== undefined;
  const parts = partsOf(comment.body).map((part) =>
    part.kind === 'text'
      ? render(part.text)
      : html`${suggestion(thread, part.lines, placement)}
        ${canCommit && suggestionForm(repository, issue, viewer, comment)}`,
  );
  return html`<div class="remark" id="discussion_r${comment.id}">
    <p class="muted">${userName(comment.author)} ${when(comment.createdAt)}</p>
    <div class="body">${parts}</div>
    ${reactionBar(comment.reactions)}
  </div>`;
}

function suggestion(thread: ReviewThread, lines: string, { diffHunk }: Placement): Html {
  const { line = 1, startLine = line } = thread;
  const old = diffHunk
    .split('\n')
    .filter((one) => !one.startsWith('-') && !one.startsWith('\\'))
    .slice(startLine - line - 1);
  const now = lines === '' ? [] : lines.replace(/\n$/, '').split('\n');
  const row = (kind: string, text: string) =>
    html`<tr class="${kind}">
      <td>${text}</td>
    </tr>`;
  return html`<p class="muted">Suggested change</p>
    <table class="diff suggestion">
      ${old.map((one) => row('del', `-${one.slice(1)}`))} ${now.map((one) => row('add', `+${one}`))}
    </table>`;
}

/** The form for a comment on a line of a file. */
export const remarkOn = (
  { repository, viewer }: Pick<ThreadsView, 'repository' | 'viewer'>,
  issue: PullRequest,
  path: string,
): Html =>
  html`<details>
    <summary>Comment on a line</summary>
    ${remarkForm(repository, issue, viewer, path)}
  </details>`;
