import { reasonOf } from '../../lib/reason.ts';
import type { CommandContext } from '../command.ts';
import { APP_CHECKS } from './app-checks.ts';
import { examinationOf, NotExamined } from './examination.ts';
import type { DoctorCheck, Examination, DoctorFinding } from './examination.ts';
import { inWords, lineOf, sentence, summaryOf, type Reported } from './finding-lines.ts';
import { MACHINE_CHECKS } from './machine-checks.ts';
import { MODEL_CHECKS } from './model-checks.ts';
import { PROOF_CHECKS } from './proof-checks.ts';
import { REPOSITORY_CHECKS } from './repository-checks.ts';
import { SETTINGS_CHECKS } from './settings-checks.ts';
import { WEBHOOK_CHECKS } from './webhook-checks.ts';

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
  const reported: Reported[] = [];
  const underWay = CHECKS.map((check) => ({
    name: check.name,
    found: carryOut(check, examination),
  }));
  for (const { name, found } of underWay)
    for (const finding of await found) {
      const one = { check: name, ...inWords(finding, examination.redactor) };
      reported.push(one);
      if (options['json'] !== true) print(lineOf(one, WIDEST));
    }
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

const WIDEST = Math.max(...CHECKS.map(({ name }) => name.length));
