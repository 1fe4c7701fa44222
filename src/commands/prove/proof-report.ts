// What people read of a proof: a line for each belief, and a report that may be published.
import { escapeUnseen } from '../../lib/text/invisible.ts';
import type { Terminal } from '../command.ts';
import { packageVersion } from '../package-version.ts';
import type { Verdict } from './verdicts.ts';

const MARKS: Readonly<Record<Verdict['state'], string>> = {
  holds: '✓',
  wrong: '✗',
  'not asked': '–',
};

/** `201 POST /repos/…`, with GitHub's message if it sent one. */
const rawAnswer = ({ answer }: Verdict): string => {
  if (answer === undefined) return '';
  const isFine = answer.status > 0 && answer.status < 300;
  const said = isFine || answer.message === '' ? '' : ` "${answer.message}"`;
  const status = answer.status === 0 ? 'no answer' : String(answer.status);
  return `${answer.request} → ${status}${said}`;
};

export function lineFor(verdict: Verdict, { paint }: Pick<Terminal, 'paint'>): string {
  const { belief, state, why } = verdict;
  const mark = MARKS[state];
  const painted = state === 'not asked' ? mark : paint(state === 'holds' ? 'green' : 'red', mark);
  const reason = why === '' ? '' : `\n    ${escapeUnseen(why)}`;
  const raw = rawAnswer(verdict);
  const shown = raw === '' ? '' : `\n    ${paint('dim', escapeUnseen(raw))}`;
  return `${painted} ${belief.id}: ${belief.says}${reason}${shown}`;
}

export interface ReportFacts {
  readonly verdicts: readonly Verdict[];
  /** What is told of the circumstances, in lines. */
  readonly about: readonly string[];
  /** Names that are private, by what stands for them. */
  readonly names: ReadonlyMap<string, string>;
  readonly redact: (text: string) => string;
}

/** In Markdown. It has no secret and no private name. */
export function reportOf({ verdicts, about, names, redact }: ReportFacts): string {
  const rows = verdicts.map((verdict) => {
    const { belief, state, why } = verdict;
    // Of what others wrote; a name may be a word that is ours, too.
    const heard = [why, rawAnswer(verdict)].map((text) => withoutNames(redact(text), names));
    const more = state === 'holds' ? [] : [...heard, `source: ${belief.source}`];
    const lines = more.filter((line) => line !== '').map((line) => `\n  - ${oneLine(line)}`);
    return `- ${MARKS[state]} \`${belief.id}\` ${belief.says}${lines.join('')}`;
  });
  const head = [`issuewright ${packageVersion()} prove`, ...about].map((line) => `- ${line}`);
  return escapeUnseen([...head, '', ...rows].join('\n'));
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Longer names first: one may be a part of another. */
export function withoutNames(text: string, names: ReadonlyMap<string, string>): string {
  const longestFirst = [...names].toSorted(([one], [other]) => other.length - one.length);
  return longestFirst.reduce((left, [name, placeholder]) => {
    const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const alone = new RegExp(String.raw`(?<![\w-])${escaped}(?![\w-])`, 'gi');
    return left.replaceAll(alone, placeholder);
  }, text);
}
