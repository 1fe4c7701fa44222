import type { RanCommand } from '../../contracts/effect.ts';
import type { Session, TestRun } from '../session.ts';
import { code, sections } from './markdown.ts';
import { duration, plural } from './words.ts';

/** What became of a command, as observed: "exit code 0", "killed: it took too long". */
export function outcomeOf({ exitCode, ended }: Pick<RanCommand, 'exitCode' | 'ended'>): string {
  return ended === 'exited' ? `exit code ${exitCode ?? 'unknown'}` : `killed: ${KILLED[ended]}`;
}

const KILLED: Readonly<Record<Exclude<RanCommand['ended'], 'exited'>, string>> = {
  timeout: 'it took too long',
  memory: 'it took too much memory',
  disk: 'it took too much disk',
  output: 'it put out too much',
};

const hasPassed = ({ exitCode, ended, failed }: TestRun): boolean =>
  ended === 'exited' && exitCode === 0 && (failed ?? 0) === 0;

/** The tests before and after, each as it was seen to run; empty where none were run. Markdown. */
export function testRuns({ tests, changedAt }: Session): string {
  const last = tests.at(-1);
  if (last === undefined) return '';
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
  '⚠️ Files were changed after the last of these runs: it does not say whether the tests pass now.';

function moment(run: TestRun, last: TestRun): string {
  if (!run.onChanges) return 'before any change';
  return run === last ? 'last run, with the changes' : 'earlier, with changes';
}

function seen(run: TestRun): string {
  const counts = [
    ...(run.failed === null ? [] : [`${run.failed} failed`]),
    ...(run.passed === null ? [] : [`${run.passed} passed`]),
  ].join(', ');
  const facts = [outcomeOf(run), ...(counts === '' ? [] : [counts]), duration(run.took)].join(', ');
  const part = run.isPart ? ', some of the tests only' : '';
  return `${hasPassed(run) ? '✅ **passed**' : '❌ **failed**'} (${facts}), ${code(run.command)}${part}`;
}

/** The last commands that the agent ran, and how each ended. Markdown. */
export function commandsRun({ commands: { count, last } }: Session): string {
  if (count === 0) return '**Commands run**: none';
  const lines = last.map((command) => `- ${code(command.command)}: ${outcomeOf(command)}`);
  const left = count - last.length;
  const earlier = left > 0 ? [`- … ${left} earlier`] : [];
  return `**Commands run** (${count})\n\n${[...earlier, ...lines].join('\n')}`;
}
