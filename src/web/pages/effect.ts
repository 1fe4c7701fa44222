import { html, type Html } from '../../lib/text/html.ts';
import type { Effect } from '../../contracts/effect.ts';
import { exitWords, testCounts } from '../../session/texts/runs.ts';
import { dependenciesWords } from '../../session/texts/setup-cache.ts';
import { findingList } from '../../session/texts/work-done.ts';
import {
  duration,
  firstLine,
  plural,
  shortSha,
  spending,
  tokens,
} from '../../session/texts/format.ts';
import { diff } from './value.ts';
import { inlineMarkdown, markdown } from './markdown.ts';
import { linked, prose, type Links } from './text.ts';

const MAX_FILES = 30;
const OUTCOMES = {
  done: 'Finished',
  partial: 'Done in part',
  nothing_to_do: 'Nothing to change',
  cannot: 'Could not be done',
} as const;

const LEFT = {
  ready_for_review: 'mark it as ready for review',
  review_request: 'request a review',
} as const;

/** Effects of a call besides changes of files in the workspace. */
export const renderEffects = (effects: readonly Effect[], links: Links): readonly Html[] =>
  // The row of a type takes its effects.
  effects.map((effect) => (EFFECTS[effect.type] as Show)(effect, links));

type Show = (effect: Effect, links: Links) => Html;

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

const EFFECTS: {
  readonly [Type in Effect['type']]: (effect: EffectOf<Type>, links: Links) => Html;
} = {
  plan: ({ items }) =>
    line('Plan', `${items.filter(({ done }) => done).length} of ${items.length} done`),
  question,
  server_question: () => html``,
  staged: ({ paths }) =>
    line(
      'Next commit',
      paths === null ? 'includes all changes' : `includes ${plural(paths.length, 'file')}`,
    ),
  branch: ({ suffix }) => line('Branch named', html`<span class="mono">${suffix}</span>`),
  commit,
  commit_held: ({ message }) => line('Commit message, kept until the agent finishes', message),
  thread_reply: ({ thread, text }, links) => {
    const address = links.reviewThread(thread) ?? '';
    const where = linked(address, html`review thread ${thread}`);
    return line('Reply to', html`${where}${markdown(text)}`);
  },
  reply: ({ to, text }) => line(`Reply to ${to}`, markdown(text)),
  workflow_change: (effect) => line('Waits for an administrator', diff(effect.diff)),
  patch: ({ files, text, branch = '' }) =>
    line(
      `Patch of ${plural(files.length, 'file')}`,
      text === undefined ? html`on <span class="mono">${branch}</span>` : diff(text),
    ),
  sub_issues_proposed: ({ items }) =>
    line('Sub-issues proposed', items.map(({ title }) => title).join(' · ')),
  review_requested: ({ reviewers }) => line('Review requested from', reviewers.join(', ')),
  left_to_people: ({ steps }) =>
    html`${steps.map(({ step, reason }) => line('Left to people', `${LEFT[step]}: ${reason}`))}`,
  command: (effect) => line('Command', exitWords(effect)),
  tests: (effect) => line('Tests', tests(effect)),
  setup,
  dependencies: (effect) => line('Dependencies', dependenciesWords(effect)),
  disallowed_hosts: ({ hosts }) =>
    line(
      'Network access not allowed',
      html`<span class="mono">${hosts.slice(0, MAX_FILES).join(', ')}</span>`,
    ),
  comment: ({ url, issue }) => line('Comment', linked(url, html`on #${issue}`)),
  review: ({ url, comments }) =>
    line('Reviewed', linked(url, html`with ${plural(comments, 'comment')}`)),
  pull_request: ({ url, number, title }) =>
    line('Pull request', linked(url, html`#${number} ${prose(title)}`)),
  self_reviewed: selfReviewed,
  memory: ({ number }) => line('Remembered', `as memory ${number}`),
  embedded: ({ destination, usage }) =>
    line(
      'Embedded by',
      `${destination}${usage.input === 0 ? '' : `, ${tokens(usage.input)} tokens`}`,
    ),
  strangers_read: () => line('Read', 'comments of people without write access'),
  reason_asked: () => line('Asked', 'why nothing was changed'),
  finish: ({ outcome, summary }) => line(OUTCOMES[outcome], markdown(summary)),
};

const line = (words: string, more: Html | string): Html =>
  html`<div class="effect"><strong>${words}</strong> ${more}</div>`;

function selfReviewed(effect: EffectOf<'self_reviewed'>): Html {
  const { findings, failure } = effect;
  const why = failure === undefined ? 'Nothing was found.' : `No model reviewed it. ${failure}`;
  const said = failure === undefined && findings.length > 0 ? [] : [why];
  const found = markdown([...said, findingList(findings)].join('\n\n'));
  return line(
    'Reviewed',
    html`${found}
      <div class="faint">${spending(effect)}</div>`,
  );
}

function commit({ sha, message, files }: EffectOf<'commit'>, links: Links): Html {
  const shown = files.slice(0, MAX_FILES);
  const rest = files.length - shown.length;
  return html`<div class="effect">
    <strong>Commit</strong> ${linked(links.commit(sha), html`<code>${shortSha(sha)}</code>`)}
    ${prose(firstLine(message))}
    <ul>
      ${shown.map(
        ({ path, status }) => html`<li>${status} <span class="mono">${path}</span></li>`,
      )}${rest > 0 ? html`<li>and ${plural(rest, 'more file', 'more files')}</li>` : ''}
    </ul>
  </div>`;
}

function tests(effect: EffectOf<'tests'>): string {
  const { isPartial, onChanges } = effect;
  return [
    exitWords(effect),
    ...testCounts(effect),
    ...(isPartial ? ['only some of the tests'] : []),
    onChanges ? 'with the changes' : 'before the changes',
  ].join(', ');
}

function setup(effect: EffectOf<'setup'>): Html {
  return html`<div class="effect">
    <strong>Setup</strong> <code>${effect.command}</code> ${exitWords(effect)},
    ${duration(effect.durationMs)} ${effect.output === '' ? '' : html`<pre>${effect.output}</pre>`}
  </div>`;
}

function question({ text, items = [{ text }] }: EffectOf<'question'>): Html {
  const asked = items.map(
    (item) =>
      html`<li>
        ${markdown(item.text)}${
          item.proposedAnswer === undefined
            ? html`<div class="soft">No default answer</div>`
            : html`<div class="soft">Proposed: ${inlineMarkdown(item.proposedAnswer)}</div>`
        }
      </li>`,
  );
  return html`<div class="effect question">
    <strong>Question</strong>
    <ol class="${items.length > 1 ? 'several' : 'single'}">
      ${asked}
    </ol>
  </div>`;
}
