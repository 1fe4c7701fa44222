import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { cutMiddle } from '../../lib/text/text.ts';
import { brief, seconds } from '../arguments.ts';
import { requireAllowed } from './allowed-commands.ts';
import { effectsOf, firstLine, ran, remarks } from './command-report.ts';
import { failingTests } from './failing-tests.ts';
import { findTests, runnerWithScript } from './find-tests.ts';
import { missingRunner } from './missing-runner.ts';
import { lastPart, plainOutput } from './plain-output.ts';
import { readTestOutput, type TestResults } from './test-output.ts';
import { commandFor } from './test-runners.ts';

const DEFAULT_SECONDS = 300;
const MAX_FILTER = 300;
/** Characters of output that are read: more than a shell keeps, as failures may be reported in the middle. */
const MAX_READ = 1024 * 1024;
const MAX_FAILURES = 10_000;
const MAX_FAILURE = 2_500;
const MAX_LAST_LINES = 4_000;

const schema = z.object({
  filter: z
    .string()
    .max(MAX_FILTER)
    .optional()
    .describe('A test file or test name; all tests by default'),
  timeout: seconds().optional().describe('In seconds, at most 300'),
});

export const runTests = defineTool({
  name: 'run_tests',
  aliases: [],
  description:
    'Runs all or some of the tests and returns how many passed and failed, with the failures first.',
  arguments: schema,
  argumentAliases: {
    path: 'filter',
    test_name: 'filter',
    test: 'filter',
    name: 'filter',
    file: 'filter',
    pattern: 'filter',
    timeout_seconds: 'timeout',
  },
  safety: 'dangerous',
  example: { filter: 'test/duration.test.js' },
  rendering: { arguments: { filter: 'path' }, output: 'plain' },
  title: ({ filter = '' }) => (filter === '' ? 'Run the tests' : `Run the tests: ${brief(filter)}`),
  run: async (
    { filter, timeout },
    ports: Needs<'commands' | 'files' | 'git' | 'work'>,
    { signal, progress },
  ) => {
    const { commands } = ports;
    const command = await commandOf(ports, filter);
    const onChanges = await holdsChanges(ports);
    let heard = '';
    const report = await commands.run({
      command,
      directory: '',
      timeoutMs: 1000 * (timeout ?? commands.settings.timeout ?? DEFAULT_SECONDS),
      signal,
      onOutput: (more) => {
        heard += more;
        // Cut rarely: most parts are small.
        if (heard.length > 2 * MAX_READ) heard = cutMiddle(heard, MAX_READ);
        progress?.(more);
      },
    });
    const { done } = report;
    const text = plainOutput(cutMiddle(heard, MAX_READ)).trimEnd();
    const results = readTestOutput(command.includes(NODE_BY_NAME) ? withoutFiles(text) : text);
    const isPartial = filter !== undefined && filter.trim() !== '';
    const { failed = null, passed = null } = results ?? {};
    const ranNone = isPartial && failed === 0 && passed === 0;
    const failing = failingTests(done, text, results);
    const counted = { failed, passed, ...(failing === undefined ? {} : { failing }) };
    const run = { ...ran(command, done), ...counted, isPartial, onChanges };
    const missing = missingRunner(command, done, text);
    const head = `${JSON.stringify(command)}: ${firstLine(done)}${counts(results)}${ranNone ? RAN_NONE : ''}`;
    return {
      output: [
        head,
        ...(missing === undefined ? [] : [missing]),
        ...remarks(report),
        ...details(text, results, done.exitCode === 0 && !ranNone),
      ].join('\n'),
      ok: done.exitCode === 0 && (failed ?? 0) === 0 && !ranNone,
      effects: effectsOf(report, { type: 'tests', ...run }),
    };
  },
});

const RAN_NONE = ' No test ran: none has this name or is in this file.';
const NODE_BY_NAME = '--test-name-pattern=';

/** Node reports a file as passed if the name is that of none of its tests. */
function withoutFiles(text: string): string {
  const files = text.match(/^✔ \S+\.[cm]?[jt]sx? \(.*\)$/gm)?.length ?? 0;
  return text.replaceAll(/^ℹ pass (\d+)$/gm, (_, passed) => `ℹ pass ${Number(passed) - files}`);
}

/** A test command from the settings may be any command; one that we found must be an allowed one. */
async function commandOf(
  { commands, files }: Needs<'commands' | 'files'>,
  filter: string | undefined,
): Promise<string> {
  const { test, allow } = commands.settings;
  if (test !== undefined) return commandFor(await runnerWithScript(files, test), filter);
  const command = commandFor(await findTests(files), filter);
  requireAllowed(command, allow);
  return command;
}

const holdsChanges = async ({ git, work }: Needs<'git' | 'work'>): Promise<boolean> =>
  work.hasCommits() || (await git.changes()).length > 0;

function counts(results: TestResults | undefined): string {
  if (results === undefined) return '';
  const { failed, passed } = results;
  const words = [
    ...(failed === null ? [] : [`${failed} failed`]),
    ...(passed === null ? [] : [`${passed} passed`]),
  ];
  return words.length === 0 ? '' : ` ${words.join(', ')}.`;
}

/** Nothing if all passed; the failures, each cut; the last lines of the output if these do not tell everything. */
function details(text: string, results: TestResults | undefined, succeeded: boolean): string[] {
  if (succeeded && results?.failed === 0) return [];
  const failures = (results?.failures ?? []).map((failure) => cut(failure));
  const shown: string[] = [];
  let room = MAX_FAILURES;
  for (const failure of failures) {
    if (failure.length > room) break;
    shown.push(failure);
    room -= failure.length;
  }
  const left = failures.length - shown.length;
  const last = lastPart(text, MAX_LAST_LINES) || '(no output)';
  if (shown.length === 0) return [last];
  return [
    '\nFailures:\n',
    shown.join('\n\n'),
    ...(left > 0 ? [`\n… and ${left} more`] : []),
    ...(failures.length >= (results?.failed ?? Infinity)
      ? []
      : ['\nThe end of the output:\n', lastPart(text, Math.floor(MAX_LAST_LINES / 4))]),
  ];
}

const cut = (failure: string): string =>
  failure.length <= MAX_FAILURE
    ? failure
    : `${failure.slice(0, MAX_FAILURE)}\n… (cut)`.toWellFormed();
