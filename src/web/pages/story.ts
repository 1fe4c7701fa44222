// The journal as a timeline: every entry is in it, those about a call within their reply.
import { html, type Html } from '../../lib/text/html.ts';
import type { CheckAction, Intent, OperatorCommand } from '../../contracts/intent.ts';
import type { MemoryAnswer } from '../../contracts/memory.ts';
import type { MergeAnswer } from '../../contracts/pull-request.ts';
import type { Entry, EntryOf, RejectionReason } from '../../session/entry.ts';
import { day, plural } from '../../session/texts/format.ts';
import type { JournalPart } from '../session-source.ts';
import { item, note, type Items } from './layout.ts';
import { indexJournal, type JournalIndex } from './journal-index.ts';
import { linked, type Links } from './text.ts';
import { message } from './message.ts';
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
  opened: (entry) => item(entry, '', note('Session opened', `for issue #${entry.issue}`)),
  received,
  permissions_accepted: (entry) =>
    item(entry, '', note('An owner of the account accepted the permissions of the App')),
  reinstalled: (entry) =>
    item(entry, '', note('The App was installed again', `as installation ${entry.installation}`)),
  admitted: inReply,
  call_started: inReply,
  call_output: inReply,
  call_finished: inReply,
  rejected: (entry) => {
    const details = entry.details === undefined ? '' : ` ${entry.details}`;
    return item(entry, '', note('Rejected:', `${REJECTIONS[entry.reason]}${details}`));
  },
  memory_answered: (entry) => item(entry, '', note('Memory:', memoryWords(entry.answer))),
  merge_answered: (entry) => item(entry, '', note('Auto-merge:', mergeWords(entry.answer))),
  checks_read: (entry) => checksItem(entry),
  service_paused: (entry) => item(entry, '', note('Paused by the operator', entry.reason)),
  service_resumed: (entry) => item(entry, '', note('Resumed by the operator')),
  comments_gathered: (entry) => item(entry, '', note('No other comment came in for a while', '')),
  suggestions_taken: (entry) => {
    const applied = entry.results.filter(({ outcome }) => outcome === 'applied').length;
    return item(entry, '', note('Suggestions applied:', `${applied} of ${entry.results.length}`));
  },
  verdict_withdrawn: (entry) =>
    item(entry, '', note('Request for changes:', entry.denied === true ? 'stays' : 'over')),
  question_expired: (entry) => item(entry, '', note('No answer in time:', EXPIRED[entry.action])),
  expiry_deferred: (entry) =>
    item(entry, '', note('The question stays open:', 'what may answer it cannot be judged yet')),
  approval_withdrawn: (entry) => {
    const why = `@${entry.by.login} may not request work in this repository any more`;
    return item(entry, '', note('The approval does not count any more:', why));
  },
  next_issue_started: (entry) => item(entry, '', note(...nextIssue(entry))),
  sub_issues_read: ({ started, ...entry }) =>
    item(entry, '', note(started === undefined ? 'Sub-issues looked at' : `#${started} started`)),
  sub_issue_opened: (entry) => item(entry, '', note(`Sub-issue #${entry.issue} opened`)),
  sub_issues_denied: (entry) => item(entry, 'trouble', note('Sub-issue denied:', entry.reason)),
  published: (entry) => publishedItem(entry, [entry]),
  publishing_blocked: unpublished,
  reply: (entry, index, renderings) =>
    item(entry, 'from-model', renderReply(entry, index, renderings)),
};

function received(entry: EntryOf<'received'>, index: JournalIndex): Html {
  const { intent, sender } = entry;
  const event = (words: string, kind = ''): Html =>
    item(entry, kind, note(words, `by @${sender.login}`));
  switch (intent.kind) {
    case 'issue_closed':
      return event('Issue closed');
    case 'issue_reopened':
      return event('Issue reopened');
    case 'issue_gone':
      return event(goneWords(intent.movedTo), 'trouble');
    case 'pull_request_closed':
      return intent.merged
        ? event(`Pull request #${intent.pullRequest} merged`, 'milestone')
        : event(`Pull request #${intent.pullRequest} closed`);
    case 'conflict':
      return item(entry, 'trouble', note(conflictWords(intent)));
    case 'pull_request_reopened':
    case 'marked_ready':
      return event(`Pull request #${intent.pullRequest} ${PULL_REQUEST_DEEDS[intent.kind]}`);
    case 'review_thread':
      return event(`Review thread ${intent.isResolved ? 'resolved' : 'opened again'}`);
    case 'thumbs_up':
    case 'fix_approved':
    case 'deleted':
      return event(DEEDS[intent.kind], 'from-person');
    case 'check_action':
      return event(CHECK_ACTIONS[intent.action], 'from-person');
    case 'operator_command':
      return item(entry, 'from-person', note(OPERATOR_COMMANDS[intent.command]));
    case 'checks_changed':
      return event(`The checks of ${intent.sha.slice(0, 7)} may have changed`);
    case 'dequeued':
      return event(`Pull request #${intent.pullRequest} left the merge queue: checks failed`);
    case 'unlabeled':
    case 'unassigned':
    case 'untyped':
      return event(withdrawalWords(intent));
    case 'edited':
      return intent.addressed === true
        ? item(entry, 'from-person', message(entry, intent, index))
        : event('Words edited', 'from-person');
    case 'start':
    case 'comment':
    case 'review':
      return item(entry, 'from-person', message(entry, intent, index));
    default:
      return intent satisfies never;
  }
}

function withdrawalWords(
  intent: Extract<Intent, { kind: 'unlabeled' | 'unassigned' | 'untyped' }>,
): string {
  if (intent.kind === 'unassigned') return `${intent.assignee} unassigned`;
  return intent.kind === 'untyped'
    ? `Type ${intent.type} removed`
    : `Label ${intent.label} removed`;
}

const conflictWords = ({ pullRequest, branch }: { pullRequest: number; branch: string }): string =>
  `Pull request #${pullRequest} conflicts with ${branch}`;

const goneWords = (movedTo: string | undefined): string =>
  movedTo === undefined ? 'Issue deleted' : `Issue moved to ${movedTo}`;

const DEEDS = {
  thumbs_up: '👍 on the plan',
  fix_approved: '👍 on fixing the checks',
  deleted: 'Comment deleted',
} as const;

const OPERATOR_COMMANDS: Readonly<Record<OperatorCommand, string>> = {
  stop: 'The operator asked to stop',
  retry: 'The operator asked to try again',
};

const PULL_REQUEST_DEEDS = {
  pull_request_reopened: 'reopened',
  marked_ready: 'marked as ready for review',
} as const;

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
  if (block === null) return item(entry, '', note('Retrying publication'));
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
  return item(entry, '', note('Published on GitHub:', html`${words}`));
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
  if (result.kind !== 'failed') return item(entry, '', note(title, WORDS[result.kind]));
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
