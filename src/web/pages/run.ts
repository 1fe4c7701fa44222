// What the service itself does in a run: how it is set up, what it tells the model, how it ends.
import { html, type Html } from '../../lib/html.ts';
import type { ProtocolName, RunEnd } from '../../contracts/entries.ts';
import type { EntryOf, RunMode, ShellKind } from '../../session/entries/entry.ts';
import { spending } from '../../session/texts/words.ts';
import { effect } from './effect.ts';
import { item, note } from './item.ts';
import { folded, longCode, longProse } from './text.ts';

type RunEntry = EntryOf<
  | 'run_started'
  | 'run_prepared'
  | 'run_resumed'
  | 'run_parked'
  | 'run_paused'
  | 'input_taken'
  | 'notice'
  | 'protocol_changed'
  | 'compacted'
  | 'work_kept'
  | 'run_ended'
>;

export function runItem(entry: RunEntry): Html {
  switch (entry.type) {
    case 'run_started':
      return item(entry, '', note(`Run ${entry.run} started`));
    case 'run_prepared':
      return prepared(entry);
    case 'run_resumed':
      return item(entry, '', note(`Run ${entry.run} taken up again`, 'after an interruption'));
    case 'run_parked': {
      const why = `until ${entry.until}: ${entry.reason}`;
      return item(entry, '', note(`Run ${entry.run} waits`, why));
    }
    case 'run_paused':
      return item(entry, '', note(`Run ${entry.run} paused`));
    case 'input_taken': {
      const text = longCode(`input-all-${entry.seq}`, entry.text);
      const said = folded(`input-${entry.seq}`, 'Word for word', text);
      return item(entry, '', note('The model reads what people said', said));
    }
    case 'notice':
      return notice(entry);
    case 'protocol_changed':
      return protocolChanged(entry);
    case 'compacted':
      return compacted(entry);
    case 'work_kept':
      return workKept(entry);
    case 'run_ended':
      return runEnded(entry);
    default:
      return entry satisfies never;
  }
}

const PROTOCOLS: Readonly<Record<ProtocolName, string>> = {
  native: 'native tool calling',
  json: 'tools called in JSON',
  react: 'tools called by ReAct',
  none: 'no tools',
};

const MODES: Readonly<Record<RunMode, string>> = {
  agent: 'until the work is finished or a question is open',
  single: 'for one reply and what it asks for',
  completion: 'for one answer in words',
};

const SHELLS: Readonly<Record<ShellKind, string>> = {
  contained: 'Commands run in the sandbox.',
  unsafe: 'Commands are NOT contained: the operator set SANDBOX=unsafe.',
};

function prepared(entry: EntryOf<'run_prepared'>): Html {
  const { model, destination, protocol, mode, branch, baseBranch, baseCommit } = entry;
  const facts = html`on <code>${branch}</code>, from <code>${baseCommit.slice(0, 7)}</code> of
    <code>${baseBranch}</code>, with <code>${model}</code> (${PROTOCOLS[protocol]}), ${MODES[mode]}.
    Code and comments go to
    ${destination}.${entry.shell === undefined ? '' : ` ${SHELLS[entry.shell]}`}`;
  return item(
    entry,
    '',
    note('Run prepared', html`${facts}${warnings(entry)}${instructions(entry)}`),
  );
}

function warnings({ seq, warnings: lines = [] }: EntryOf<'run_prepared'>): Html {
  if (lines.length === 0) return html``;
  return longProse(`warnings-${seq}`, `Not all settings are followed.\n${lines.join('\n')}`);
}

const instructions = ({ seq, instructions: text }: EntryOf<'run_prepared' | 'protocol_changed'>) =>
  folded(
    `instructions-${seq}`,
    'The exact instructions',
    longCode(`instructions-all-${seq}`, text),
  );

function protocolChanged(entry: EntryOf<'protocol_changed'>): Html {
  const { seq, protocol, reason } = entry;
  const now = html`now: ${PROTOCOLS[protocol]}.${longProse(`reason-${seq}`, reason)}`;
  return item(entry, '', note('Protocol changed,', html`${now}${instructions(entry)}`));
}

/** Longer ones are folded away. */
const SHORT_NOTICE = 300;

function notice(entry: EntryOf<'notice'>): Html {
  const { seq, topic, text } = entry;
  const about = html`<span class="mono">${topic}</span>`;
  const said =
    text.length <= SHORT_NOTICE
      ? longProse(`notice-${seq}`, text)
      : folded(`notice-${seq}`, 'Word for word', longCode(`notice-all-${seq}`, text));
  return item(entry, '', note('The service tells the model:', html`${about}${said}`));
}

function compacted(entry: EntryOf<'compacted'>): Html {
  const { seq, upTo, summary } = entry;
  const where = html`up to <a href="#entry-${upTo}">entry ${upTo}</a>, but for the first message`;
  if (summary === null) return item(entry, '', note('Older messages dropped', where));
  const text = folded(`summary-${seq}`, 'The summary', longCode(`summary-all-${seq}`, summary));
  const spent = html`<div class="faint">${spending(entry)}</div>`;
  return item(entry, '', note('Older messages summarised', html`${where}${spent}${text}`));
}

function workKept(entry: EntryOf<'work_kept'>): Html {
  if (entry.effects.length === 0) return item(entry, '', note('No uncommitted work to keep'));
  const effects = html`<div class="kept">${entry.effects.map(effect)}</div>`;
  return item(entry, '', note('What was not committed is kept', effects));
}

const ENDS: Readonly<Record<RunEnd['kind'], string>> = {
  asked: 'ended: it waits for an answer',
  finished: 'finished',
  answered: 'ended with an answer',
  limit: 'ended at a limit',
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
  const words = 'words' in end ? longProse(`end-${seq}`, end.words) : '';
  return item(entry, TONES[end.kind], note(`Run ${run} ${ENDS[end.kind]}`, words));
}
