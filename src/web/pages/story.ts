// The journal as a timeline: every entry is in it, those about a call within their reply.
import { html, type Html } from '../../lib/text/html.ts';
import type { CheckAction, Intent, OperatorCommand } from '../../contracts/intent.ts';
import type { MemoryAnswer } from '../../contracts/memory.ts';
import type { MergeAnswer } from '../../contracts/pull-request.ts';
import type { Entry, EntryOf, RejectionReason } from '../../session/entry.ts';
import { day, plural } from '../../session/texts/format.ts';
import type { JournalPart } from '../session-source.ts';
import { item, note, noteItem, type Items } from './layout.ts';
import { indexJournal, type JournalIndex } from './journal-index.ts';
import { linked, type Links } from './text.ts';
import { message, type WrittenIntent } from './message.ts';
import { renderReply } from './reply.ts';
import { RUN_ITEMS } from './run.ts';
import type { Renderings } from './value.ts';
import type { FailedCheck } from '../../contracts/checks.ts';

/** The items of a timeline: all of this part, or those that its entries after `after` may have changed. */
export function story(part: JournalPart, links: Links, renderings: Renderings, after = 0): Html[] {
  const index = indexJournal(part, links);
  const runs = publishedTogether(part.entries);
  const changed = new Set(changedSince(part.entries, after).map(({ seq }) => seq));
  return part.entries
    .filter(({ seq }) => changed.has(seq) || runs.get(seq)?.some((one) => changed.has(one.seq)))
    .map((entry) =>
      entry.type === 'published'
        ? publishedItem(entry, runs.get(entry.seq) ?? [])
        : timelineItem(entry, index, renderings),
    )
    .filter((item) => item !== undefined);
}

/** What was published without anything else in between, by the first of it: one line of the timeline. */
function publishedTogether(
  entries: readonly Entry[],
): ReadonlyMap<number, readonly EntryOf<'published'>[]> {
  const runs = new Map<number, EntryOf<'published'>[]>();
  let run: EntryOf<'published'>[] | undefined;
  for (const entry of entries) {
    if (entry.type !== 'published') {
      run = undefined;
      continue;
    }
    if (run === undefined) runs.set(entry.seq, (run = []));
    run.push(entry);
  }
  return runs;
}

/** The new entries, and those whose items show something of them. */
function changedSince(entries: readonly Entry[], after: number): readonly Entry[] {
  if (after === 0) return entries;
  const added = entries.filter(({ seq }) => seq > after);
  const shownIn = new Set(
    added.flatMap((entry) => [
      ...('reply' in entry ? [entry.reply] : []),
      ...('received' in entry ? [entry.received] : []),
    ]),
  );
  // The calls that were interrupted say so.
  const isResumed = added.some(({ type }) => type === 'run_resumed');
  return entries.filter(
    ({ seq, type }) => seq > after || shownIn.has(seq) || (isResumed && type === 'reply'),
  );
}

type Show = (...of: [Entry, JournalIndex, Renderings]) => Html | undefined;

/** Shown within its message or its reply. */
const inReply = (): undefined => undefined;

/** An entry as an item of the timeline. */
export const timelineItem = (
  entry: Entry,
  index: JournalIndex,
  renderings: Renderings,
): Html | undefined =>
  // The row of a type takes its entries.
  (ITEMS[entry.type] as Show)(entry, index, renderings);

const ITEMS: Items = {
  ...RUN_ITEMS,
  opened: (entry) => noteItem(entry, 'Session opened', `for issue #${entry.issue}`),
  received,
  permissions_accepted: (entry) =>
    noteItem(entry, 'An owner of the account accepted the permissions of the App'),
  reinstalled: (entry) =>
    noteItem(entry, 'The App was installed again', `as installation ${entry.installation}`),
  admitted: inReply,
  call_started: inReply,
  call_output: inReply,
  call_finished: inReply,
  rejected: (entry) => {
    const details = entry.details === undefined ? '' : ` ${entry.details}`;
    return noteItem(entry, 'Rejected:', `${REJECTIONS[entry.reason]}${details}`);
  },
  memory_answered: (entry) => noteItem(entry, 'Memory:', memoryWords(entry.answer)),
  merge_answered: (entry) => noteItem(entry, 'Auto-merge:', mergeWords(entry.answer)),
  checks_read: (entry) => checksItem(entry),
  service_paused: (entry) => noteItem(entry, 'Paused by the operator', entry.reason),
  service_resumed: (entry) => noteItem(entry, 'Resumed by the operator'),
  comments_gathered: (entry) => noteItem(entry, 'No other comment came in for a while', ''),
  suggestions_taken: (entry) => {
    const applied = entry.results.filter(({ outcome }) => outcome === 'applied').length;
    return noteItem(entry, 'Suggestions applied:', `${applied} of ${entry.results.length}`);
  },
  verdict_withdrawn: (entry) =>
    noteItem(entry, 'Request for changes:', entry.denied === true ? 'stays' : 'over'),
  question_expired: (entry) => noteItem(entry, 'No answer in time:', EXPIRED[entry.action]),
  expiry_deferred: (entry) =>
    noteItem(entry, 'The question stays open:', 'what may answer it cannot be judged yet'),
  approval_withdrawn: (entry) => {
    const why = `@${entry.by.login} may not request work in this repository any more`;
    return noteItem(entry, 'The approval does not count any more:', why);
  },
  next_issue_started: (entry) => noteItem(entry, ...nextIssue(entry)),
  sub_issues_read: ({ started, ...entry }) =>
    noteItem(entry, started === undefined ? 'Sub-issues looked at' : `#${started} started`),
  sub_issue_opened: (entry) => noteItem(entry, `Sub-issue #${entry.issue} opened`),
  sub_issues_denied: (entry) => item(entry, 'trouble', note('Sub-issue denied:', entry.reason)),
  published: (entry) => publishedItem(entry, [entry]),
  publishing_blocked: unpublished,
  reply: (entry, index, renderings) =>
    item(entry, 'from-model', renderReply(entry, index, renderings)),
};

function received(entry: EntryOf<'received'>, index: JournalIndex): Html {
  const { intent } = entry;
  // The row of a kind takes its intents.
  return (RECEIVED[intent.kind] as ShowIntent<Intent>)(entry, intent, index);
}

type ShowIntent<Shown> = (entry: EntryOf<'received'>, intent: Shown, index: JournalIndex) => Html;

const event = (entry: EntryOf<'received'>, words: string, kind = ''): Html =>
  item(entry, kind, note(words, `by @${entry.sender.login}`));

const said: ShowIntent<WrittenIntent> = (entry, intent, index) =>
  item(entry, 'from-person', message(entry, intent, index));

const RECEIVED: {
  readonly [Kind in Intent['kind']]: ShowIntent<Extract<Intent, { kind: Kind }>>;
} = {
  start: said,
  comment: said,
  review: said,
  edited: (entry, intent, index) =>
    intent.addressed === true
      ? said(entry, intent, index)
      : event(entry, 'Words edited', 'from-person'),
  deleted: (entry) => event(entry, 'Comment deleted', 'from-person'),
  review_thread: (entry, { isResolved }) =>
    event(entry, `Review thread ${isResolved ? 'resolved' : 'opened again'}`),
  pull_request_closed: (entry, { merged, pullRequest }) =>
    merged
      ? event(entry, `Pull request #${pullRequest} merged`, 'milestone')
      : event(entry, `Pull request #${pullRequest} closed`),
  thumbs_up: (entry) => event(entry, '👍 on the plan', 'from-person'),
  fix_approved: (entry) => event(entry, '👍 on fixing the checks', 'from-person'),
  check_action: (entry, { action }) => event(entry, CHECK_ACTIONS[action], 'from-person'),
  operator_command: (entry, { command }) =>
    item(entry, 'from-person', note(OPERATOR_COMMANDS[command])),
  checks_changed: (entry, { sha }) =>
    event(entry, `The checks of ${sha.slice(0, 7)} may have changed`),
  pull_request_reopened: (entry, { pullRequest }) =>
    event(entry, `Pull request #${pullRequest} reopened`),
  marked_ready: (entry, { pullRequest }) =>
    event(entry, `Pull request #${pullRequest} marked as ready for review`),
  dequeued: (entry, { pullRequest }) =>
    event(entry, `Pull request #${pullRequest} left the merge queue: checks failed`),
  conflict: (entry, { pullRequest, branch }) =>
    item(entry, 'trouble', note(`Pull request #${pullRequest} conflicts with ${branch}`)),
  issue_closed: (entry) => event(entry, 'Issue closed'),
  issue_reopened: (entry) => event(entry, 'Issue reopened'),
  issue_gone: (entry, { movedTo }) =>
    event(entry, movedTo === undefined ? 'Issue deleted' : `Issue moved to ${movedTo}`, 'trouble'),
  unlabeled: (entry, { label }) => event(entry, `Label ${label} removed`),
  unassigned: (entry, { assignee }) => event(entry, `${assignee} unassigned`),
  untyped: (entry, { type }) => event(entry, `Type ${type} removed`),
};

const OPERATOR_COMMANDS: Readonly<Record<OperatorCommand, string>> = {
  stop: 'The operator asked to stop',
  retry: 'The operator asked to try again',
};

const CHECK_ACTIONS: Readonly<Record<CheckAction, string>> = {
  fix: 'Fix checks, in the check run',
  resolve: 'Resolve conflicts, in the check run',
  stop: 'Stop, in the check run',
  rerun: 'The check run was requested again',
};

const REJECTIONS: Readonly<Record<RejectionReason, string>> = {
  not_permitted: 'the sender does not have the required role.',
  other_label: 'the settings name a different label.',
  other_type: 'the settings name no such type, or it did not start the work.',
  other_assignee: 'that account does not stand for this App, or did not start the work.',
  no_session: 'no one with permission has requested work here.',
  duplicate: 'it is part of a request that was already accepted.',
  outdated: 'it no longer applied when it was processed.',
  no_review: 'the settings ask for no review of it.',
  reviews_off: 'the settings turn reviews off.',
  issue_closed: 'the issue is closed.',
  pull_request_merged: 'the pull request is merged.',
  own_pull_request: 'another session opened the pull request.',
  unreachable:
    'the App has no access to the repository, or GitHub denied the permission check for a day.',
  permission_check_denied: "GitHub does not let the App check the sender's permissions.",
};

function memoryWords(answer: MemoryAnswer): string {
  switch (answer.kind) {
    case 'listed':
      return `listed ${answer.memories.length} of ${answer.total}`;
    case 'shown':
      return `showed ${answer.memories.map(({ number }) => number).join(', ') || 'none'}`;
    case 'forgotten':
      return `deleted ${answer.numbers.join(', ') || 'none'}`;
    case 'unclear':
      return 'deleted nothing, because the command names no numbers';
    default:
      return answer satisfies never;
  }
}

function mergeWords(answer: MergeAnswer): string {
  if (answer.kind === 'not_on') return `not switched on (${answer.because.replaceAll('_', ' ')})`;
  if (answer.kind === 'on') return answer.isQueued === true ? 'in the merge queue' : 'on';
  return { off: 'off', was_off: 'was not on', merged: 'merged already' }[answer.kind];
}

const EXPIRED: Readonly<Record<EntryOf<'question_expired'>['action'], string>> = {
  defaults: 'the work continues with the proposed answers',
  pause: 'paused until someone answers',
};

const nextIssue = ({ issue }: EntryOf<'next_issue_started'>): [string, string] =>
  issue === null ? ['No further issue to start', ''] : ['Started the next issue:', `#${issue}`];

function unpublished(entry: EntryOf<'publishing_blocked'>): Html {
  const { block } = entry;
  if (block === null) return noteItem(entry, 'Retrying publication');
  const { reason, until } = block;
  const next = until === null ? 'Retried after the next activity.' : `Next attempt: ${day(until)}.`;
  return item(entry, 'trouble', note('Publication blocked:', `${reason} ${next}`));
}

/** Each kind once, with a link to its last. `together`: none if an item before it shows them. */
function publishedItem(
  entry: EntryOf<'published'>,
  together: readonly EntryOf<'published'>[],
): Html | undefined {
  if (together.length === 0) return undefined;
  const byName = Map.groupBy(together, ({ key }) => publicationName(key));
  const words = [...byName].map(([name, all], at) => {
    const times = all.length === 1 ? '' : ` ×${all.length}`;
    return html`${at === 0 ? '' : ', '}${linked(all.at(-1)?.url ?? '', html`${name}${times}`)}`;
  });
  return noteItem(entry, 'Published on GitHub:', html`${words}`);
}

const PUBLICATIONS: ReadonlyMap<string, string> = new Map([
  ['status', 'the status comment'],
  ['question', 'the question'],
  ['plan', 'the plan'],
  ['sub_issues', 'the proposed sub-issues'],
  ['answer', 'the answer'],
  ['help', 'the help'],
  ['memory', 'the answer about memories'],
  ['merge', 'what became of the merge'],
  ['label', 'the label of a question'],
  ['pull-request', 'the description of the pull request'],
  ['checks', 'which checks failed'],
  ['check', 'the check run'],
  ['resolve', 'a resolved thread'],
  ['outcome', 'how the work ended'],
  ['reply', 'a reply'],
  ['thread', 'a reply in a review'],
  ['patch', 'a patch'],
  ['base', 'what became of the pull request below'],
  ['operator', 'what the operator asked for'],
  ['rejection', 'why a request was rejected'],
  ['reaction', 'a reaction'],
  ['order', 'a reaction to a command'],
  ['end', 'a reaction to the end of the work'],
]);

/** For people: the keys of publications, such as `question:16`, are internal. */
const publicationName = (key: string): string =>
  PUBLICATIONS.get(key.split(':', 1)[0] ?? '') ?? 'a comment';

const WORDS = {
  unsettled: 'some are not done yet',
  outdated: 'the commit is not the head of the pull request any more',
  none: 'there are none',
  off: 'not looked at, because the settings say `fix_ci: off`',
  passed: 'all passed',
  unchanged: 'nothing is new',
} as const;

const LEFT = {
  base: 'left alone: the base branch fails too',
  flaky: 'left alone: to be run again',
  same: 'left to people: a fix did not change them',
  rounds: 'left to people: the limit of rounds was reached',
} as const;

function checksItem(entry: EntryOf<'checks_read'>): Html {
  const { sha, result } = entry;
  const title = `Checks of ${sha.slice(0, 7)}:`;
  if (result.kind === 'unreadable') return item(entry, 'trouble', note(title, result.reason));
  if (result.kind !== 'failed') return noteItem(entry, title, WORDS[result.kind]);
  const { failures, more, next } = result;
  const what = next.do === 'leave' ? LEFT[next.because] : NEXT[next.do];
  const words = `${plural(failures.length + more, 'check')} failed, ${what}`;
  return item(entry, 'trouble', html`${note(title, words)} ${failures.map(failure)}`);
}

const NEXT = { fix: 'and a run fixes them', ask: 'and people are asked' } as const;

const failure = ({ name, conclusion, summary, annotations, log, noLog = '' }: FailedCheck): Html =>
  html`<details>
    <summary>${name}: ${conclusion}</summary>
    <pre>
${[summary, ...annotations.map(({ path, line, message }) => `${path}:${line}: ${message}`), log, noLog].filter((text) => text !== '').join('\n')}</pre>
  </details>`;
