// The pages of all repositories, of one with its labels, and of an account.
import type { CommitFacts, FileFacts } from '../git/pull.ts';
import type { TreeEntry } from '../git/repository.ts';
import { roleOf } from '../roles.ts';
import type { Issue, Repository, User } from '../state.ts';
import { isPull } from '../state.ts';
import { fileDiff } from './diff.ts';
import type { Viewer } from './forms.ts';
import { newIssueForm } from './forms.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';
import type { Render } from './markdown.ts';
import { icon, issuePath, labelChip, userName, when } from './parts.ts';
import { commitList, verifiedMark, type IsVerified } from './pull.ts';

export const homePage = (repositories: readonly Repository[]): Html =>
  html`<h1 class="title">Repositories</h1>
    <div id="home" data-live>
      ${repositories.length === 0 && html`<p class="muted">No repositories yet.</p>`}
      ${repositories.map(
        (repository) =>
          html`<h2><a href="/${repository.fullName}">${repository.fullName}</a></h2>
            ${issueList(repository, repository.issues)}`,
      )}
    </div>`;

export interface RepositoryView {
  readonly repository: Repository;
  readonly viewer: Viewer;
  readonly commits: readonly CommitFacts[];
  readonly files: readonly TreeEntry[];
  readonly readme: string;
  readonly render: Render;
  readonly isVerified: IsVerified;
}

export function repositoryPage(view: RepositoryView): Html {
  const { repository, viewer, commits, files, readme, render } = view;
  const pulls = repository.issues.filter(isPull);
  const issues = repository.issues.filter((one) => !isPull(one));
  return html`<h1 class="title">${repository.name}</h1>
    <p>
      <a href="/${repository.fullName}/labels">Labels</a> ·
      <a href="/${repository.fullName}/rules">Rules</a>
    </p>
    <div id="lists" data-live>
      <h2>Issues</h2>
      ${issueList(repository, issues)}
      ${
        pulls.length > 0 &&
        html`<h2>Pull requests</h2>
          ${issueList(repository, pulls)}`
      }
    </div>
    ${newIssueForm(repository, viewer)}
    <div id="code" data-live>
      <h2>Commits on <code>${repository.defaultBranch}</code></h2>
      ${commitList(repository, commits, view.isVerified)}
      <h2>Files</h2>
      <ul class="list">
        ${files.map(({ name, type }) => html`<li><code>${name}${type === 'tree' && '/'}</code></li>`)}
      </ul>
      ${
        readme !== '' &&
        html`<article class="box readme">
          <header><h2>README.md</h2></header>
          <div class="body">${render(readme, 'markdown')}</div>
        </article>`
      }
    </div>`;
}

function issueList(repository: Repository, issues: readonly Issue[]): Html {
  if (issues.length === 0) return html`<p class="muted">None yet.</p>`;
  const newest = issues.toSorted((one, other) => other.number - one.number);
  return html`<ul class="list">
    ${newest.map(
      (issue) =>
        html`<li>
          ${icon(issue)}
          <span class="grow"
            ><a class="name" href="${issuePath(repository, issue)}">${issue.title}</a>
            ${issue.labels.map(labelChip)}
            <br /><span class="muted"
              >#${issue.number} by ${userName(issue.author)}, ${when(issue.createdAt)}</span
            ></span
          >
        </li>`,
    )}
  </ul>`;
}

export const labelsPage = ({ name, labels }: Repository): Html =>
  html`<h1 class="title">Labels of ${name}</h1>
    <div id="labels" data-live>
      ${labels.length === 0 && html`<p class="muted">None yet.</p>`}
      <ul class="list">
        ${labels.map((label) => html`<li>${labelChip(label)} <span class="muted">${label.description ?? ''}</span></li>`)}
      </ul>
    </div>
    <p class="muted">A label that you add to an issue is created if it is not there yet.</p>`;

/** Of a person or an organization. Everyone can read every repository. */
export const accountPage = (user: User, repositories: readonly Repository[]): Html =>
  html`<h1 class="title">${user.login}</h1>
    <p class="muted">${user.type === 'Organization' ? 'An organization' : 'A person'}</p>
    <div id="account" data-live>
      <h2>Repositories</h2>
      ${repositories.length === 0 && html`<p class="muted">No repositories yet.</p>`}
      <ul class="list">
        ${repositories.map(
          (repository) =>
            html`<li>
              <span class="grow"><a href="/${repository.fullName}">${repository.fullName}</a></span>
              <span class="chip">${roleOf(repository, user)}</span>
            </li>`,
        )}
      </ul>
    </div>`;

export function commitPage(
  commit: CommitFacts,
  files: readonly FileFacts[],
  verified: boolean,
): Html {
  const [title = '', ...rest] = commit.message.split('\n');
  const body = rest.join('\n').trim();
  return html`<h1 class="title">${title}</h1>
    <div class="facts muted">
      ${commit.author.name}, ${when(commit.author.date)} <span class="sha">${commit.sha}</span>
      ${verified && verifiedMark}
    </div>
    ${body !== '' && html`<pre class="message">${body}</pre>`}
    <h2>Changes</h2>
    ${files.map((file) => fileDiff(file))}`;
}
