// The checks of a commit on the page of its pull request, and the page of one check.
import type { Annotation } from '../checks/annotation.ts';
import { latestRuns, latestStatuses, suitesOf } from '../checks/state.ts';
import type { CheckRun, CheckState, CheckSuite, CommitStatus, Job } from '../checks/state.ts';
import type { CheckFacts } from '../git/check-facts.ts';
import { checkRunPath } from '../payloads/check.ts';
import type { Repository } from '../state.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html, webAddress } from '../../../../../src/lib/text/html.ts';
import { checkForm, type Viewer } from './forms.ts';
import type { Render } from './markdown.ts';
import { issuePath, when } from './parts.ts';

interface Look {
  readonly words: string;
  readonly color: 'open' | 'closed' | 'draft';
}

const WAITING: Look = { words: 'Queued', color: 'draft' };
const RUNNING: Look = { words: 'In progress', color: 'draft' };
const LOOKS: Record<NonNullable<CheckState['conclusion']>, Look> = {
  success: { words: 'Successful', color: 'open' },
  failure: { words: 'Failed', color: 'closed' },
  timed_out: { words: 'Timed out', color: 'closed' },
  action_required: { words: 'Action required', color: 'closed' },
  cancelled: { words: 'Cancelled', color: 'draft' },
  stale: { words: 'Stale', color: 'draft' },
  neutral: { words: 'Neutral', color: 'draft' },
  skipped: { words: 'Skipped', color: 'draft' },
};

function lookOf({ status, conclusion }: CheckState): Look {
  if (conclusion !== null) return LOOKS[conclusion];
  return status === 'queued' ? WAITING : RUNNING;
}

const STATUS_LOOKS: Record<CommitStatus['state'], Look> = {
  success: LOOKS.success,
  failure: LOOKS.failure,
  error: { ...LOOKS.failure, words: 'Error' },
  pending: { ...RUNNING, words: 'Pending' },
};

const stateIn = ({ words, color }: Look): Html => html`<b class="icon-${color}">${words}</b>`;

export function checkList(repository: Repository, sha: string): Html | undefined {
  const { checks } = repository;
  const runs = suitesOf(checks, sha).flatMap((suite) =>
    latestRuns(checks, suite).map((run) => runRow(repository, suite, run)),
  );
  const rows = [...runs, ...latestStatuses(checks, sha).map(statusRow)];
  if (rows.length === 0) return undefined;
  return html`<h2>Checks</h2>
    <ul class="list">
      ${rows}
    </ul>`;
}

const runRow = (repository: Repository, { app }: CheckSuite, run: CheckRun): Html =>
  html`<li>
    <span class="grow"
      ><a class="name" href="${checkRunPath(repository, run)}">${run.name}</a>
      <span class="muted"
        >${app.name}${run.output.title !== null && ` · ${run.output.title}`}</span
      ></span
    >
    ${stateIn(lookOf(run))}
  </li>`;

function statusRow({ context, description, targetUrl, state }: CommitStatus): Html {
  const address = webAddress(targetUrl ?? '');
  return html`<li>
    <span class="grow"
      ><b>${context}</b> <span class="muted">${description}</span> ${
        address !== undefined && html`<a href="${address}">Details of ${context}</a>`
      }</span
    >
    ${stateIn(STATUS_LOOKS[state])}
  </li>`;
}

export interface CheckView {
  readonly repository: Repository;
  readonly run: CheckRun;
  readonly suite: CheckSuite;
  readonly job: Job | undefined;
  readonly facts: CheckFacts;
  readonly viewer: Viewer;
  readonly render: Render;
}

export function checkPage(view: CheckView): Html {
  const { repository, run, suite, job, viewer } = view;
  const { title, summary, text } = run.output;
  return html`<div id="header" data-live>${header(view)}</div>
    <div id="output" data-live>
      ${title !== null && html`<h2>${title}</h2>`}
      ${[summary, text].map((part) => part !== null && html`<div class="body">${view.render(part)}</div>`)}
      ${run.annotations.length > 0 && html`<h2>Annotations</h2>`}
      ${run.annotations.map(annotationBox)} ${job !== undefined && jobOutput(job)}
    </div>
    <p></p>
    <div id="buttons" data-live>${checkForm(repository, run, suite.app.name, viewer)}</div>`;
}

function header({ repository, run, suite, facts }: CheckView): Html {
  const { headSha, app } = suite;
  return html`<h1 class="title">${run.name}</h1>
    <div class="facts">
      ${stateIn(lookOf(run))}
      <span class="muted"
        >${app.name}, ${when(run.completedAt ?? run.startedAt)}, for
        <a class="sha" href="/${repository.fullName}/commit/${headSha}">${headSha.slice(0, 7)}</a>
        ${facts.pulls.map(
          ({ issue }) =>
            html` in <a href="${issuePath(repository, issue)}">#${issue.number} ${issue.title}</a>`,
        )}</span
      >
    </div>`;
}

function annotationBox(annotation: Annotation): Html {
  const { path, start_line: start, end_line: end, annotation_level: level } = annotation;
  const lines = start === end ? `${start}` : `${start}-${end}`;
  return html`<section class="box file">
    <header>
      <h3><code>${path}:${lines}</code> ${annotation.title}</h3>
      <b>${level}</b>
    </header>
    <pre class="message">${annotation.message}</pre>
    ${annotation.raw_details !== undefined && html`<pre class="message">${annotation.raw_details}</pre>`}
  </section>`;
}

const jobOutput = ({ steps, log }: Job): Html =>
  html`<h2>Steps</h2>
    <ul class="list">
      ${steps.map(
        (step) => html`<li><span class="grow">${step.name}</span> ${stateIn(lookOf(step))}</li>`,
      )}
    </ul>
    ${
      log !== '' &&
      html`<h2>Log</h2>
        <pre class="message">${log.slice(1)}</pre>`
    }`;
