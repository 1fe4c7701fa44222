// The page of an issue, and the conversation, which pull requests have too.
import type { Comment, Issue, Repository, Review, ReviewThread, User } from '../state.ts';
import { isPull } from '../state.ts';
import type { Viewer } from './forms.ts';
import { replyForm } from './forms.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';
import { assigneeForms, labelForms } from './side-forms.ts';
import type { Render } from './markdown.ts';
import { avatar, badge, icon, issuePath, labelChip, reactionBar, userName, when } from './parts.ts';

export interface ThreadView {
  readonly repository: Repository;
  readonly issue: Issue;
  readonly viewer: Viewer;
  readonly render: Render;
  /** Who the issue can be assigned to. */
  readonly assignable: readonly User[];
}

export function issuePage(view: ThreadView): Html {
  const { repository, issue, viewer } = view;
  return html`${header(view, html`${userName(issue.author)} opened this issue ${when(issue.createdAt)}`)}
    <div class="columns">
      <div>
        ${conversation(view)}
        <div id="reply" data-live>${replyForm(repository, issue, viewer)}</div>
      </div>
      ${side(view)}
    </div>`;
}

export const header = ({ issue }: ThreadView, how: Html): Html =>
  html`<div id="header" data-live>
    <h1 class="title">${issue.title} <span class="muted">#${issue.number}</span></h1>
    <div class="facts">${badge(issue)} <span class="muted">${how}</span></div>
  </div>`;

/** All comments and events, in order. */
export function conversation(
  { repository, issue, render }: ThreadView,
  showThread: (thread: ReviewThread) => Html = () => html``,
): Html {
  const { number } = issue;
  const said = [
    ...repository.comments
      .filter((one) => one.issueNumber === number)
      .map((one) => ({ id: one.id, view: commentEntry(one, render) })),
    ...repository.reviews
      .filter((one) => one.pullNumber === number)
      .map((one) => ({ id: one.id, view: reviewEntry(repository, one, render, showThread) })),
  ].toSorted((one, other) => one.id - other.id);
  return html`<div id="conversation" data-live>
    ${entry(`issue-${number}`, issue.author, {
      what: when(issue.createdAt),
      body: render(issue.body ?? '*No description.*'),
      below: reactionBar(issue.reactions),
    })}
    ${said.map(({ view }) => view)} ${ending(issue)}
  </div>`;
}

function entry(
  id: string,
  author: User,
  parts: { what: Html; body: Html | undefined; below?: Html | undefined },
): Html {
  return html`<article class="entry ${author.type === 'Bot' ? 'is-bot' : ''}" id="${id}">
    <div class="who">${avatar(author)}</div>
    <div class="box">
      <header><h2>${userName(author)} ${parts.what}</h2></header>
      ${parts.body !== undefined && html`<div class="body">${parts.body}</div>`} ${parts.below}
    </div>
  </article>`;
}

function commentEntry(comment: Comment, render: Render): Html {
  const isEdited = comment.updatedAt !== comment.createdAt;
  return entry(`issuecomment-${comment.id}`, comment.author, {
    what: html`${when(comment.createdAt)}${isEdited && html` · edited ${when(comment.updatedAt)}`}`,
    body: render(comment.body),
    below: reactionBar(comment.reactions),
  });
}

const VERDICTS = {
  APPROVED: 'approved these changes',
  CHANGES_REQUESTED: 'requested changes',
  COMMENTED: 'reviewed',
  DISMISSED: 'reviewed, and the review was dismissed',
};

/** A review with the threads that it began. One that only replied is shown by its replies. */
function reviewEntry(
  repository: Repository,
  review: Review,
  render: Render,
  showThread: (thread: ReviewThread) => Html,
): Html {
  const { reviewThreads, reviewComments } = repository;
  const own = reviewComments.filter((one) => one.reviewId === review.id);
  const begun = own.filter((one) => one.inReplyTo === undefined).map((one) => one.threadId);
  const threads = reviewThreads.filter(({ id }) => begun.includes(id));
  const isReply = own.length > 0 && threads.length === 0 && review.body === '';
  if (isReply) return html``;
  const body = html`${render(review.body)} ${threads.map(showThread)}`;
  return entry(`pullrequestreview-${review.id}`, review.author, {
    what: html`<span class="verdict ${review.state.toLowerCase()}">${VERDICTS[review.state]}</span>
      ${when(review.submittedAt)}`,
    body: review.body === '' && threads.length === 0 ? undefined : body,
    below: reactionBar(review.reactions),
  });
}

function ending(issue: Issue): Html | undefined {
  const merged = issue.pull?.merged;
  if (merged !== undefined)
    return html`<p class="event">
      ${userName(merged.by)} merged this as
      <code>${merged.commitSha.slice(0, 7)}</code> ${when(merged.at)}
    </p>`;
  if (issue.closedAt === null || issue.closedBy === undefined) return undefined;
  return html`<p class="event">${userName(issue.closedBy)} closed this ${when(issue.closedAt)}</p>`;
}

export function side(view: ThreadView): Html {
  const { repository, issue, viewer, assignable } = view;
  const related = repository.issues.filter((one) => isRelated(one, issue) || isRelated(issue, one));
  return html`<aside class="side" id="side" data-live>
    <section>
      <h2>Assignees</h2>
      ${issue.assignees.length === 0 ? html`<p class="muted">No one</p>` : issue.assignees.map((one) => html`<p>${userName(one)}</p>`)}
      ${assigneeForms(repository, issue, viewer, assignable)}
    </section>
    <section>
      <h2>Labels</h2>
      ${issue.labels.length === 0 ? html`<p class="muted">None yet</p>` : issue.labels.map(labelChip)}
      ${labelForms(repository, issue, viewer)}
    </section>
    <section>
      <h2>${isPull(issue) ? 'Issues' : 'Pull requests'}</h2>
      ${related.length === 0 && html`<p class="muted">None yet</p>`}
      ${related.map((one) => html`<p>${icon(one)} <a href="${issuePath(repository, one)}">${one.title}</a></p>`)}
    </section>
  </aside>`;
}

/** Whether the pull request mentions the issue. */
function isRelated(pull: Issue, issue: Issue): boolean {
  if (!isPull(pull) || isPull(issue)) return false;
  return new RegExp(`#${issue.number}\\b`).test(pull.body ?? '');
}
