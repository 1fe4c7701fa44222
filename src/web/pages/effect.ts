import { html, webAddress, type Html } from '../../lib/html.ts';
import type { Effect } from '../../session/entry.ts';
import { firstLine, plural, shortSha } from '../../session/views/words.ts';
import { prose } from './text.ts';

const MAX_FILES = 30;
const OUTCOMES = {
  done: 'Finished',
  nothing_to_do: 'Nothing to change',
  cannot: 'Could not be done',
} as const;

/** What a call changed beyond the files of the workspace. */
export function effect(effect: Effect): Html {
  switch (effect.type) {
    case 'plan':
      return line(
        'Plan',
        `${effect.items.filter(({ done }) => done).length} of ${effect.items.length} done`,
      );
    case 'question':
      return html`<div class="effect question">
        <strong>Question</strong>
        <div class="text">${prose(effect.text)}</div>
      </div>`;
    case 'commit':
      return commit(effect);
    case 'pull_request':
      return pullRequest(effect);
    case 'finish':
      return line(
        OUTCOMES[effect.outcome],
        html`<span class="text">${prose(effect.summary)}</span>`,
      );
    default:
      return effect satisfies never;
  }
}

const line = (words: string, more: Html | string): Html =>
  html`<div class="effect"><strong>${words}</strong> ${more}</div>`;

function commit({ sha, message, files }: Extract<Effect, { type: 'commit' }>): Html {
  const shown = files.slice(0, MAX_FILES);
  const rest = files.length - shown.length;
  return html`<div class="effect">
    <strong>Commit</strong> <code>${shortSha(sha)}</code> ${prose(firstLine(message))}
    <ul>
      ${shown.map(
        ({ path, status }) => html`<li>${status} <span class="mono">${path}</span></li>`,
      )}${rest > 0 ? html`<li>and ${plural(rest, 'more file', 'more files')}</li>` : ''}
    </ul>
  </div>`;
}

function pullRequest({ number, url, title }: Extract<Effect, { type: 'pull_request' }>): Html {
  const href = webAddress(url);
  const words = html`#${number} ${prose(title)}`;
  return line(
    'Pull request',
    href === undefined ? words : html`<a href="${href}" rel="noreferrer">${words}</a>`,
  );
}
