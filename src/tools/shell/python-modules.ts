// Python tests whose modules are not found: those of the repository lie in src/, or a dependency is not installed.
import { TellModel, unless } from '../../lib/errors.ts';
import type { Ports } from '../ports.ts';
import type { MissingRunner } from './missing-runner.ts';
import { readCommand } from './read-command.ts';
import type { TestResults } from './test-output.ts';

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
  { files }: Pick<Ports, 'files'>,
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
  { commands: { hosts }, files }: Pick<Ports, 'commands' | 'files'>,
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
