import type { CommandDone } from '../../contracts/shell.ts';
import { TellModel, unless } from '../../lib/errors.ts';
import type { Ports, Needs } from '../define-tool.ts';
import { readCommand } from './read-command.ts';
import type { TestResults } from './test-results.ts';

export interface MissingRunner {
  readonly name: string;
  /** The command itself calls it, and not a script that the command runs. */
  readonly isCalled: boolean;
  /** Which test runner is not installed, and what would install it. */
  readonly words: string;
  /** What of the output says so, if it is not its first line. */
  readonly said?: string;
}

/** What a script of package.json calls that is not installed, in words; none if that is not why the command failed. */
export async function missingInScript(
  ports: Needs<'commands' | 'files'>,
  command: string,
  done: CommandDone,
  output: string,
): Promise<readonly string[]> {
  if (managerOf(command) === undefined) return [];
  const missing = await missingRunner(ports, command, done, output);
  return missing === undefined || missing.isCalled ? [] : [missing.words];
}

/** The test runner that is not installed; `undefined` if that is not why the command failed. */
export async function missingRunner(
  { commands: { hosts }, files }: Needs<'commands' | 'files'>,
  command: string,
  done: CommandDone,
  output: string,
): Promise<MissingRunner | undefined> {
  const missing = missingIn(command, done, output);
  if (missing === undefined) return undefined;
  const { name, installer } = missing;
  const isInPackages = installer !== undefined && managerOf(installer) !== undefined;
  const entries = isInPackages ? ((await unless(TellModel, files.list(''))) ?? []) : [];
  const isBare = isInPackages && !entries.some((entry) => entry.name === 'node_modules');
  const words = [
    `${name} is not installed here${isBare ? ': there is no node_modules' : ''}.`,
    howToInstall(installer, hosts),
  ];
  return { name, isCalled: missing.isCalled, words: words.join(' ') };
}

function howToInstall(installer: string | undefined, hosts: Ports['commands']['hosts']): string {
  if (installer === undefined) return 'It has to be on the machine that runs commands.';
  if (hosts?.length === 0) return 'Commands cannot install it: they have no network.';
  return `What would install it: ${JSON.stringify(installer)}.`;
}

interface MissingProgram extends Pick<MissingRunner, 'name' | 'isCalled'> {
  readonly installer: string | undefined;
}

/** A program or module by the words of the shell, of Python or of npm. */
function missingIn(
  command: string,
  { exitCode }: CommandDone,
  output: string,
): MissingProgram | undefined {
  if (exitCode === 0) return undefined;
  const [called = '', option, second] = command.split(' ');
  const [, module] = /^(?=\S*python)\S+: No module named (\S+)$/m.exec(output) ?? [];
  if (module !== undefined) {
    const isCalled = option === '-m' && second === module;
    return { name: module, isCalled, installer: `${called} -m pip install ${module}` };
  }
  // It asks the registry first, which may be out of reach.
  const [, name] = /^npx --no-install (\S+)/.exec(command) ?? [];
  if (name !== undefined && /^npm (?:error|ERR!) (?:code E|npx canceled)/m.test(output))
    return { name, isCalled: true, installer: 'npm install' };
  const manager = managerOf(command);
  // *Unproven*: pnpm exits with a code of its own. The line of the shell decides then.
  if (exitCode !== 127 && manager === undefined) return undefined;
  const [, program] =
    /^\S*sh: (?:(?:line )?\d+: )?(\S+?): (?:command )?not found$/m.exec(output) ?? [];
  if (program === undefined) return undefined;
  return { name: program, isCalled: program === called, installer: installerFor(command) };
}

const managerOf = (command: string): string | undefined =>
  /^(?:npm|pnpm|yarn|bun)\b/.exec(command)?.[0];

function installerFor(command: string): string | undefined {
  const manager = managerOf(command);
  if (manager !== undefined) return `${manager} install`;
  return command.startsWith('tox') ? 'python3 -m pip install tox' : undefined;
}

// Python tests whose modules are not found: those of the repository lie in src/, or a dependency is not installed.

/** Where a package lies that only its installation puts in Python's sight. */
const SOURCE = 'src';
const NOT_FOUND = /^(?:E +)?ModuleNotFoundError: No module named '([^']+)'/gm;

/** The modules that Python did not find. Of a package that is missing it names the package, whatever of it was wanted. */
const notFoundIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(NOT_FOUND)].map(([, name = '']) => name)),
];

interface WithSource {
  readonly command: string;
  /** Why it takes the place of the other. */
  readonly why: string;
}

/** The same command with `src/` in Python's sight; `undefined` unless a module that is there was not found. */
export async function withSource(
  { files }: Needs<'files'>,
  command: string,
  text: string,
): Promise<WithSource | undefined> {
  const names = notFoundIn(text);
  if (names.length === 0 || readCommand(command)?.isSimple !== true) return undefined;
  const modules = await modulesIn(files, SOURCE);
  const found = names.find((name) => modules.has(name));
  if (found === undefined) return undefined;
  return {
    command: `PYTHONPATH="$PWD/${SOURCE}" ${command}`,
    why: `${found} is in ${SOURCE}/, where Python finds it only if it is installed or PYTHONPATH says so.`,
  };
}

const modulesIn = async (files: Ports['files'], directory: string): Promise<ReadonlySet<string>> =>
  new Set(
    ((await unless(TellModel, files.list(directory))) ?? []).map(({ name }) =>
      name.replace(/\.py$/, ''),
    ),
  );

/** Nothing ran if pytest collected nothing, or unittest only reports what it could not import. */
const isStopped = (text: string, results: TestResults | undefined): boolean =>
  /^ImportError while loading conftest /m.test(text) ||
  (results?.passed === 0 &&
    (/^!+ Interrupted: \d+ errors? during collection !+$/m.test(text) ||
      (results.failures.length > 0 &&
        results.failures.every((one) => one.includes('Failed to import test module')))));

/** A dependency without which no test ran; `undefined` if that is not why the command failed. */
export async function missingDependency(
  { commands: { hosts }, files }: Needs<'commands' | 'files'>,
  text: string,
  results: TestResults | undefined,
): Promise<MissingRunner | undefined> {
  const names = notFoundIn(text);
  if (names.length === 0 || !isStopped(text, results)) return undefined;
  const own = [await modulesIn(files, ''), await modulesIn(files, SOURCE)];
  const [name, ...others] = names;
  // What the repository itself lacks is for the agent to write.
  const isOwn = (one: string): boolean =>
    own.some((modules) => modules.has(one.split('.', 1)[0] ?? ''));
  if (name === undefined || names.some(isOwn)) return undefined;
  const list = [name, ...others].join(', ');
  const is = others.length === 0 ? 'is' : 'are';
  return {
    name,
    isCalled: false,
    said: `No module named ${list}`,
    words: `No tests ran: ${list} ${is} not installed here. ${
      hosts?.length === 0
        ? 'Commands cannot install anything: they have no network.'
        : 'What the repository needs can be installed with pip.'
    }`,
  };
}
