import { z } from 'zod';
import { TellModel, unless, unlessItFails } from '../../lib/errors.ts';
import type { Ports } from '../define-tool.ts';
import { commandsOfScript, runnerOf, type TestRunner } from './test-runners.ts';

type Files = Ports['files'];

/** The root of a repository: its names, and a way to read one of its files. */
interface Root {
  readonly names: ReadonlySet<string>;
  readonly text: (name: string) => Promise<string>;
  /** The names in a directory that it has. */
  readonly below: (directory: string) => Promise<readonly string[]>;
}

type Find = (root: Root) => Promise<string | undefined> | string | undefined;

/** Tried in this order: the more specific ones first. */
const FINDERS: readonly Find[] = [
  packageScript,
  cargo,
  goModule,
  maven,
  gradle,
  pytest,
  tox,
  commandOfTox,
  pythonFiles,
  packageRunner,
  makefile,
];

/**
 * Finds out how to run the tests of a repository whose settings do not say it: the best way first, then those
 * that are left if its program is not installed.
 * @throws {TellModel} if nothing is found
 */
export async function findTests(files: Files): Promise<readonly TestRunner[]> {
  const entries = await files.list('');
  const root: Root = {
    names: new Set(entries.filter(({ isIgnored }) => !isIgnored).map(({ name }) => name)),
    text: (name) => readOrNothing(files, name),
    below: async (directory) =>
      ((await unless(TellModel, files.list(directory))) ?? []).map(({ name }) => name),
  };
  const found = new Set<string>();
  for (const find of FINDERS) {
    const command = await find(root);
    if (command !== undefined) found.add(command);
  }
  if (found.size > 0)
    return Promise.all([...found].map((command) => runnerWithScript(files, command)));
  throw new TellModel(
    'No test command was found for this repository (no test script or runner in package.json, test_*.py, pytest, tox, go.mod, Cargo.toml, pom.xml, build.gradle, or `test` or `check` in a Makefile). Run them with a command of your own.',
  );
}

/** A runner by its command, with the script that a package manager runs for it. */
export async function runnerWithScript(files: Files, command: string): Promise<TestRunner> {
  const [, name] = /^(?:npm|pnpm|yarn|bun) (?:run )?([\w:.-]+)$/.exec(command) ?? [];
  if (name === undefined) return runnerOf(command);
  const { data } = Scripts.safeParse(await packageIn(files));
  const scripts = new Map(Object.entries(data?.scripts ?? {}));
  const text = scripts.get(name);
  if (text === undefined) return runnerOf(command);
  const names = (await files.list('')).map((entry) => entry.name);
  const commands = commandsOfScript(scripts, name);
  const hasPrograms = !names.includes('.pnp.cjs');
  const configured = names.filter((one) => /^\.mocharc\.(?:[cm]?js|jsonc?|ya?ml)$/.test(one));
  const texts = await Promise.all(configured.map((one) => readOrNothing(files, one)));
  const hasConfiguredFiles =
    data?.mocha?.spec !== undefined || texts.some((one) => /\bspec\b/.test(one));
  return runnerOf(command, { text, commands, hasPrograms, hasConfiguredFiles });
}

const Scripts = z.object({
  scripts: z.record(z.string(), z.string()).catch({}),
  mocha: z.object({ spec: z.unknown() }).optional().catch(undefined),
});

async function packageIn(files: Files): Promise<unknown> {
  const json = await readOrNothing(files, 'package.json');
  return unlessItFails((): unknown => JSON.parse(json));
}

const readOrNothing = async (files: Files, name: string): Promise<string> =>
  Buffer.from((await unless(TellModel, files.read(name))) ?? []).toString();

const PLACEHOLDER = /no test specified/;
const Package = z.object({
  scripts: z.object({ test: z.string().trim().min(1) }),
  packageManager: z.string().catch(''),
});

async function packageScript({ names, text }: Root): Promise<string | undefined> {
  if (!names.has('package.json')) return undefined;
  const json = await text('package.json');
  const { data } = Package.safeParse(unlessItFails((): unknown => JSON.parse(json)));
  if (data === undefined || PLACEHOLDER.test(data.scripts.test)) return undefined;
  return `${managerOf(names, data.packageManager)} test`;
}

const RUNNERS = new Map([
  ['vitest', 'vitest run'],
  ['jest', 'jest'],
  ['mocha', 'mocha'],
  ['ava', 'ava'],
]);
const PackageRunners = z.object({
  dependencies: z.record(z.string(), z.unknown()).catch({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}),
});
const NODE_TEST = /\.test\.[cm]?js$/;

/** A package without a test script: the runner that it depends on, or Node's own if there are files for it. */
async function packageRunner({ names, text, below }: Root): Promise<string | undefined> {
  if (!names.has('package.json')) return undefined;
  const json = await text('package.json');
  const { data } = PackageRunners.safeParse(unlessItFails((): unknown => JSON.parse(json)));
  const packages = new Set(Object.keys({ ...data?.dependencies, ...data?.devDependencies }));
  const runner = [...RUNNERS].find(([name]) => packages.has(name));
  // Nothing is downloaded that the package may not mean.
  if (runner !== undefined) return `npx --no-install ${runner[1]}`;
  const found = [...names, ...(names.has('test') ? await below('test') : [])];
  return found.some((name) => NODE_TEST.test(name)) ? 'node --test' : undefined;
}

function managerOf(names: ReadonlySet<string>, named: string): string {
  const [, word] = /^(npm|pnpm|yarn|bun)@/.exec(named) ?? [];
  if (word !== undefined) return word === 'bun' ? 'bun run' : word;
  if (names.has('pnpm-lock.yaml')) return 'pnpm';
  if (names.has('yarn.lock')) return 'yarn';
  if (names.has('bun.lock') || names.has('bun.lockb')) return 'bun run';
  return 'npm';
}

function cargo({ names }: Root): string | undefined {
  return names.has('Cargo.toml') ? 'cargo test' : undefined;
}

function goModule({ names }: Root): string | undefined {
  return names.has('go.mod') ? 'go test ./...' : undefined;
}

function maven({ names }: Root): string | undefined {
  if (!names.has('pom.xml')) return undefined;
  return names.has('mvnw') ? './mvnw -B test' : 'mvn -B test';
}

function gradle({ names }: Root): string | undefined {
  if (!names.has('build.gradle') && !names.has('build.gradle.kts')) return undefined;
  return names.has('gradlew') ? './gradlew test' : 'gradle test';
}

const PYTEST_MARKS: readonly (readonly [file: string, mark: RegExp])[] = [
  ['pyproject.toml', /pytest/],
  ['setup.cfg', /\[tool:pytest\]|pytest/],
  ['tox.ini', /pytest/],
  ['requirements.txt', /^pytest\b/m],
  ['requirements-dev.txt', /^pytest\b/m],
];

async function pytest({ names, text }: Root): Promise<string | undefined> {
  if (names.has('pytest.ini') || names.has('conftest.py')) return PYTEST;
  for (const [file, mark] of PYTEST_MARKS)
    if (names.has(file) && mark.test(await text(file))) return PYTEST;
  return undefined;
}

async function tox({ names, text }: Root): Promise<string | undefined> {
  if (names.has('tox.ini')) return 'tox';
  const has = names.has('pyproject.toml') && /^\[tool\.tox\b/m.test(await text('pyproject.toml'));
  return has ? 'tox' : undefined;
}

const TOX_ENVIRONMENT = /^\[testenv\][ \t]*\n((?:(?!\[).*\n)*)/m;
const TOX_COMMANDS = /^commands[ \t]*=(.*\n(?:[ \t].*\n|\n)*)/m;

/** What tox itself would run, outside its environments: the only one of its commands that takes a test. */
async function commandOfTox({ names, text }: Root): Promise<string | undefined> {
  if (!names.has('tox.ini')) return undefined;
  const [, section = ''] = TOX_ENVIRONMENT.exec(`${await text('tox.ini')}\n`) ?? [];
  const [, lines = ''] = TOX_COMMANDS.exec(section) ?? [];
  const commands = lines
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replaceAll(/\{posargs(?::([^{}]*))?\}/g, (_, usual: string | undefined) => usual ?? '')
        .replaceAll('{toxinidir}', '.')
        .replace(/^(?:python|\{envpython\}) /, 'python3 ')
        .trim(),
    )
    .filter((line) => !/[{}\\]/.test(line) && runnerOf(line).some('a') !== undefined);
  return commands.length === 1 ? commands[0] : undefined;
}

const TEST_FILE = /^test.*\.py$/;
const MAX_READ = 20;

/** Without any configuration: what the test files import says what runs them. */
async function pythonFiles({ names, text, below }: Root): Promise<string | undefined> {
  const isTest = (name: string): boolean => TEST_FILE.test(name);
  const inRoot = [...names].filter(isTest);
  if (inRoot.length > 0) return (await areUnittest(inRoot, text)) ? 'python3 -m unittest' : PYTEST;
  const directory = ['tests', 'test'].find((name) => names.has(name));
  if (directory === undefined) return undefined;
  const found = (await below(directory)).filter(isTest).map((name) => `${directory}/${name}`);
  if (await areUnittest(found, text)) return `python3 -m unittest discover -s ${directory}`;
  const isPython = ['pyproject.toml', 'setup.py', 'setup.cfg'].some((name) => names.has(name));
  return isPython || found.length > 0 ? PYTEST : undefined;
}

const IMPORTS_UNITTEST = /^[ \t]*(?:import|from)[ \t]+unittest\b/m;
const IMPORTS_PYTEST = /^[ \t]*(?:import|from)[ \t]+pytest\b/m;

/** Whether Python runs them without pytest. */
async function areUnittest(paths: readonly string[], text: Root['text']): Promise<boolean> {
  const texts = await Promise.all(paths.slice(0, MAX_READ).map((path) => text(path)));
  return (
    texts.some((one) => IMPORTS_UNITTEST.test(one)) &&
    !texts.some((one) => IMPORTS_PYTEST.test(one))
  );
}

const PYTEST = 'python3 -m pytest';

const RULES = [
  ['test', /^test[ \t]*:(?!=)/m],
  ['check', /^check[ \t]*:(?!=)/m],
] as const;

async function makefile({ names, text }: Root): Promise<string | undefined> {
  const name = ['GNUmakefile', 'makefile', 'Makefile'].find((each) => names.has(each));
  if (name === undefined) return undefined;
  const rules = await text(name);
  const target = RULES.find(([, rule]) => rule.test(rules))?.[0];
  return target && `make ${target}`;
}
