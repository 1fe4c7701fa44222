// The journal as a timeline: every entry is in it, those about a call within their reply.
import { html, webAddress, type Html } from '../../lib/html.ts';
import type { Entry, EntryOf, RejectionReason } from '../../session/entries/entry.ts';
import { item, note } from './layout.ts';
import { indexJournal, type JournalIndex } from './journal-index.ts';
import { message } from './message.ts';
import { reply } from './reply.ts';
import { runItem } from './run.ts';
import type { Renderings } from './value.ts';

export function story(entries: readonly Entry[], renderings: Renderings): Html[] {
  const index = indexJournal(entries);
  return entries
    .map((entry) => itemOf(entry, index, renderings))
    .filter((item) => item !== undefined);
}

function itemOf(entry: Entry, index: JournalIndex, renderings: Renderings): Html | undefined {
  switch (entry.type) {
    case 'opened':
      return item(entry, '', note('Session opened', `for issue #${entry.issue}`));
    case 'received':
      return received(entry, index);
    case 'admitted':
    case 'call_started':
    case 'call_output':
    case 'call_finished':
      return undefined;
    case 'rejected':
      return item(entry, '', note('Rejected:', `${REFUSALS[entry.reason]}${said(entry)}`));
    case 'service_paused':
      return item(entry, '', note('Paused by the operator:', entry.reason));
    case 'service_resumed':
      return item(entry, '', note('Resumed by the operator'));
    case 'question_expired':
      return item(entry, '', note('No answer in time:', EXPIRED[entry.action]));
    case 'next_issue_started':
      return item(entry, '', note('Looked for the next issue:', taken(entry)));
    case 'published':
      return published(entry);
    case 'publishing_blocked':
      return unpublished(entry);
    case 'reply':
      return item(entry, 'from-model', reply(entry, index, renderings));
    case 'run_started':
    case 'run_prepared':
    case 'run_resumed':
    case 'run_deferred':
    case 'run_paused':
    case 'input_read':
    case 'notice':
    case 'protocol_changed':
    case 'compacted':
    case 'work_saved':
    case 'run_ended':
      return runItem(entry);
    default:
      return entry satisfies never;
  }
}

function received(entry: EntryOf<'received'>, index: JournalIndex): Html {
  const { intent, sender } = entry;
  switch (intent.kind) {
    case 'issue_closed':
      return item(entry, '', note('Issue closed', `by @${sender.login}`));
    case 'issue_reopened':
      return item(entry, '', note('Issue reopened', `by @${sender.login}`));
    case 'issue_gone': {
      const what =
        intent.movedTo === undefined ? 'Issue deleted' : `Issue moved to ${intent.movedTo}`;
      return item(entry, 'trouble', note(what, `by @${sender.login}`));
    }
    case 'pull_request_closed':
      return intent.merged
        ? item(
            entry,
            'milestone',
            note(`Pull request #${intent.pullRequest} merged`, `by @${sender.login}`),
          )
        : item(
            entry,
            '',
            note(`Pull request #${intent.pullRequest} closed`, `by @${sender.login}`),
          );
    case 'pull_request_reopened':
      return item(
        entry,
        '',
        note(`Pull request #${intent.pullRequest} reopened`, `by @${sender.login}`),
      );
    case 'thumbs_up':
      return item(entry, 'from-person', note('👍 on the plan', `by @${sender.login}`));
    case 'unlabeled':
      return item(entry, '', note(`Label ${intent.label} removed`, `by @${sender.login}`));
    case 'start':
    case 'comment':
    case 'review':
      return item(entry, 'from-person', message(entry, intent, index));
    default:
      return intent satisfies never;
  }
}

const REFUSALS: Readonly<Record<RejectionReason, string>> = {
  not_permitted: 'the sender has no write access to the repository, or lacks the required role.',
  other_label: 'the settings name a different label.',
  no_session: 'nobody with permission has requested work here.',
  duplicate: 'GitHub reported it twice.',
  outdated: 'it was withdrawn before it was processed.',
  issue_closed: 'the issue is closed.',
  foreign_pull_request: 'someone else opened the pull request.',
  unreachable: 'the App no longer has access to the repository.',
  permission_check_denied: "GitHub does not let the App check the sender's permissions.",
};

const said = ({ details }: EntryOf<'rejected'>): string =>
  details === undefined ? '' : ` ${details}`;

const EXPIRED: Readonly<Record<EntryOf<'question_expired'>['action'], string>> = {
  defaults: 'the work continues with the proposed answers',
  pause: 'the work is paused until there is one',
};

const taken = ({ issue }: EntryOf<'next_issue_started'>): string =>
  issue === null ? 'none found' : `#${issue} started`;

function unpublished(entry: EntryOf<'publishing_blocked'>): Html {
  const { block } = entry;
  if (block === null) return item(entry, '', note('Retrying publication'));
  const { reason, until } = block;
  const next = until === null ? 'Retried after the next activity.' : `Next attempt: ${until}.`;
  return item(entry, 'trouble', note('Publication blocked:', `${reason} ${next}`));
}

function published(entry: EntryOf<'published'>): Html {
  const href = webAddress(entry.url);
  const words = html`<span class="mono">${entry.key}</span>`;
  const where = href === undefined ? words : html`<a href="${href}" rel="noreferrer">${words}</a>`;
  return item(entry, '', note('Published on GitHub:', where));
}
