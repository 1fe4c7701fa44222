import type { RanCommand } from '../../contracts/effect.ts';
import type { Session, TestRun } from '../session.ts';
import { sections, type Body } from './body.ts';
import { code } from './markdown.ts';
import { duration, plural } from './format.ts';

/** How a command ended, as observed: "exit code 0", "killed: time limit exceeded". */
export function outcomeOf({ exitCode, ended }: Pick<RanCommand, 'exitCode' | 'ended'>): string {
  return ended === 'exited' ? `exit code ${exitCode ?? 'unknown'}` : `killed: ${KILLED[ended]}`;
}

const KILLED: Readonly<Record<Exclude<RanCommand['ended'], 'exited'>, string>> = {
  timeout: 'time limit exceeded',
  memory: 'memory limit exceeded',
  disk: 'disk limit exceeded',
  output: 'output limit exceeded',
};

const hasPassed = ({ exitCode, ended, failed }: TestRun): boolean =>
  ended === 'exited' && exitCode === 0 && (failed ?? 0) === 0;

/** The test runs before and after the changes, as observed; empty if there were none. Markdown. */
export function testRuns({ tests, changedAt }: Session): Body {
  const last = tests.at(-1);
  if (last === undefined) return [];
  const before = tests.findLast(({ onChanges }) => !onChanges) ?? tests[0];
  const whole = tests.findLast(({ isPart, onChanges }) => !isPart && onChanges);
  const shown = [...new Set([before, whole, last])].filter((run) => run !== undefined);
  const lines = shown
    .toSorted((one, other) => one.seq - other.seq)
    .map((run) => `- ${moment(run, last)}: ${seen(run)}`);
  const isOld = last.seq < changedAt;
  return sections(
    `**Tests** (run ${plural(tests.length, 'time')})`,
    lines.join('\n'),
    isOld ? OLD : '',
  );
}

const OLD =
  '⚠️ Files changed after the last of these runs, so it does not show whether the tests pass now.';

function moment(run: TestRun, last: TestRun): string {
  if (!run.onChanges) return 'before any change';
  return run === last ? 'last run, with the changes' : 'earlier run, with changes';
}

function seen(run: TestRun): string {
  const counts = [
    ...(run.failed === null ? [] : [`${run.failed} failed`]),
    ...(run.passed === null ? [] : [`${run.passed} passed`]),
  ].join(', ');
  const facts = [outcomeOf(run), ...(counts === '' ? [] : [counts]), duration(run.took)].join(', ');
  const part = run.isPart ? ' (only some of the tests)' : '';
  return `${hasPassed(run) ? '✅ **passed**' : '❌ **failed**'} (${facts}), ${code(run.command)}${part}`;
}

/** The last commands the agent ran, and how each ended. Markdown. */
export function commandsRun({ commands: { count, last } }: Session): string {
  if (count === 0) return '**Commands run**: none';
  const lines = last.map((command) => `- ${code(command.command)}: ${outcomeOf(command)}`);
  const left = count - last.length;
  const earlier = left > 0 ? [`- … ${left} earlier`] : [];
  return `**Commands run** (${count})\n\n${[...earlier, ...lines].join('\n')}`;
}
