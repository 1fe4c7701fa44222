// What was read of the checks, with all that the model may be given of it.
import { html, type Html } from '../../lib/text/html.ts';
import type { FailedCheck } from '../../contracts/checks.ts';
import type { EntryOf } from '../../session/entry.ts';
import { plural } from '../../session/texts/format.ts';
import { item, note } from './layout.ts';

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

export function checksItem(entry: EntryOf<'checks_read'>): Html {
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
