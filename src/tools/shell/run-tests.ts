import { z } from 'zod';
import type { CommandRun, Effect } from '../../contracts/effect.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { defineTool, type Needs } from '../define-tool.ts';
import { brief, seconds } from '../arguments.ts';
import { requireAllowed } from './allowed-commands.ts';
import { effectsOf, firstLine, keptRemark, ran, remarks, timeoutRemark } from './command-report.ts';
import { failingTests } from './failing-tests.ts';
import { findTests, runnerWithScript } from './find-tests.ts';
import { missingRunner } from './missing-runner.ts';
import { HeardOutput } from './heard-output.ts';
import { readTestOutput } from './test-output.ts';
import { counts, details } from './test-report.ts';
import { commandFor } from './test-runners.ts';

const MAX_FILTER = 300;
/** The operator's limit is what counts. */
const MOST_SECONDS = 100_000;

const schema = z.object({
  filter: z
    .string()
    .max(MAX_FILTER)
    .optional()
    .describe('A test file or test name; all tests by default'),
  timeout: seconds(MOST_SECONDS).optional().describe('In seconds'),
});

export const runTests = defineTool({
  name: 'run_tests',
  aliases: [],
  description:
    'Runs all or some of the tests and returns how many passed and failed, with the failures first.',
  adds: ({ commands }: Needs<'commands'>) => `A timeout goes up to ${commands.settings.longest}.`,
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
    { signal, tools = NO_TOOLS, progress },
  ) => {
    const { commands } = ports;
    const command = await commandOf(ports, filter);
    const onChanges = await holdsChanges(ports);
    const { longest, timeout: usual = longest } = commands.settings;
    const most = Math.min(timeout ?? usual, longest);
    const heard = new HeardOutput(progress);
    const report = await commands.run({
      command,
      directory: '',
      timeoutMs: 1000 * most,
      longestMs: 1000 * longest,
      signal,
      onOutput: heard.hear,
    });
    const { done } = report;
    const text = heard.plain();
    const results = readTestOutput(command.includes(NODE_BY_NAME) ? withoutFiles(text) : text);
    const isPartial = filter !== undefined && filter.trim() !== '';
    const { failed = null, passed = null } = results ?? {};
    const ranNone = isPartial && failed === 0 && passed === 0;
    const failing = failingTests(done, text, results);
    const counted = { failed, passed, ...(failing === undefined ? {} : { failing }) };
    const run = { ...ran(command, done), ...counted, isPartial, onChanges };
    const missing = results === undefined ? missingRunner(command, done, text) : undefined;
    const effect: Effect =
      missing === undefined ? { type: 'tests', ...run } : withoutRunner(run, text);
    const hasPassed = done.exitCode === 0 && (failed ?? 0) === 0 && !ranNone;
    const head = `${JSON.stringify(command)}: ${firstLine(done)}${counts(results)}${ranNone ? RAN_NONE : ''}`;
    return {
      output: [
        head,
        ...(missing === undefined ? [] : [missing]),
        ...timeoutRemark(done, most, longest),
        ...remarks(report),
        ...details(text, results, done.exitCode === 0 && !ranNone),
        ...(hasPassed ? [] : keptRemark(report, tools)),
      ].join('\n'),
      ok: hasPassed,
      effects: effectsOf(report, effect),
    };
  },
});

/** Where no runner is, no tests ran, and nobody knows how many would fail. */
const withoutRunner = (
  { command, exitCode, ended, durationMs }: CommandRun,
  text: string,
): Effect => ({
  type: 'command',
  command,
  exitCode,
  ended,
  durationMs,
  failed: null,
  passed: null,
  notRun: firstSaid(text),
});

const MAX_SAID = 200;

/** npm begins with what it runs, behind a `>`. */
const firstSaid = (text: string): string => {
  const lines = text.split('\n').map((line) => line.trim());
  const said = lines.find((line) => line !== '' && !line.startsWith('>')) ?? '';
  return cutCharacters(said, MAX_SAID, '…');
};

const NO_TOOLS: ReadonlySet<string> = new Set();
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
