// Small parts of pages.
import type { Issue, Label, Reaction, ReactionContent, Repository, User } from '../state.ts';
import { isPull } from '../state.ts';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html, trusted } from '../../../../../src/lib/text/html.ts';

const HUES = 12;

/** The person's initials in a coloured circle. */
export function avatar(user: User, size = 40): Html {
  const name = user.login.replace(/\[bot\]$/, '');
  const initials = name
    .split(/[-_.]/)
    .slice(0, 2)
    .map((part) => part.charAt(0).toUpperCase())
    .join('');
  const sum = [...Buffer.from(name)].reduce((total, byte) => total + byte, 0);
  const hue = ((sum % HUES) * 360) / HUES;
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    class="avatar"
    width="${size}"
    height="${size}"
    viewBox="0 0 40 40"
    role="img"
    aria-label="${user.login}"
  >
    <rect width="40" height="40" fill="hsl(${hue} 45% 32%)" />
    <text
      x="20"
      y="26"
      font-size="16"
      font-family="sans-serif"
      font-weight="600"
      text-anchor="middle"
      fill="#fff"
    >
      ${initials}
    </text>
  </svg>`;
}

export const userName = (user: User): Html =>
  user.type === 'Bot'
    ? html`<b>${user.login.replace(/\[bot\]$/, '')}</b><span class="chip">bot</span>`
    : html`<b>${user.login}</b>`;

type StateName = 'open' | 'closed' | 'done' | 'merged' | 'draft';

function stateOf(issue: Issue): StateName {
  if (!isPull(issue)) return issue.state === 'open' ? 'open' : 'done';
  if (issue.pull.merged !== undefined) return 'merged';
  if (issue.state === 'closed') return 'closed';
  return issue.pull.draft ? 'draft' : 'open';
}

const WORDS: Record<StateName, string> = {
  open: 'Open',
  closed: 'Closed',
  done: 'Closed',
  merged: 'Merged',
  draft: 'Draft',
};

export const badge = (issue: Issue): Html =>
  html`<span class="state is-${stateOf(issue)}">${icon(issue)} ${WORDS[stateOf(issue)]}</span>`;

/** The icon of an issue or a pull request. */
export function icon(issue: Issue): Html {
  const shape = isPull(issue)
    ? '<path d="M4 5.5v5M4 5.5a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5Zm0 8.5a1.75 1.75 0 1 0 0-3.5A1.75 1.75 0 0 0 4 14Zm8 0a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5Zm0-3.5V6.5a2 2 0 0 0-2-2H8m1.8-2L7.7 4.5l2.1 2"/>'
    : issue.state === 'open'
      ? '<circle cx="8" cy="8" r="6.5"/><circle cx="8" cy="8" r="1" fill="currentColor"/>'
      : '<circle cx="8" cy="8" r="6.5"/><path d="m5 8.2 2 2 4-4.2"/>';
  return html`<svg
    class="icon-${stateOf(issue)}"
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    aria-hidden="true"
  >
    ${trusted(shape)}
  </svg>`;
}

export function labelChip(label: Label): Html {
  const [red, green, blue] = [0, 2, 4].map((at) =>
    Number.parseInt(label.color.slice(at, at + 2), 16),
  );
  const brightness = ((red ?? 0) * 299 + (green ?? 0) * 587 + (blue ?? 0) * 114) / 1000;
  const color = brightness > 150 ? '#1f2328' : '#fff';
  return html`<span class="label" style="background:#${label.color};color:${color}"
    >${label.name}</span
  >`;
}

const EMOJI: Record<ReactionContent, string> = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  confused: '😕',
  heart: '❤️',
  hooray: '🎉',
  rocket: '🚀',
  eyes: '👀',
};

/** The 👀 reaction is an image, because not every machine has a font with it. */
const EYES = trusted(
  '<svg width="18" height="14" viewBox="0 0 18 14" role="img" aria-label="👀"><g fill="#fff" stroke="#66757f"><ellipse cx="4.6" cy="7" rx="3.9" ry="6"/><ellipse cx="13.4" cy="7" rx="3.9" ry="6"/></g><g fill="#292f33"><circle cx="3.2" cy="8" r="2"/><circle cx="12" cy="8" r="2"/></g></svg>',
);

export function reactionBar(reactions: readonly Reaction[]): Html | undefined {
  if (reactions.length === 0) return undefined;
  const contents = [...new Set(reactions.map((one) => one.content))];
  const chips = contents.map((content) => {
    const same = reactions.filter((one) => one.content === content);
    const who = same.map((one) => one.user.login).join(', ');
    const face = content === 'eyes' ? EYES : EMOJI[content];
    return html`<span title="${who}">${face} ${same.length}</span>`;
  });
  return html`<div class="reactions">${chips}</div>`;
}

const STEPS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

export function when(at: string, now: Date = new Date()): Html {
  const seconds = Math.max(0, (now.getTime() - Date.parse(at)) / 1000);
  const step = STEPS.find(([size]) => seconds >= size);
  const count = Math.floor(seconds / (step?.[0] ?? 1));
  const words =
    step === undefined ? 'just now' : `${count} ${step[1]}${count === 1 ? '' : 's'} ago`;
  return html`<time datetime="${at}" title="${at}">${words}</time>`;
}

export const pathOf = (repository: Repository): Html =>
  html` <span class="muted">/</span>
    <a href="/${repository.fullName}">${repository.owner.login} / ${repository.name}</a>`;

export const issuePath = (repository: Repository, issue: Issue): string =>
  `/${repository.fullName}/${isPull(issue) ? 'pull' : 'issues'}/${issue.number}`;
