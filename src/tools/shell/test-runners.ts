import { TellModel } from '../../lib/errors.ts';
import { runShellCommand } from './run-shell-command.ts';
import { escapeExpression } from '../../lib/text/text.ts';

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
  const words = commandWords(command.split(' discover ', 1).join('')) ?? [];
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
  if (only === undefined) {
    // A program that nobody knows runs what it is given already: `bin/bats test` runs all with another file, too.
    const namesFiles = (commandWords(text) ?? []).slice(1).some((word) => !word.startsWith('-'));
    return isSimple && !namesFiles ? added(command, filter) : undefined;
  }
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

// How a test runner is told to run only a file, or only the tests of a name.

/** Quotes a text as one word for `sh`. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const isPath = (filter: string): boolean => /[/\\]|\.\w{1,5}(?:::|$)/.test(filter);

const isName = (filter: string): boolean =>
  !isPath(filter) || (/\s/.test(filter) && !/\.\w{1,5}$/.test(filter));

interface Runner {
  readonly isName: (filter: string) => boolean;
  /** The option for a name; Node's is followed by the files. */
  readonly named: (name: string) => string;
}

const byExpression = (option: string) => (name: string) =>
  `${option}${shellQuoted(escapeExpression(name))}`;

/** A word alone may be a part of a path for some. */
const RUNNERS: ReadonlyMap<string, Runner> = new Map([
  ['mocha', { isName, named: (name) => `-f ${shellQuoted(name)}` }],
  ['jest', { isName: (one) => isName(one) && /\s/.test(one), named: byExpression('-t ') }],
  ['vitest', { isName: (one) => isName(one) && /\s/.test(one), named: byExpression('-t ') }],
  ['ava', { isName, named: (name) => `--match ${shellQuoted(`*${name}*`)}` }],
  ['node --test', { isName, named: byExpression('--test-name-pattern=') }],
]);

/** What may stand before a runner, besides variables and options. */
const WRAPPERS = new Set(['npx', 'bunx', 'pnpm', 'yarn', 'exec', 'cross-env', 'env', 'c8', 'nyc']);
const PROGRAM = /^(?:\S*\/)?_?(mocha|jest|vitest|ava)(?:\.[cm]?js)?$/;

interface RunnerCommand {
  readonly name: string;
  readonly words: CommandWords;
  /** The number of words before its arguments. */
  readonly head: number;
}

/** The runner in a simple command; `undefined` if it runs none that is known here. */
function runnerIn(command: string): RunnerCommand | undefined {
  const words = commandWords(command);
  if (words === undefined) return undefined;
  for (const [at, word] of words.entries()) {
    const [, name] = PROGRAM.exec(withoutQuotes(word)) ?? [];
    if (name !== undefined) {
      const hasMode = name === 'vitest' && /^(?:run|watch|dev)$/.test(words[at + 1] ?? '');
      return { name, words, head: at + (hasMode ? 2 : 1) };
    }
    if (word === 'node') {
      const isOther = words.slice(at + 1).find((one) => PROGRAM.test(one)) !== undefined;
      if (isOther) continue;
      return words.includes('--test') ? { name: 'node --test', words, head: at + 1 } : undefined;
    }
    if (!WRAPPERS.has(word) && !/^(?:-|[A-Z_a-z]\w*=)/.test(word)) return undefined;
  }
  return undefined;
}

const isByName = ({ name }: RunnerCommand, filter: string): boolean =>
  RUNNERS.get(name)?.isName(filter) === true;

/** What tells a runner of a filter, behind its other words. */
const wordsFor = ({ name }: RunnerCommand, filter: string): string => {
  const runner = RUNNERS.get(name);
  return runner?.isName(filter) === true ? runner.named(filter) : shellQuoted(filter);
};

/** The command with a filter in place of its own files; `undefined`: nobody knows which of its words these are. */
function filtered(runner: RunnerCommand, filter: string): string | undefined {
  const { name, words, head } = runner;
  const told = wordsFor(runner, filter);
  if (isByName(runner, filter)) {
    if (name !== 'node --test') return [...words, told].join(' ');
    // Node reads no options behind the files.
    return words.map((word) => (word === '--test' ? `--test ${told}` : word)).join(' ');
  }
  const options = withoutFiles(words.slice(head));
  return options && [...words.slice(0, head), ...options, told].join(' ');
}

/** Whether a command names files of its own, as far as that can be known. */
const hasFiles = ({ words, head }: RunnerCommand): boolean =>
  withoutFiles(words.slice(head))?.length !== words.length - head;

/** Options that take the next word as their value, and such that take none, of all these runners. */
const WITH_VALUE = new Set(
  '-r --require --import --loader --experimental-loader -c --config --reporter -R --ui -u --timeout -t --slow --retries --extension --ext --ignore --exclude --file -g --grep --fgrep --jobs -j --project --root --dir --environment --testTimeout --maxWorkers --shard --test-reporter --test-reporter-destination --test-concurrency --test-timeout --conditions -C --env-file --coverage.provider -k -m -n -p -o -W --rootdir --maxfail'.split(
    ' ',
  ),
);
const ALONE =
  /^(?:--(?:no|experimental|enable|disable|forbid|check|allow)-[\w-]+|--(?:test|recursive|exit|bail|colors?|parallel|coverage|runInBand|ci|verbose|silent|passWithNoTests|run|full-trace|inline-diffs|sort|delay|expose-gc|harmony)|-b|-i|-[qvx]+|-ra)$/;

/** Arguments without files; `undefined` if one of them could be a file or the value of an option. */
function withoutFiles(args: CommandWords): CommandWords | undefined {
  const options: string[] = [];
  let before = '';
  for (const word of args) {
    if (word.startsWith('-')) {
      options.push(word);
      before = word.includes('=') ? '' : word;
      continue;
    }
    const isFile = before === '' || ALONE.test(before);
    if (!isFile && !WITH_VALUE.has(before)) return undefined;
    if (!isFile) options.push(word);
    before = '';
  }
  return options;
}

// What the script of a package runs.

/** CommandWords of a command as they are written, with their quotes. */
type CommandWords = readonly string[];

const MOST_DEPTH = 5;
const CALL = /^(?:npm|pnpm|yarn|bun) (?:run |run-script )?([\w:.-]+)$/;

const isScriptCall = (command: string): boolean => CALL.test(command.trim());

/**
 * The commands of a script one by one, those of the scripts that it calls in their place, with npm's `pre` scripts.
 * `undefined`: it is more than simple commands with `&&` between them.
 */
export function commandsOfScript(
  scripts: ReadonlyMap<string, string>,
  name: string,
  depth = 0,
): readonly string[] | undefined {
  const script = scripts.get(name);
  if (script === undefined || depth > MOST_DEPTH) return undefined;
  const own = scripts.has(`pre${name}`) ? commandsOfScript(scripts, `pre${name}`, depth + 1) : [];
  const chain = chainOf(script);
  if (own === undefined || chain === undefined) return undefined;
  const all = [...own];
  for (const command of chain) {
    const [, called] = CALL.exec(command) ?? [];
    const isScript = called !== undefined && scripts.has(called);
    const inner = isScript ? commandsOfScript(scripts, called, depth + 1) : [command];
    if (inner === undefined) return undefined;
    all.push(...inner);
  }
  return all;
}

/** A quoted part, a word without quotes, `&&`, or a sign that only a shell understands. */
const PART = /'[^']*'|"[^"$`\\]*"|[^\s'"&|;<>()$`\\]+|&&|\s+|[^]/gu;

/** The simple commands between `&&`; `undefined` if there is anything else. */
function chainOf(script: string): readonly string[] | undefined {
  const commands: string[] = [''];
  for (const [part] of script.trim().matchAll(PART)) {
    if (part === '&&') commands.push('');
    else if (/^[&|;<>()$`\\'"]$/.test(part)) return undefined;
    else commands.push(`${commands.pop() ?? ''}${part}`);
  }
  const trimmed = commands.map((command) => command.trim());
  return trimmed.includes('') ? undefined : trimmed;
}

/** `undefined` if it is no simple command. */
function commandWords(command: string): CommandWords | undefined {
  const words: string[] = [''];
  for (const [part] of command.trim().matchAll(PART)) {
    if (/^(?:&&|[&|;<>()$`\\'"])$/.test(part)) return undefined;
    if (/^\s+$/.test(part)) words.push('');
    else words.push(`${words.pop() ?? ''}${part}`);
  }
  return words;
}

const withoutQuotes = (word: string): string => word.replaceAll(/['"]/g, '');
