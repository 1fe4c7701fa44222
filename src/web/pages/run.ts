// The service's own entries in a run: its preparation, notices to the model, and its end.
import { html, type Html } from '../../lib/text/html.ts';
import type { ProtocolName, RunEnd, RunMode } from '../../contracts/entries.ts';
import type { Entry, EntryOf, ShellKind } from '../../session/entry.ts';
import { duplicatesFound } from '../../session/texts/duplicates-found.ts';
import { day, imageCost, shortDigest, spending } from '../../session/texts/format.ts';
import { renderEffects } from './effect.ts';
import { foldedSection, imageLine, longCode, type Links } from './text.ts';
import type { JournalIndex } from './journal-index.ts';
import { item, note, noteItem, type Items } from './layout.ts';
import { longMarkdown } from './markdown.ts';

export const RUN_ITEMS = {
  run_started: (entry) =>
    noteItem(
      entry,
      `Run ${entry.run} started${entry.afresh === true ? ' with a new conversation' : ''}`,
    ),
  run_prepared: prepared,
  duplicates_searched: (entry) =>
    noteItem(entry, 'Looked for what solves the issue already:', related(entry)),
  run_resumed: (entry) => noteItem(entry, `Run ${entry.run} resumed`, 'after an interruption'),
  run_deferred: (entry) =>
    noteItem(entry, `Run ${entry.run} deferred`, `until ${day(entry.until)}: ${entry.reason}`),
  run_paused: (entry) => noteItem(entry, `Run ${entry.run} paused`),
  input_read: inputRead,
  notice,
  protocol_changed: protocolChanged,
  images_dropped: imagesDropped,
  compacted,
  image_fetch_started: (entry) => noteItem(entry, 'Fetching the image', entry.image),
  image_fetched: (entry) => noteItem(entry, 'Fetched the image', entry.image),
  self_review_started: (entry) => noteItem(entry, 'Self-review', `by ${entry.model}`),
  push_questioned: (entry, { links }) =>
    item(entry, '', html`${renderEffects(entry.effects, links)}`),
  work_saved: workSaved,
  base_chosen: (entry) => noteItem(entry, 'Looked for the base:', baseWords(entry)),
  base_changed: (entry) => noteItem(entry, ...changedBase(entry)),
  branch_moved: (entry) =>
    noteItem(entry, 'Someone else pushed to the branch:', 'the work begins again there'),
  merge_started: (entry) =>
    noteItem(entry, `Merging ${entry.branch}`, `at ${entry.theirs.slice(0, 7)}`),
  merge_failed_tests: (entry, { links }) =>
    item(entry, 'trouble', merged('Tests failed on the merge', entry, links)),
  merge_ended: (entry, { links }) =>
    item(
      entry,
      '',
      merged(entry.effects.length === 0 ? 'Nothing to merge' : 'Merged', entry, links),
    ),
  run_ended: runEnded,
} satisfies Partial<Items>;

/** What the model reads from here on. */
const promptLinkAfter = ({ seq }: Entry, links: Links): Html =>
  html`<div class="seen">
    <a href="${links.request(seq)}">Prompt after this<span class="unseen"> (entry ${seq})</span></a>
  </div>`;

const baseWords = ({ named, found }: EntryOf<'base_chosen'>): string =>
  found.kind === 'based'
    ? `the branch of #${found.pullRequest}`
    : `none of ${named.map((number) => `#${number}`).join(', ')}`;

const BELOW = {
  open: 'reopened',
  closed: 'closed without being merged',
  merged: 'merged',
  left: 'no longer the base',
} as const;

const changedBase = (entry: EntryOf<'base_changed'>): [string, string] => [
  `Pull request #${entry.pullRequest} below: ${BELOW[entry.state]}`,
  entry.problem ?? `this one goes to ${entry.baseBranch}`,
];

const PROTOCOLS: Readonly<Record<ProtocolName, string>> = {
  native: 'native tool calling',
  json: 'JSON tool calls',
  react: 'ReAct tool calls',
  none: 'no tools',
};

const MODES: Readonly<Record<RunMode, string>> = {
  agent: 'until it finishes or asks a question',
  single: 'for one reply and its tool calls',
  completion: 'for one answer without tools',
};

const SHELLS: Readonly<Record<ShellKind, string>> = {
  contained: 'Commands run in the sandbox.',
  unsafe: 'Commands are NOT sandboxed: the operator set SANDBOX=unsafe.',
};

const related = ({ found, effects }: EntryOf<'duplicates_searched'>): Html =>
  found.length === 0
    ? html`nothing was found`
    : longMarkdown(
        'related',
        `${duplicatesFound(found)}${effects.length === 0 ? '' : '\n\nAsked before working on it.'}`,
      );

function inputRead(
  { images = [], ...entry }: EntryOf<'input_read'>,
  { links }: JournalIndex,
): Html {
  const text = longCode(`input-all-${entry.seq}`, entry.text);
  const shown = images.map((image) => html`<div class="faint">${imageLine(image)}</div>`);
  const said = html`${shown}${foldedSection(`input-${entry.seq}`, 'Full text', text)}${promptLinkAfter(entry, links)}`;
  const count =
    images.length === 0 ? '' : `, with ${images.length} image${images.length === 1 ? '' : 's'}`;
  return noteItem(entry, `New comments shown to the model${count}`, said);
}

function prepared(entry: EntryOf<'run_prepared'>, { links }: JournalIndex): Html {
  const { model, effort, fallback, destination, protocol, mode } = entry;
  const { branch, baseBranch, baseCommit, seq } = entry;
  const thinking = effort === undefined ? '' : `, effort ${effort}`;
  const instead =
    fallback === undefined
      ? ''
      : html` It continues for <code>${fallback.from}</code>: ${fallback.reason}`;
  const more = html`From <code>${baseCommit.slice(0, 7)}</code> of <code>${baseBranch}</code>, with
    ${PROTOCOLS[protocol]}, ${MODES[mode]}. Code, comments, tool results and command output are sent
    to ${destination}.`;
  const shell = entry.shell === undefined ? '' : html` ${SHELLS[entry.shell]}${imageIn(entry)}`;
  const said = html`on <code>${branch}</code> with <code>${model}</code>${thinking}; code and
    comments go to
    ${destination}.${instead}${shell}${warnings(entry)}${foldedSection(`prepared-${seq}`, 'Details', more)}`;
  return noteItem(
    entry,
    'Run prepared',
    html`${said}${instructions(entry)}${promptLinkAfter(entry, links)}`,
  );
}

function imageIn({ image }: EntryOf<'run_prepared'>): Html {
  if (image === undefined) return html``;
  const { name, digest, seconds } = image;
  return html` Their programs are those of the image <code>${name}</code> (<code title="${digest}"
      >${shortDigest(digest)}</code
    >), ${imageCost(seconds)}.`;
}

function warnings({ seq, warnings: lines = [] }: EntryOf<'run_prepared'>): Html {
  if (lines.length === 0) return html``;
  return longMarkdown(`warnings-${seq}`, `Some settings have no effect.\n${lines.join('\n')}`);
}

const instructions = ({ seq, instructions: text }: EntryOf<'run_prepared' | 'protocol_changed'>) =>
  foldedSection(
    `instructions-${seq}`,
    'Full instructions',
    longCode(`instructions-all-${seq}`, text),
  );

function protocolChanged(entry: EntryOf<'protocol_changed'>, { links }: JournalIndex): Html {
  const { seq, protocol, reason } = entry;
  const now = html`${PROTOCOLS[protocol]}.${longMarkdown(`reason-${seq}`, reason)}`;
  const more = html`${instructions(entry)}${promptLinkAfter(entry, links)}`;
  return noteItem(entry, 'Switched to', html`${now}${more}`);
}

function imagesDropped(entry: EntryOf<'images_dropped'>, { links }: JournalIndex): Html {
  const reason = longMarkdown(`reason-${entry.seq}`, entry.reason);
  const link = promptLinkAfter(entry, links);
  return noteItem(entry, 'Images no longer sent:', html`${reason}${link}`);
}

/** Longer notices are folded. */
const SHORT_NOTICE = 300;

function notice(entry: EntryOf<'notice'>, { links }: JournalIndex): Html {
  const { seq, topic, text } = entry;
  const about = topicName(topic);
  const said =
    text.length <= SHORT_NOTICE
      ? longMarkdown(`notice-${seq}`, text)
      : foldedSection(`notice-${seq}`, 'Full text', longCode(`notice-all-${seq}`, text));
  return noteItem(
    entry,
    'Note to the model:',
    html`${about}${said}${promptLinkAfter(entry, links)}`,
  );
}

const TOPICS: ReadonlyMap<string, string> = new Map([
  ['wrap-up', 'the limits of the run are near'],
  ['go-on', 'the limits have room again'],
  ['last-run', 'how the last run ended'],
  ['pushed', 'what others pushed to the branch'],
  ['plan-first', 'a plan must be approved first'],
  ['merge', 'what the merge of the base branch needs'],
  ['pull-request-template', "the repository's template for pull requests"],
]);

/** Topics are internal, such as `wrap-up:2`; those of instruction files end with a path. */
function topicName(topic: string): Html {
  const [kind = '', ...rest] = topic.split(':');
  if (kind === 'instructions')
    return html`instructions in <span class="mono">${rest.join(':')}</span>`;
  return html`${TOPICS.get(kind) ?? 'from the service'}`;
}

function compacted(entry: EntryOf<'compacted'>, { links }: JournalIndex): Html {
  const { seq, upTo, summary, mostOfResults, window } = entry;
  if (upTo === 0) {
    const words =
      mostOfResults === undefined
        ? `The model can read ${window ?? 0} tokens`
        : `New results cut to ${mostOfResults} characters each`;
    return noteItem(entry, words, 'there is no room for more in the context window');
  }
  const where = html`up to <a href="#entry-${upTo}">entry ${upTo}</a>, except the first message`;
  if (summary === null)
    return noteItem(
      entry,
      'Older messages dropped',
      html`${where}${promptLinkAfter(entry, links)}`,
    );
  const text = foldedSection(`summary-${seq}`, 'Summary', longCode(`summary-all-${seq}`, summary));
  const spent = html`<div class="faint">${spending(entry)}</div>`;
  return noteItem(
    entry,
    'Older messages summarised',
    html`${where}${spent}${text}${promptLinkAfter(entry, links)}`,
  );
}

function merged(
  words: string,
  { effects }: EntryOf<'merge_failed_tests' | 'merge_ended'>,
  links: Links,
): Html {
  const shown = html`<div class="kept">${renderEffects(effects, links)}</div>`;
  return note(words, effects.length === 0 ? '' : shown);
}

function workSaved(entry: EntryOf<'work_saved'>, { links }: JournalIndex): Html {
  if (entry.effects.length === 0) return noteItem(entry, 'No uncommitted work to save');
  const effects = html`<div class="kept">${renderEffects(entry.effects, links)}</div>`;
  return noteItem(entry, 'Uncommitted work saved', effects);
}

const ENDS: Readonly<Record<RunEnd['kind'], string>> = {
  asked: 'ended with a question',
  finished: 'finished',
  answered: 'ended with an answer',
  limit: 'stopped at a limit',
  failed: 'failed',
  stopped: 'stopped',
};

const TONES: Readonly<Record<RunEnd['kind'], string>> = {
  asked: '',
  finished: 'milestone',
  answered: 'milestone',
  limit: 'trouble',
  failed: 'trouble',
  stopped: '',
};

function runEnded(entry: EntryOf<'run_ended'>): Html {
  const { run, end, seq } = entry;
  const words = 'reason' in end ? longMarkdown(`end-${seq}`, end.reason) : '';
  return item(entry, TONES[end.kind], note(`Run ${run} ${ENDS[end.kind]}`, words));
}
