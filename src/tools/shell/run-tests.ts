import { z } from 'zod';
import type { Effect } from '../../contracts/effect.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { defineTool, type CommandReport, type Needs } from '../define-tool.ts';
import { TellModel, unless } from '../../lib/errors.ts';
import { brief, seconds } from '../arguments.ts';
import { requireAllowed } from './disallowed-commands.ts';
import {
  effectsOfCommand,
  exitLine,
  keptRemark,
  ran,
  remarks,
  timeoutRemark,
} from './command-report.ts';
import { findTests, runnerWithScript } from './find-tests.ts';
import {
  missingDependency,
  missingRunner,
  withSource,
  type MissingRunner,
} from './missing-runner.ts';
import { HeardOutput } from './plain-output.ts';
import { counts, readTestOutput, resultDetails, type TestResults } from './test-results.ts';
import { commandFor } from './test-runners.ts';
import type { CommandDone } from '../../contracts/shell.ts';
import { faultyLines, fingerprintOf } from '../../lib/fingerprint.ts';

const MAX_FILTER = 300;
/** The operator's limit is what counts. */
const MOST_SECONDS = 100_000;

const schema = z.object({
  filter: z.string().max(MAX_FILTER).optional().describe('A test file or name; all by default'),
  timeout: seconds(MOST_SECONDS).optional(),
});

export const runTests = defineTool({
  name: 'run_tests',
  aliases: [],
  description: 'Runs all or some of the tests: how many passed and failed, then the failures.',
  adds: ({ commands }: Needs<'commands'>) =>
    `The timeout is in seconds, at most ${commands.settings.longest}.`,
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
    const { longest, timeout: usual = longest } = ports.commands.settings;
    const most = Math.min(timeout ?? usual, longest);
    const { possible, rejections } = await commandsFor(ports, filter, tools);
    const isPartial = filter !== undefined && filter.trim() !== '';
    const onChanges = ports.work.hasCommits() || (await ports.git.changes()).length > 0;
    const attempts: TestAttempt[] = [];
    const limits = { most, signal, progress };
    for (const command of possible) {
      const first = await attemptOf(ports, command, limits);
      const again = await withSource(ports, command, first.text);
      if (again !== undefined) attempts.push({ ...first, whyAgain: again.why });
      const attempt = again === undefined ? first : await attemptOf(ports, again.command, limits);
      attempts.push(attempt);
      if (attempt.missing?.isCalled !== true) break;
    }
    const last = attempts.at(-1);
    // If none is installed, the first one is what the repository means.
    const chosen = last?.missing?.isCalled === true ? attempts[0] : last;
    if (chosen === undefined) throw new TypeError('There is a command, or a refusal was thrown');
    const others = attempts.filter((attempt) => attempt !== chosen);
    const { effect, lines, hasPassed } = resultOf(chosen, { isPartial, most, longest, onChanges });
    const passedOver = chosen === last ? others : [];
    return {
      output: [
        ...lines.slice(0, 1),
        ...rejections,
        ...passedOver.map(
          ({ command, missing, whyAgain }) =>
            `Not ${JSON.stringify(command)}: ${whyAgain ?? missing?.words}`,
        ),
        ...passedOver.flatMap(({ report }) => remarks(report)),
        ...lines.slice(1),
        ...(hasPassed ? [] : keptRemark(chosen.report, tools)),
      ].join('\n'),
      ok: hasPassed,
      effects: [
        ...others.flatMap((attempt) => effectsOfCommand(attempt.report, passedOverEffect(attempt))),
        ...effectsOfCommand(chosen.report, effect),
      ],
    };
  },
});

/** A command that was run for the tests. */
interface TestAttempt {
  readonly command: string;
  readonly report: CommandReport;
  readonly text: string;
  readonly results: TestResults | undefined;
  readonly missing: MissingRunner | undefined;
  /** Why the same tests are run by another command after it. */
  readonly whyAgain?: string;
}

async function attemptOf(
  ports: Needs<'commands' | 'files'>,
  command: string,
  { most, signal, progress }: Pick<CallContext, 'signal' | 'progress'> & { readonly most: number },
): Promise<TestAttempt> {
  const { commands } = ports;
  const heard = new HeardOutput(progress);
  const report = await commands.run({
    command,
    directory: '',
    timeoutMs: 1000 * most,
    longestMs: 1000 * commands.settings.longest,
    signal,
    onOutput: heard.hear,
  });
  const text = heard.plain();
  const results = readTestOutput(command.includes(NODE_BY_NAME) ? withoutFiles(text) : text);
  const runner =
    results === undefined ? await missingRunner(ports, command, report.done, text) : undefined;
  const missing = runner ?? (await missingDependency(ports, text, results));
  return { command, report, text, results, missing };
}

interface Circumstances {
  readonly isPartial: boolean;
  readonly onChanges: boolean;
  readonly most: number;
  readonly longest: number;
}

/** What the model and the journal are told of it; the first line is the head. */
function resultOf(
  attempt: TestAttempt,
  { isPartial, onChanges, most, longest }: Circumstances,
): { readonly effect: Effect; readonly lines: readonly string[]; readonly hasPassed: boolean } {
  const { command, report, text, results, missing } = attempt;
  const { done } = report;
  const { failed = null, passed = null } = results ?? {};
  const ranNone = isPartial && failed === 0 && passed === 0;
  const failing = failingTests(done, text, results);
  const counted = withoutUndefined({ failed, passed, failing });
  const run = { ...ran(command, done), ...counted, isPartial, onChanges };
  const hasPassed = done.exitCode === 0 && (failed ?? 0) === 0 && !ranNone;
  return {
    // Where no runner is, no tests ran, and nobody knows how many would fail.
    effect: missing === undefined ? { type: 'tests', ...run } : commandEffect(attempt),
    lines: [
      `${JSON.stringify(command)}: ${exitLine(done)}${counts(results)}${ranNone ? RAN_NONE : ''}`,
      ...(missing?.isCalled === true
        ? [missing.words]
        : [
            ...(missing === undefined ? [] : [missing.words]),
            ...timeoutRemark(done, most, longest),
            ...remarks(report),
            ...resultDetails(text, results, done.exitCode === 0 && !ranNone),
          ]),
    ],
    hasPassed,
  };
}

const passedOverEffect = (attempt: TestAttempt): Effect =>
  attempt.whyAgain === undefined
    ? commandEffect(attempt)
    : { type: 'command', ...ran(attempt.command, attempt.report.done) };

/** No tests ran, and nobody knows how many would fail. */
const commandEffect = ({ command, report: { done }, text, missing }: TestAttempt): Effect => ({
  type: 'command',
  ...ran(command, done),
  failed: null,
  passed: null,
  notRun: missing?.said ?? firstSaid(text),
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

/** What runs all tests, if it is known now; it may turn out not to be installed. */
export async function findTestCommand(
  ports: Needs<'commands' | 'files'>,
): Promise<string | undefined> {
  const found = await unless(TellModel, commandsFor(ports, undefined, NO_TOOLS));
  return found?.possible[0];
}

/** The program of node_modules that the command takes, if it cannot be there. */
export async function missingProgram(
  { commands: { hosts, settings }, files }: Needs<'commands' | 'files'>,
  command: string,
): Promise<string | undefined> {
  const [, program] = /^npx --no-install (\S+)/.exec(command) ?? [];
  const isOffline = hosts?.length === 0 && settings.setup.length === 0;
  if (program === undefined || !isOffline) return undefined;
  const entries = await files.list('');
  return entries.some(({ name }) => name === 'node_modules') ? undefined : program;
}

interface TestCommandChoice {
  /** In the order in which they are tried. */
  readonly possible: readonly string[];
  /** Why better ones are not among them. */
  readonly rejections: readonly string[];
}

/**
 * A test command from the settings may be any command; one that we found must be an allowed one.
 * @throws {TellModel} if none can do it
 */
async function commandsFor(
  { commands, files }: Needs<'commands' | 'files'>,
  filter: string | undefined,
  tools: ReadonlySet<string>,
): Promise<TestCommandChoice> {
  const { test, allow } = commands.settings;
  if (test !== undefined)
    return {
      possible: [commandFor(await runnerWithScript(files, test), filter, tools)],
      rejections: [],
    };
  const possible: string[] = [];
  const rejected: { readonly why: string; readonly error: TellModel }[] = [];
  for (const runner of await findTests(files)) {
    try {
      const command = commandFor(runner, filter, tools);
      requireAllowed(command, allow);
      possible.push(command);
    } catch (error) {
      if (!(error instanceof TellModel)) throw error;
      // A script is more than its runner: another way would not run the same tests.
      if (runner.script !== undefined && possible.length === 0) throw error;
      const isForAll = filter !== undefined && runner.some(filter.trim()) === undefined;
      const why = isForAll ? 'it can only run all tests' : 'the repository does not allow it';
      if (possible.length === 0)
        rejected.push({ why: `Not ${JSON.stringify(runner.command)}: ${why}.`, error });
    }
  }
  const [first] = rejected;
  if (possible.length === 0 && first !== undefined) throw first.error;
  return { possible, rejections: rejected.map(({ why }) => why) };
}

// Which tests failed, so that two runs can be compared.

const MOST_FAILURES = 200;

/**
 * One fingerprint for each failure: of the test, or of the line that reports it if the runner is unknown. `undefined` if
 * the tests passed, or were killed.
 */
export function failingTests(
  { ended, exitCode }: Pick<CommandDone, 'ended' | 'exitCode'>,
  text: string,
  results: TestResults | undefined,
): readonly string[] | undefined {
  const { failures = [], failed } = results ?? {};
  if (ended !== 'exited' || (exitCode === 0 && (failed ?? 0) === 0)) return undefined;
  const isEachKnown = failures.length > 0 && failures.length >= (failed ?? 0);
  const prints = isEachKnown ? failures.map(ofTest) : ofLines(text, exitCode);
  const found = numbered(prints);
  return found.length <= MOST_FAILURES ? found : [digest(found.join('\n'))];
}

function ofTest(block: string): string {
  const [first = '', ...rest] = block.split('\n');
  const log = rest.join('\n');
  return fingerprintOf({ name: nameIn(first), summary: log, annotations: [], log });
}

/** Without its number, its time and its line in the file; of a file only its name, since each work tree is elsewhere. */
const nameIn = (line: string): string =>
  line
    .split(' ')
    .map((word) => (word.startsWith('/') ? word.slice(word.lastIndexOf('/') + 1) : word))
    .join(' ')
    .replace(/^\s*(?:not ok )?\d+[ )]/, '')
    .replaceAll(/[([]?\b\d+(?:\.\d+)?\s?(?:ms|s|m)\b[)\]]?/g, '')
    .replaceAll(/:\d+/g, '')
    .trim();

function ofLines(text: string, exitCode: number | null): readonly string[] {
  const lines = faultyLines(text);
  const name = `exit code ${exitCode ?? 'unknown'}`;
  return lines.length === 0 ? [digest(`${name}\n${text}`)] : [digest(name), ...lines.map(digest)];
}

const digest = (text: string): string =>
  fingerprintOf({ name: '', summary: text, annotations: [], log: '' });

/** The second failure of the same form is another one. */
function numbered(prints: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return prints.map((print) => {
    const times = seen.get(print) ?? 0;
    seen.set(print, times + 1);
    return times === 0 ? print : `${print}.${times + 1}`;
  });
}
