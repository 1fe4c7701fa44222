import { TellModel } from '../../lib/errors.ts';
import { runShellCommand } from './run-shell-command.ts';
import { chainOf, isScriptCall, commandWords } from './package-scripts.ts';
import {
  filtered,
  hasFiles,
  isByName,
  isPath,
  shellQuoted,
  runnerIn,
  withoutFiles,
  wordsFor,
} from './some-tests.ts';

/** How to run all tests, or some of them. */
export interface TestRunner {
  readonly command: string;
  /** The command for a test file or name; `undefined` if only all tests can be run. */
  readonly some: (filter: string) => string | undefined;
  /** What the command of a package manager runs, if it is known. */
  readonly script?: string | undefined;
  /** Runs the filter without what else belongs to the tests: an example, which nobody promises. */
  readonly single: (filter: string) => string | undefined;
}

/** What a test command is, besides its words. */
export interface TestScript {
  /** As package.json has it. */
  readonly text: string;
  /** The simple commands that it comes to; `undefined` if it is more than that. */
  readonly commands: readonly string[] | undefined;
  /** A shell finds the programs that packages bring: they are in node_modules. */
  readonly hasPrograms: boolean;
  /** A configuration of mocha names files, which mocha adds to those of the command. */
  readonly hasConfiguredFiles: boolean;
}

/** How to add a filter, by the beginning of the command. */
const FILTERS: readonly (readonly [
  starts: RegExp,
  some: (command: string, filter: string) => string | undefined,
])[] = [
  [/^(?:npm|pnpm|yarn|bun) (?:run )?\S+$/, (command, filter) => added(command, filter)],
  [/^(?:\S{0,300}python\S{0,20} -m )?pytest\b|^(?:uv|poetry|pdm) run pytest\b/, pytest],
  [/^(?:\S{0,300}python\S{0,20}) -m unittest\b/, unittest],
  [/^go test\b/, goTest],
  [/^cargo test\b/, (command, filter) => added(command, filter)],
  [/^(?:\.\/)?mvnw?\b/, (command, filter) => `${command} -Dtest=${shellQuoted(filter)}`],
  [/^(?:\.\/)?gradlew?\b/, (command, filter) => `${command} --tests ${shellQuoted(filter)}`],
];

/** npm takes arguments of a script behind `--`. */
function added(command: string, filter: string, words = shellQuoted(filter)): string {
  return command.startsWith('npm ') ? `${command} -- ${words}` : `${command} ${words}`;
}

function pytest(command: string, filter: string): string | undefined {
  if (!isPath(filter)) return `${command} -k ${shellQuoted(filter)}`;
  const words = commandWords(command) ?? [];
  const head = words.findIndex((word) => /(?:^|\/)pytest$/.test(word)) + 1;
  const options = head === 0 ? undefined : withoutFiles(words.slice(head));
  return options && [...words.slice(0, head), ...options, shellQuoted(filter)].join(' ');
}

function unittest(command: string, filter: string): string | undefined {
  if (!isPath(filter)) return `${command} -k ${shellQuoted(filter)}`;
  const words = commandWords(command.replace(/ discover .*$/, '')) ?? [];
  const head = words.indexOf('unittest') + 1;
  const options = head === 0 ? undefined : withoutFiles(words.slice(head));
  return options && [...words.slice(0, head), ...options, shellQuoted(filter)].join(' ');
}

function goTest(command: string, filter: string): string {
  if (!isPath(filter)) return `${command} -run ${shellQuoted(filter)}`;
  const path = filter.startsWith('.') ? filter : `./${filter}`;
  return command.includes('./...')
    ? command.replace('./...', () => shellQuoted(path))
    : added(command, path);
}

/** Programs that packages bring, as in a script. */
const WITH_PROGRAMS = 'export PATH="$PWD/node_modules/.bin:$PATH"';

/** A runner by its command. `script`: what the command of a package manager runs, if it is known. */
export function runnerOf(command: string, script?: TestScript): TestRunner {
  const known = FILTERS.find(([starts]) => starts.test(command));
  return {
    command,
    script: script?.text,
    some: (filter) =>
      script === undefined
        ? (ofRunner(command, filter) ?? known?.[1](command, filter))
        : ofScript(command, script, filter),
    single: (filter) => exampleOf(script?.commands ?? [command], filter),
  };
}

/** By the first runner that is known. */
function exampleOf(commands: readonly string[], filter: string): string | undefined {
  const [runner] = commands.flatMap((command) => runnerIn(command) ?? []);
  if (runner === undefined) return undefined;
  const words = wordsFor(runner, filter);
  if (runner.name === 'node --test') return `node --test ${words}`;
  return `npx --no-install ${runner.name === 'vitest' ? 'vitest run' : runner.name} ${words}`;
}

/** Of a runner that is called by itself; `undefined` also if it is none. */
function ofRunner(command: string, filter: string): string | undefined {
  const runner = runnerIn(command);
  return runner && filtered(runner, filter);
}

/** Through the package manager if that adds the filter where it belongs; otherwise the runner in the script itself. */
function ofScript(command: string, script: TestScript, filter: string): string | undefined {
  const { text, commands, hasPrograms, hasConfiguredFiles } = script;
  const isSimple = chainOf(text)?.length === 1 && !isScriptCall(text);
  const all = isSimple ? [...(commands ?? []).slice(0, -1), text] : (commands ?? []);
  const found = all.flatMap((one, at) => {
    const runner = runnerIn(one);
    return runner === undefined ? [] : [{ runner, at }];
  });
  const [only, ...others] = found;
  if (others.length > 0) return undefined;
  if (only === undefined) return isSimple && !namesFiles(text) ? added(command, filter) : undefined;
  const { runner, at } = only;
  const byName = isByName(runner, filter);
  if (!byName && runner.name === 'mocha' && hasConfiguredFiles) return undefined;
  const isNode = runner.name === 'node --test';
  if (isSimple && !(byName && isNode) && (byName || !hasFiles(runner)))
    return added(command, filter, wordsFor(runner, filter));
  const some = filtered(runner, filter);
  if (some === undefined || (isSimple && isNode)) return some;
  if (commands === undefined || !hasPrograms) return undefined;
  return [WITH_PROGRAMS, ...all.slice(0, at), some].join(' && ');
}

/** A program that nobody knows runs what it is given already: `bin/bats test` runs all with another file, too. */
const namesFiles = (script: string): boolean =>
  (commandWords(script) ?? []).slice(1).some((word) => !word.startsWith('-'));

/** @throws {TellModel} if the runner can only run all tests, or the filter is invalid */
export function commandFor(
  { command, some, script, single }: TestRunner,
  filter: string | undefined,
  tools: ReadonlySet<string>,
): string {
  if (filter === undefined || filter.trim() === '') return command;
  if (filter.trim().startsWith('-') || /[\p{Cc}]/u.test(filter))
    throw new TellModel(
      'The filter must be a path or a name, not an option: give one of these, or omit it.',
    );
  const found = some(filter.trim());
  if (found !== undefined) return found;
  const runs = script === undefined ? '' : ` (${JSON.stringify(script)})`;
  const example = single?.(filter.trim());
  const way = tools.has(runShellCommand.name)
    ? `, or run some with ${runShellCommand.name}${example === undefined ? '' : `, for example ${JSON.stringify(example)}`}`
    : '';
  throw new TellModel(
    `The test command is ${JSON.stringify(command)}${runs}, which can only run all tests: omit the filter${way}.`,
  );
}
