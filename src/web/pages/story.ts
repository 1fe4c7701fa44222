// The journal as a timeline: every entry is in it, those about a call within their reply.
import { html, webAddress, type Html } from '../../lib/html.ts';
import type { Entry, EntryOf, RefusalReason, RunEnd } from '../../session/entry.ts';
import { indexJournal, type JournalIndex } from './journal-index.ts';
import { message } from './message.ts';
import { reply } from './reply.ts';
import { folded, longCode, longProse } from './text.ts';

export function story(entries: readonly Entry[]): Html[] {
  const index = indexJournal(entries);
  return entries.map((entry) => itemOf(entry, index)).filter((item) => item !== undefined);
}

function itemOf(entry: Entry, index: JournalIndex): Html | undefined {
  switch (entry.type) {
    case 'opened':
      return item(entry, '', note('Session opened', `for issue #${entry.issue}`));
    case 'received':
      return received(entry, index);
    case 'admitted':
    case 'call_started':
    case 'call_finished':
      return undefined;
    case 'refused':
      return item(entry, '', note('Not acted on:', REFUSALS[entry.reason]));
    case 'published':
      return published(entry);
    case 'run_started':
      return item(entry, '', note(`Run ${entry.run} started`));
    case 'run_prepared':
      return prepared(entry);
    case 'run_resumed':
      return item(entry, '', note(`Run ${entry.run} taken up again`, 'after an interruption'));
    case 'run_parked':
      return item(
        entry,
        '',
        note(`Run ${entry.run} waits`, `until ${entry.until}: ${entry.reason}`),
      );
    case 'input_taken':
      return item(
        entry,
        '',
        note(
          'The model reads what people said',
          folded(
            `input-${entry.seq}`,
            'Word for word',
            longCode(`input-all-${entry.seq}`, entry.text),
          ),
        ),
      );
    case 'reply':
      return item(entry, 'from-model', reply(entry, index));
    case 'run_ended':
      return runEnded(entry);
    default:
      return entry satisfies never;
  }
}

function item({ seq, at }: Entry, kind: string, content: Html): Html {
  const id = `entry-${seq}`;
  const shown = at.slice(11, 19);
  return html`<li class="${kind}" id="${id}" data-part>
    <time datetime="${at}" title="${at}"><a href="#${id}">${shown}</a></time
    >${content}
  </li>`;
}

const note = (words: string, more: Html | string = ''): Html =>
  html`<div class="note"><strong>${words}</strong> ${more}</div>`;

function received(entry: EntryOf<'received'>, index: JournalIndex): Html {
  const { intent, sender } = entry;
  switch (intent.kind) {
    case 'issue_closed':
      return item(entry, '', note('Issue closed', `by @${sender.login}`));
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
    case 'start':
    case 'comment':
    case 'review':
      return item(entry, 'from-person', message(entry, intent, index));
    default:
      return intent satisfies never;
  }
}

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  no_write: 'the person above has no write access to the repository',
  other_label: 'the label is another one',
  no_session: 'nobody who may has asked for work here',
  unreachable: 'GitHub does not let the App look any more',
};

function published(entry: EntryOf<'published'>): Html {
  const href = webAddress(entry.url);
  const words = html`<span class="mono">${entry.key}</span>`;
  const where = href === undefined ? words : html`<a href="${href}" rel="noreferrer">${words}</a>`;
  return item(entry, '', note('Published on GitHub:', where));
}

function prepared(entry: EntryOf<'run_prepared'>): Html {
  const { model, protocol, branch, baseBranch, baseCommit, instructions, seq } = entry;
  const facts = html`on <code>${branch}</code>, from <code>${baseCommit.slice(0, 7)}</code> of
    <code>${baseBranch}</code>, with <code>${model}</code> (${protocol})`;
  const exact = folded(
    `instructions-${seq}`,
    'The exact instructions',
    longCode(`instructions-all-${seq}`, instructions),
  );
  return item(entry, '', note('Workspace planned', html`${facts}${exact}`));
}

const ENDS: Readonly<Record<RunEnd['kind'], string>> = {
  asked: 'ended: it waits for an answer',
  finished: 'finished',
  limit: 'ended at a limit',
  failed: 'failed',
  stopped: 'stopped',
};

function runEnded(entry: EntryOf<'run_ended'>): Html {
  const { run, end, seq } = entry;
  const kind = end.kind === 'failed' || end.kind === 'limit' ? 'trouble' : '';
  const words = 'words' in end ? longProse(`end-${seq}`, end.words) : '';
  return item(
    entry,
    end.kind === 'finished' ? 'milestone' : kind,
    note(`Run ${run} ${ENDS[end.kind]}`, words),
  );
}
