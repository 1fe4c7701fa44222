import { reasonOf } from '../../lib/reason.ts';
import type { CommandContext } from '../command.ts';
import { APP_CHECKS } from './app-checks.ts';
import {
  examinationOf,
  NotExamined,
  type DoctorCheck,
  type DoctorFinding,
  type Examination,
  type FindingState,
} from './examination.ts';
import { MACHINE_CHECKS } from './machine-checks.ts';
import { MODEL_CHECKS } from './model-checks.ts';
import { PROOF_CHECKS, SETTINGS_CHECKS } from './settings-checks.ts';
import { REPOSITORY_CHECKS } from './repository-checks.ts';
import { WEBHOOK_CHECKS } from './webhook-checks.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import type { TextRedactor } from '../../lib/text/redact.ts';

/** In the order of the report: what others depend on comes first. */
const CHECKS: readonly DoctorCheck[] = [
  ...SETTINGS_CHECKS,
  ...MACHINE_CHECKS,
  ...APP_CHECKS,
  ...WEBHOOK_CHECKS,
  ...REPOSITORY_CHECKS,
  ...MODEL_CHECKS,
  ...PROOF_CHECKS,
];

/** Carries out all checks, and prints what they found. Resolves with the exit code. */
export async function reportChecks({
  environment,
  options,
  print,
}: CommandContext): Promise<number> {
  const examination = examinationOf(environment);
  const reported: ReportedFinding[] = [];
  const said = new Set<string>();
  const underWay = CHECKS.map((check) => ({
    name: check.name,
    found: carryOut(check, examination),
  }));
  for (const { name, found } of underWay) {
    const findings = options['fix'] === true ? await fixed(await found) : await found;
    const some = findings.map((one) => ({ check: name, ...inWords(one, examination.redactor) }));
    reported.push(...some);
    if (options['json'] === true) continue;
    const shown = some.filter(({ state }) => state !== 'skipped');
    for (const one of withCureOnce(shown, said)) print(lineOf(one, WIDEST));
  }
  if (options['json'] !== true) for (const line of skippedLines(reported)) print(line);
  const isWell = !reported.some(({ state }) => state === 'fault');
  print(
    options['json'] === true
      ? JSON.stringify({ ok: isWell, findings: reported }, undefined, 2)
      : `\n${summaryOf(reported)}`,
  );
  return isWell ? 0 : 1;
}

/** Never throws. */
async function carryOut(
  check: DoctorCheck,
  examination: Examination,
): Promise<readonly DoctorFinding[]> {
  try {
    const found = await check.look(examination);
    return 'state' in found ? [found] : found;
  } catch (error) {
    if (error instanceof NotExamined)
      return [{ state: 'skipped', text: `Not checked: ${error.message}.` }];
    return [{ state: 'fault', text: sentence(reasonOf(error)), cure: `${check.cure}.` }];
  }
}

/** What could not be fixed stays as it was found, with the reason. */
async function fixed(found: readonly DoctorFinding[]): Promise<readonly DoctorFinding[]> {
  const after: DoctorFinding[] = [];
  for (const one of found) {
    if (one.fix === undefined) after.push(one);
    else
      try {
        after.push({ state: 'fixed', text: await one.fix() });
      } catch (error) {
        const why = `It cannot be fixed from here: ${sentence(reasonOf(error))}`;
        after.push({ ...one, text: `${one.text} ${why}` });
      }
  }
  return after;
}

/** A cure that several findings share stands behind the last one of a check, and only once in a report. */
function withCureOnce(
  findings: readonly ReportedFinding[],
  said: Set<string>,
): readonly ReportedFinding[] {
  return findings.map(({ cure, ...one }, at) => {
    if (cure === undefined || findings.slice(at + 1).some((later) => later.cure === cure))
      return one;
    if (said.has(cure)) return { ...one, cure: '(as above)' };
    said.add(cure);
    return { ...one, cure };
  });
}

/** A line for each reason: on a terminal, the fault behind them is not pushed out of sight. */
function skippedLines(reported: readonly ReportedFinding[]): readonly string[] {
  const checks = new Map<string, string[]>();
  for (const { state, check, text } of reported)
    if (state === 'skipped') checks.set(text, [...(checks.get(text) ?? []), check]);
  return [...checks].map(([text, names]) =>
    lineOf({ state: 'skipped', check: names.join(', '), text }, WIDEST),
  );
}

const WIDEST = Math.max(...CHECKS.map(({ name }) => name.length));

// Findings as lines of a report.

export interface ReportedFinding extends Omit<DoctorFinding, 'fix'> {
  readonly check: string;
}

/** GitHub and model servers write a part of the texts. */
export function inWords(
  { state, text, cure }: DoctorFinding,
  redactor: TextRedactor,
): Omit<ReportedFinding, 'check'> {
  const safe = (words: string): string =>
    escapeUnseen(redactor.redact(words).replaceAll(/\s+/g, ' ').trim());
  return { state, text: safe(text), ...(cure === undefined ? {} : { cure: safe(cure) }) };
}

export const sentence = (words: string): string => words.replace(/\.?$/, '.');

const MARKS: Readonly<Record<FindingState, string>> = {
  ok: 'ok     ',
  hint: 'hint   ',
  warning: 'WARNING',
  fault: 'FAULT  ',
  skipped: '-      ',
  fixed: 'fixed  ',
};

/** `widest`: the longest name of a check. */
export function lineOf({ state, check, text, cure }: ReportedFinding, widest: number): string {
  const line = `${MARKS[state]} ${check.padEnd(widest)} ${text}`;
  return cure === undefined ? line : `${line} → ${cure}`;
}

export function summaryOf(report: readonly Pick<DoctorFinding, 'state'>[]): string {
  const count = (state: FindingState): number => report.filter((one) => one.state === state).length;
  const [faults, warnings, skipped] = [count('fault'), count('warning'), count('skipped')];
  const hints = count('hint') === 0 ? '' : ` Hints: ${count('hint')}.`;
  if (faults + warnings + skipped === 0) return `All is well.${hints}`;
  return `Faults: ${faults}. Warnings: ${warnings}. Not checked: ${skipped}.${hints}`;
}
