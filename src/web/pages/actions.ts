// What someone with write access can do on a session's page. Each is a comment on GitHub in their name, so what can be
// done, by whom, and what comes of it is the same here and there.
import { html, type Html } from '../../lib/text/html.ts';
import { proposalKey, questionKey } from '../../session/github-names.ts';
import type { Session } from '../../session/session.ts';
import { hasBrokenOff, stateOf } from '../../session/state.ts';

export type Action = 'stop' | 'pause' | 'resume' | 'retry' | 'approve' | 'answer';

/** GitHub's limit is higher; nobody types more. */
export const LONGEST_ANSWER = 10_000;

const NAMES: Readonly<Record<Action, string>> = {
  approve: 'Approve the plan',
  answer: 'Answer',
  resume: 'Resume',
  retry: 'Retry',
  pause: 'Pause',
  stop: 'Stop',
};

/** Those that do something now. */
export function actionsOf(session: Session): readonly Action[] {
  const state = stateOf(session);
  switch (state) {
    case 'queued':
    case 'working':
      return ['pause', 'stop'];
    case 'waiting(answer)':
      return ['answer', 'stop'];
    case 'waiting(approval)':
      // A change of workflow files needs admin access: GitHub is where it is shown.
      return session.waiting.proposal?.of === 'workflows' ? ['stop'] : ['approve', 'stop'];
    case 'waiting(pause)':
      return session.waiting.pausedBy === undefined ? ['stop'] : ['resume', 'stop'];
    case 'waiting(review)':
      return hasBrokenOff(session) ? ['retry', 'stop'] : ['stop'];
    case 'waiting(person)':
    case 'waiting(sub-issues)':
      return ['stop'];
    case 'failed':
      return ['retry'];
    case 'stopped':
      return session.thread.issueClosed ? [] : ['retry'];
    case 'ignored':
    case 'done':
      return [];
    default:
      return state satisfies never;
  }
}

/** What the buttons of a page are about: the question, the plan, the pause, or the run that works, worked last or comes next. */
function subjectOf(session: Session): string {
  const { run, waiting, requests } = session;
  const { question, proposal } = waiting;
  const state = stateOf(session);
  const last = run?.number ?? 0;
  if (state === 'waiting(answer)' && question !== undefined) return questionKey(question.seq);
  if (state === 'waiting(approval)' && proposal !== undefined) return proposalKey(proposal);
  if (state === 'waiting(pause)') return `pause:${last}:${requests.latest.pause?.when.seq ?? 0}`;
  return `run:${state === 'queued' ? last + 1 : last}`;
}

/** The action of a form, unless the session no longer offers it or it was about something else. */
export const actionPressed = (session: Session, form: URLSearchParams): Action | undefined =>
  form.get('about') === subjectOf(session)
    ? actionsOf(session).find((one) => one === form.get('action'))
    : undefined;

/** The words of the comment; `undefined`: there are none. */
export function commentFor(action: Action, text: unknown): string | undefined {
  if (action !== 'answer') return `/issuewright ${action}`;
  // Browsers send two signs for the end of a line, and count one.
  const answer = typeof text === 'string' ? text.replaceAll('\r\n', '\n').trim() : '';
  return answer === '' || answer.length > LONGEST_ANSWER ? undefined : answer;
}

interface SessionWithId {
  readonly id: string;
  readonly session: Session;
}

/** An update of the page leaves it there: it would be gone before anyone has read it. */
export const commentWritten = (): Html =>
  html`<p role="status">Your comment is on GitHub. The result will appear here shortly.</p>`;

export const buttonOutdated = (): Html =>
  html`<p role="status">
    Nothing was done: the session has changed since your page was loaded. This is its current state.
  </p>`;

export function sessionActions({ id, session }: SessionWithId): Html {
  const actions = actionsOf(session);
  const buttons = actions.filter((action) => action !== 'answer');
  const address = `/sessions/${encodeURIComponent(id)}/comments`;
  const about = html`<input type="hidden" name="about" value="${subjectOf(session)}" />`;
  return html`<section class="actions" id="actions" data-part aria-label="What you can do">
    ${actions.includes('answer') && answerForm(address, about)}
    ${
      buttons.length > 0 &&
      html`<form method="post" action="${address}">
        ${about}${buttons.map((action) => button(action))}
      </form>`
    }
    ${actions.length > 0 && html`<p class="faint">Each button posts a comment on GitHub as you.</p>`}
  </section>`;
}

const answerForm = (address: string, about: Html): Html =>
  html`<form method="post" action="${address}" class="answering">
    ${about}
    <label for="answer">Your answer</label>
    <textarea id="answer" name="text" rows="3" required maxlength="${LONGEST_ANSWER}"></textarea>
    ${button('answer')}
  </form>`;

const button = (action: Action): Html =>
  html`<button class="button" name="action" value="${action}">${NAMES[action]}</button> `;
