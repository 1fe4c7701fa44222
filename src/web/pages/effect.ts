import { html, type Html } from '../../lib/text/html.ts';
import type { Effect } from '../../contracts/effect.ts';
import { exitWords } from '../../session/texts/runs.ts';
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
  effects.map((one) => effectOf(one, links));

function effectOf(effect: Effect, links: Links): Html {
  switch (effect.type) {
    case 'plan':
      return plan(effect);
    case 'question':
      return question(effect);
    case 'server_question':
      return html``;
    case 'staged':
      return staged(effect);
    case 'branch':
      return line('Branch named', html`<span class="mono">${effect.suffix}</span>`);
    case 'commit':
      return commit(effect, links);
    case 'commit_held':
    case 'thread_reply':
    case 'reply':
      return toPeople(effect, links);
    case 'workflow_change':
    case 'patch':
    case 'sub_issues_proposed':
      return forPeople(effect);
    case 'review_requested':
    case 'left_to_people':
      return submitted(effect);
    case 'command':
    case 'tests':
      return ran(effect);
    case 'setup':
    case 'dependencies':
      return preparation(effect);
    case 'disallowed_hosts':
      return disallowed(effect.hosts);
    case 'comment':
    case 'review':
    case 'pull_request':
      return written(effect);
    case 'self_reviewed':
      return selfReviewed(effect);
    case 'memory':
    case 'embedded':
      return ofMemory(effect);
    case 'strangers_read':
    case 'reason_asked':
    case 'finish':
      return ofTheRun(effect);
    default:
      return effect satisfies never;
  }
}

function ofTheRun(effect: EffectOf<'strangers_read' | 'reason_asked' | 'finish'>): Html {
  if (effect.type === 'finish') return line(OUTCOMES[effect.outcome], markdown(effect.summary));
  return effect.type === 'strangers_read'
    ? line('Read', 'comments of people without write access')
    : line('Asked', 'why nothing was changed');
}

const line = (words: string, more: Html | string): Html =>
  html`<div class="effect"><strong>${words}</strong> ${more}</div>`;

const submitted = (effect: EffectOf<'review_requested' | 'left_to_people'>): Html =>
  effect.type === 'review_requested'
    ? line('Review requested from', effect.reviewers.join(', '))
    : html`${effect.steps.map(({ step, reason }) => line('Left to people', `${LEFT[step]}: ${reason}`))}`;

function written(effect: EffectOf<'comment' | 'review' | 'pull_request'>): Html {
  const { url } = effect;
  if (effect.type === 'comment') return line('Comment', linked(url, html`on #${effect.issue}`));
  return effect.type === 'review'
    ? line('Reviewed', linked(url, html`with ${plural(effect.comments, 'comment')}`))
    : line('Pull request', linked(url, html`#${effect.number} ${prose(effect.title)}`));
}

const staged = ({ paths }: EffectOf<'staged'>): Html =>
  line(
    'Next commit',
    paths === null ? 'includes all changes' : `includes ${plural(paths.length, 'file')}`,
  );

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

const plan = ({ items }: EffectOf<'plan'>): Html =>
  line('Plan', `${items.filter(({ done }) => done).length} of ${items.length} done`);

function ofMemory(effect: EffectOf<'memory' | 'embedded'>): Html {
  if (effect.type === 'memory') return line('Remembered', `as memory ${effect.number}`);
  const { destination, usage } = effect;
  return line(
    'Embedded by',
    `${destination}${usage.input === 0 ? '' : `, ${tokens(usage.input)} tokens`}`,
  );
}

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

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

const ran = (effect: EffectOf<'command'> | EffectOf<'tests'>): Html =>
  effect.type === 'tests'
    ? line('Tests', tests(effect))
    : line('Command', html`${exitWords(effect)}`);

function tests(effect: EffectOf<'tests'>): string {
  const { failed, passed, isPartial, onChanges } = effect;
  return [
    exitWords(effect),
    ...(failed === null ? [] : [`${failed} failed`]),
    ...(passed === null ? [] : [`${passed} passed`]),
    ...(isPartial ? ['only some of the tests'] : []),
    onChanges ? 'with the changes' : 'before the changes',
  ].join(', ');
}

const preparation = (effect: EffectOf<'setup'> | EffectOf<'dependencies'>): Html =>
  effect.type === 'setup' ? setup(effect) : line('Dependencies', dependenciesWords(effect));

const setup = (effect: EffectOf<'setup'>): Html =>
  html`<div class="effect">
    <strong>Setup</strong> <code>${effect.command}</code> ${exitWords(effect)},
    ${duration(effect.durationMs)} ${effect.output === '' ? '' : html`<pre>${effect.output}</pre>`}
  </div>`;

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

function forPeople(
  effect: EffectOf<'workflow_change'> | EffectOf<'patch'> | EffectOf<'sub_issues_proposed'>,
): Html {
  if (effect.type === 'sub_issues_proposed')
    return line('Sub-issues proposed', html`${effect.items.map(({ title }) => title).join(' · ')}`);
  if (effect.type === 'workflow_change')
    return line('Waits for an administrator', diff(effect.diff));
  const { files, text, branch = '' } = effect;
  return line(
    `Patch of ${plural(files.length, 'file')}`,
    text === undefined ? html`on <span class="mono">${branch}</span>` : diff(text),
  );
}

function toPeople(
  effect: Extract<Effect, { readonly type: 'commit_held' | 'thread_reply' | 'reply' }>,
  links: Links,
): Html {
  if (effect.type === 'commit_held')
    return line('Commit message, kept until the agent finishes', effect.message);
  if (effect.type === 'reply') return line(`Reply to ${effect.to}`, markdown(effect.text));
  const address = links.reviewThread(effect.thread) ?? '';
  return line(
    'Reply to',
    html`${linked(address, html`review thread ${effect.thread}`)}${markdown(effect.text)}`,
  );
}

const disallowed = (hosts: readonly string[]): Html =>
  line(
    'Network access not allowed',
    html`<span class="mono">${hosts.slice(0, MAX_FILES).join(', ')}</span>`,
  );
