import type { CommandRun } from '../../contracts/effect.ts';
import type { Session } from '../session.ts';
import { hasPassed, type TestRun } from '../parts/session-work.ts';
import { sections, textOf, type Body } from './body.ts';
import { code } from './markdown.ts';
import { duration, plural } from './format.ts';

/** How a command ended, as observed: "exit code 0", "killed: time limit exceeded". */
export function outcomeOf({ exitCode, ended }: Pick<CommandRun, 'exitCode' | 'ended'>): string {
  return ended === 'exited' ? `exit code ${exitCode ?? 'unknown'}` : `killed: ${KILLED[ended]}`;
}

const KILLED: Readonly<Record<Exclude<CommandRun['ended'], 'exited'>, string>> = {
  timeout: 'time limit exceeded',
  memory: 'memory limit exceeded',
  disk: 'disk limit exceeded',
  output: 'output limit exceeded',
};

/** The test runs before and after the changes, as observed; empty if there were none. Markdown. */
export function testRuns({ work: { tests, changedSinceTests } }: Session): Body {
  const last = tests.at(-1);
  if (last === undefined) return [];
  const before = tests.findLast(({ onChanges }) => !onChanges) ?? tests[0];
  const whole = tests.findLast(({ isPartial, onChanges }) => !isPartial && onChanges);
  const shown = [...new Set([before, whole, last])].filter((run) => run !== undefined);
  const lines = shown
    .toSorted((one, other) => tests.indexOf(one) - tests.indexOf(other))
    .map((run) => `- ${moment(run, last)}: ${seen(run)}`);
  return sections(
    `**Tests** (run ${plural(tests.length, 'time')})`,
    lines.join('\n'),
    changedSinceTests ? OLD : '',
  );
}

const OLD = '⚠️ Files have changed since the last run, so these results may be out of date.';

function moment(run: TestRun, last: TestRun): string {
  if (!run.onChanges) return 'before the changes';
  return run === last ? 'last run' : 'earlier run';
}

function seen(run: TestRun): string {
  const facts = [outcomeWith(run), duration(run.durationMs)].join(', ');
  const part = run.isPartial ? ' (only some of the tests)' : '';
  return `${hasPassed(run) ? '✅ **passed**' : '❌ **failed**'} (${facts}), ${code(run.command)}${part}`;
}

/** What a reviewer of the change is told of its tests. Markdown. */
export function testsObserved(session: Session): string {
  const others = session.work.commands.last.filter(
    ({ command, failed }) => failed !== undefined && !isTestRun(session, command),
  );
  const lines = others.map((run) => `- ${code(run.command)}: ${outcomeWith(run)}`);
  return textOf(sections(testRuns(session), lines.join('\n'))) || 'None ran.';
}

const isTestRun = ({ work: { tests } }: Session, command: string): boolean =>
  tests.some((run) => run.command === command);

/** With the tests that failed and passed, if the command ran some. */
const outcomeWith = (run: CommandRun): string => [outcomeOf(run), ...countsOf(run)].join(', ');

function countsOf({ failed, passed }: CommandRun): readonly string[] {
  return [
    ...(typeof failed === 'number' ? [`${failed} failed`] : []),
    ...(typeof passed === 'number' ? [`${passed} passed`] : []),
  ];
}

/** The last commands the agent ran, and how each ended. Markdown. */
export function commandsRun({
  work: {
    commands: { count, last },
  },
}: Session): string {
  if (count === 0) return '**Commands run**: none';
  const lines = last.map((command) => `- ${code(command.command)}: ${outcomeWith(command)}`);
  const left = count - last.length;
  const earlier = left > 0 ? [`- … ${left} earlier`] : [];
  return `**Commands run** (${count})\n\n${[...earlier, ...lines].join('\n')}`;
}
