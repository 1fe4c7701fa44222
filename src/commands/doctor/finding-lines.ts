// Findings as lines of a report.
import { escapeUnseen } from '../../lib/text/invisible.ts';
import type { Redactor } from '../../lib/text/redact.ts';
import type { DoctorFinding, FindingState } from './examination.ts';

export interface Reported extends DoctorFinding {
  readonly check: string;
}

/** GitHub and model servers write a part of the texts. */
export function inWords(
  { text, cure, ...rest }: DoctorFinding,
  redactor: Pick<Redactor, 'redact'>,
): DoctorFinding {
  const safe = (words: string): string =>
    escapeUnseen(redactor.redact(words).replaceAll(/\s+/g, ' ').trim());
  return { ...rest, text: safe(text), ...(cure === undefined ? {} : { cure: safe(cure) }) };
}

export const sentence = (words: string): string => words.replace(/\.?$/, '.');

const MARKS: Readonly<Record<FindingState, string>> = {
  ok: 'ok     ',
  warning: 'WARNING',
  fault: 'FAULT  ',
  skipped: '-      ',
};

/** `widest`: the longest name of a check. */
export const lineOf = ({ state, check, text, cure }: Reported, widest: number): string =>
  [MARKS[state], check.padEnd(widest), text, ...(cure === undefined ? [] : [`→ ${cure}`])].join(
    ' ',
  );

export function summaryOf(report: readonly Pick<DoctorFinding, 'state'>[]): string {
  const count = (state: FindingState): number => report.filter((one) => one.state === state).length;
  const [faults, warnings, skipped] = [count('fault'), count('warning'), count('skipped')];
  if (faults + warnings + skipped === 0) return 'All is well.';
  return `Faults: ${faults}. Warnings: ${warnings}. Not checked: ${skipped}.`;
}
