// The page of a pull request: conversation, commits and changes.
import type { CommitFacts, PullFacts } from '../git/pull.ts';
import type { PullRequest, Repository } from '../state.ts';
import { checkList } from './checks.ts';
import { fileDiff } from './diff.ts';
import { mergeForm, replyForm, reviewForm } from './forms.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';
import { userName, when } from './parts.ts';
import { remarkOn, threadBox, type ThreadsView } from './review-threads.ts';
import type { ThreadView } from './thread.ts';
import { conversation, header, side } from './thread.ts';

export type PullView = ThreadView &
  ThreadsView & { readonly isVerified: IsVerified } & {
    /** The head branch, with its owner if it is in a fork. */
    readonly headLabel: string;
  };

export function pullPage(view: PullView, issue: PullRequest, facts: PullFacts): Html {
  const { repository, viewer } = view;
  const { pull } = issue;
  const count = facts.commits.length;
  const commits = html`${count} commit${count === 1 ? '' : 's'} into <code>${pull.base}</code> from
    <code>${view.headLabel}</code>`;
  const how =
    pull.merged === undefined
      ? html`${userName(issue.author)} wants to merge ${commits}`
      : html`${userName(pull.merged.by)} merged ${commits}`;
  const isOpen = issue.state === 'open';
  return html`${header(view, how)}
    <div class="columns">
      <div>
        ${conversation(view, (thread) => threadBox(view, issue, thread))}
        <div id="checks" data-live>${checkList(repository, facts.headSha)}</div>
        <div id="merge" data-live>
          ${isOpen && mergeForm(repository, issue, viewer, facts.mergeable === true)}
        </div>
        <p></p>
        <div id="reply" data-live>${replyForm(repository, issue, viewer)}</div>
        <div id="commits" data-live>
          <h2>Commits</h2>
          ${commitList(repository, facts.commits, view.isVerified)}
        </div>
      </div>
      ${side(view)}
    </div>
    <div id="changes" data-live>
      <h2>Changes</h2>
      ${changes(view, issue, facts)}
    </div>
    <div id="review" data-live>${isOpen && reviewForm(repository, issue, viewer)}</div>`;
}

export const verifiedMark = html`<span class="chip verified">Verified</span>`;

/** Whether GitHub signed the commit. */
export type IsVerified = (sha: string) => boolean;

export const commitList = (
  repository: Repository,
  commits: readonly CommitFacts[],
  isVerified: IsVerified,
): Html =>
  html`<ul class="list">
    ${commits.map(
      ({ sha, message, author }) =>
        html`<li>
          <span class="grow"
            >${message.split('\n')[0]}
            <span class="muted">· ${author.name}, ${when(author.date)}</span></span
          >
          ${isVerified(sha) && verifiedMark}
          <a class="sha" href="/${repository.fullName}/commit/${sha}">${sha.slice(0, 7)}</a>
        </li>`,
    )}
  </ul>`;

function changes(view: PullView, issue: PullRequest, facts: PullFacts): Html[] {
  return facts.files.map((file) =>
    fileDiff(file, {
      remarks: remarksIn(view, file.filename),
      below: issue.state === 'open' ? remarkOn(view, issue, file.filename) : undefined,
    }),
  );
}

/** What was said about the lines of a file, where they are now. */
function remarksIn({ repository, placements, render }: PullView, path: string) {
  return [...placements].flatMap(([thread, { current }]) => {
    if (thread.path !== path || current?.line === undefined) return [];
    const comments = repository.reviewComments.filter((one) => one.threadId === thread.id);
    const view = html`${comments.map(
      ({ author, body }) =>
        html`${userName(author)}
          <div class="body">${render(body)}</div>`,
    )}`;
    return [{ side: thread.side, line: current.line, view }];
  });
}
