// The forms beside the conversation of an issue: its labels, and who it is assigned to.
import type { Issue, Repository, User } from '../state.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';
import { DEFAULT_LABEL } from '../../../../../src/session/settings/index.ts';
import { action, chooser, type Viewer } from './forms.ts';

export function assigneeForms(
  repository: Repository,
  issue: Issue,
  viewer: Viewer,
  assignable: readonly User[],
): Html {
  const person = html`<input type="hidden" name="as" value="${viewer.current?.login ?? ''}" />`;
  const removals = issue.assignees.map(
    ({ login }) =>
      html`<form method="post" action="${action(repository, issue, 'unassign')}" class="inline">
        ${person}<input type="hidden" name="assignee" value="${login}" />
        <button class="small">Unassign ${login}</button>
      </form>`,
  );
  return html`<form method="post" action="${action(repository, issue, 'assign')}" class="inline">
      ${person}
      <select name="assignee" aria-label="Assignee">
        ${assignable.map(({ login }) => html`<option>${login}</option>`)}
      </select>
      <button>Assign</button>
    </form>
    ${removals}`;
}

export function labelForms(repository: Repository, issue: Issue, viewer: Viewer): Html {
  const known = repository.labels.map(({ name }) => html`<option value="${name}"></option>`);
  const person = html`<input type="hidden" name="as" value="${viewer.current?.login ?? ''}" />`;
  const removals = issue.labels.map(
    ({ name }) =>
      html`<form method="post" action="${action(repository, issue, 'unlabel')}" class="inline">
        ${person}<input type="hidden" name="label" value="${name}" />
        <button class="small">Remove ${name}</button>
      </form>`,
  );
  const has = issue.labels.some(({ name }) => name === DEFAULT_LABEL);
  return html`<form method="post" action="${action(repository, issue, 'label')}">
      <div class="inline">
        <input
          type="text"
          name="label"
          list="labels"
          aria-label="Label"
          placeholder="Label"
          required
          value="${has ? '' : DEFAULT_LABEL}"
        />
        <button>Add</button>
      </div>
      <datalist id="labels">${known}</datalist>
      <div class="inline">${chooser(viewer)}</div>
    </form>
    ${removals}`;
}
