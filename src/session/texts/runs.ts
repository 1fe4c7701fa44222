// What people read of what ran in a workspace: commands, tests, and what the cache of dependencies was used for.
import type { CommandRun } from '../../contracts/effect.ts';
import type { Call } from '../../contracts/model.ts';
import type { Session } from '../session.ts';
import { hasPassed, type ObservedTests, type TestRun } from '../parts/session-work.ts';
import { code, details, plainBody, sections, type Body } from './markdown.ts';
import { plural } from './format.ts';

/** How a command ended, as observed: "exit code 0", "killed: time limit exceeded". */
export function exitWords({ exitCode, ended }: Pick<CommandRun, 'exitCode' | 'ended'>): string {
  return ended === 'exited' ? `exit code ${exitCode ?? 'unknown'}` : `killed: ${KILLED[ended]}`;
}

const KILLED: Readonly<Record<Exclude<CommandRun['ended'], 'exited'>, string>> = {
  timeout: 'time limit exceeded',
  memory: 'memory limit exceeded',
  disk: 'disk limit exceeded',
  output: 'output limit exceeded',
};

/** A call that was not run, and so has no title: "edit_file src/a.ts". */
export function callName({ tool, arguments: given }: Call): string {
  const { path } = Object(given) as { readonly path?: unknown };
  return typeof path === 'string' ? `${tool} ${path.slice(0, LONGEST_PATH)}` : tool;
}

const LONGEST_PATH = 200;

/** The tests before and after the changes, as observed. Markdown. */
export function testRuns(session: Session): Body {
  const { tests, changedSinceTests } = session.work;
  const last = tests.at(-1);
  if (session.work.observed.count === 0 && last === undefined) return ['**Tests**: none ran'];
  if (last === undefined) return [`**Tests**\n\n${testsObserved(session)}`];
  const before = tests.findLast(({ onChanges }) => !onChanges) ?? tests[0];
  const whole = tests.findLast(({ isPartial, onChanges }) => !isPartial && onChanges);
  const shown = [...new Set([before, whole, last])].filter((run) => run !== undefined);
  const lines = shown
    .toSorted((one, other) => tests.indexOf(one) - tests.indexOf(other))
    .map((run) => `- ${run.onChanges ? 'After' : 'Before'} the changes: ${seen(run)}`);
  const each = [...new Set(lines)];
  return sections(`**Tests**\n\n${each.join('\n')}`, changedSinceTests === 'code' ? OLD : '');
}

const OLD = '⚠️ Files changed after the last run.';

function seen(run: TestRun): string {
  const part = run.isPartial ? ' (only some of the tests)' : '';
  return `${hasPassed(run) ? '✅' : '❌'} ${resultOf(run)}, ${code(run.command)}${part}`;
}

/** The counts say enough if there are any, and the exit code otherwise. */
function resultOf(run: TestRun): string {
  const { failed, passed } = run;
  if (hasPassed(run)) return passed === null ? 'passed' : `${passed} passed`;
  return failed === null || failed === 0 ? outcomeWith(run) : testCounts(run).join(', ');
}

/** What a reviewer of the change is told of its tests: what ran any, in order. Markdown. */
export function testsObserved({ work: { observed } }: Session): string {
  const { count, last } = observed;
  const lines = last.map((run) => `- ${observedLine(run)}; ${when(run)}`);
  const left = count - last.length;
  const earlier = left > 0 ? [`- … ${left} earlier`] : [];
  const head =
    last.every(({ notRun }) => notRun !== undefined) && left === 0
      ? 'No test runner was seen to run. Other checks are not listed.'
      : '';
  return plainBody(sections(head, [...earlier, ...lines].join('\n')));
}

function observedLine(run: ObservedTests): string {
  const { command, notRun, asked } = run;
  if (notRun !== undefined) {
    const said = notRun === '' ? `nothing (${exitWords(run)})` : code(notRun);
    return `Tried, could not run: ${code(command)} said ${said}`;
  }
  const part = asked?.isPartial === true ? ' (only some of the tests)' : '';
  return `${code(command)}${part}: ${testsOutcome(run)}`;
}

/** Where a command line is more than its tests, its exit code may be that of another program. */
function testsOutcome(run: ObservedTests): string {
  const { ended, failed, asked } = run;
  const says = ended === 'exited' && asked === undefined && typeof failed === 'number';
  return (says ? testCounts(run) : [outcomeWith(run)]).join(', ');
}

function when({ isOutdated, asked }: ObservedTests): string {
  if (asked?.onChanges === false) return 'before the changes';
  return isOutdated ? 'before the last edit' : 'after the last edit';
}

/** With the tests that failed and passed, if the command ran some. */
const outcomeWith = (run: CommandRun): string => [exitWords(run), ...testCounts(run)].join(', ');

/** "1 failed" and "2 passed", as far as they were counted. */
export function testCounts({ failed, passed }: CommandRun): readonly string[] {
  return [
    ...(typeof failed === 'number' ? [`${failed} failed`] : []),
    ...(typeof passed === 'number' ? [`${passed} passed`] : []),
  ];
}

/** The last commands the agent ran, and how each ended, folded; equal ones once, where they ran last. Empty if there were none. Markdown. */
export function commandsRun({
  work: {
    commands: { count, last },
  },
}: Session): Body {
  if (count === 0) return [];
  const times = new Map<string, number>();
  for (const command of last) {
    const line = `- ${code(command.command)}: ${outcomeWith(command)}`;
    const before = times.get(line) ?? 0;
    times.delete(line);
    times.set(line, before + 1);
  }
  const lines = [...times].map(([line, ran]) => (ran === 1 ? line : `${line} (${ran} times)`));
  const left = count - last.length;
  const earlier = left > 0 ? [`- … ${left} earlier`] : [];
  return details(plural(count, 'command'), [...earlier, ...lines].join('\n'));
}
