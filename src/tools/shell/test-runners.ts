import { TellModel } from '../../lib/errors.ts';
import { escapeExpression } from '../../lib/text/text.ts';

/** How to run all tests, or some of them. */
export interface TestRunner {
  readonly command: string;
  /** The command for a test file or name; missing if the runner can only run all tests. */
  readonly some?: ((filter: string) => string) | undefined;
}

/** Quotes a text as one word for `sh`. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A script of one simple command. */
const isSimple = (command: string): boolean => !/[;&|<>$`\n]/.test(command);

/** How a runner is told the name of a test, by the beginning of the command; a word may be a path for some. */
const NAME_FILTERS: readonly (readonly [
  starts: RegExp,
  isName: (filter: string) => boolean,
  options: (name: string) => string,
])[] = [
  [
    /^node(?: \S+)* --test(?=\s|$)/,
    (filter) => isName(filter),
    (name) => `--test-name-pattern=${quoted(escapeExpression(name))}`,
  ],
  [
    /^(?:npx (?:--no-install )?|bunx )?(?:jest|vitest)\b/,
    (filter) => isName(filter) && /\s/.test(filter),
    (name) => `-t ${quoted(escapeExpression(name))}`,
  ],
  [
    /^(?:npx (?:--no-install )?|bunx )?mocha\b/,
    (filter) => isName(filter),
    (name) => `-f ${quoted(name)}`,
  ],
];

const isName = (filter: string): boolean =>
  !isPath(filter) || (/\s/.test(filter) && !/\.\w{1,5}$/.test(filter));

/**
 * The command that runs the test of a name; `undefined` if the filter is none, or if the runner has no option for it.
 * `script` is what the command of a package manager runs.
 */
function commandForName(
  command: string,
  script: string | undefined,
  filter: string,
): string | undefined {
  const runner = script ?? command;
  const known = NAME_FILTERS.find(([starts]) => starts.test(runner));
  if (known === undefined || !isSimple(runner) || !known[1](filter)) return undefined;
  const options = known[2](filter);
  // Node reads no options behind the files, so the script itself is run.
  if (/^node\b/.test(runner))
    return runner.replace(/(?<= )--test(?=\s|$)/, () => `--test ${options}`);
  if (script === undefined) return `${command} ${options}`;
  return command.startsWith('npm ') ? `${command} -- ${options}` : `${command} ${options}`;
}

const isPath = (filter: string): boolean => /[/\\]|\.\w{1,5}(?:::|$)/.test(filter);

/** How to add a filter, by the beginning of the command. */
const FILTERS: readonly (readonly [
  starts: RegExp,
  some: (command: string, filter: string) => string,
])[] = [
  [/^npm (?:run )?\S+$/, (command, filter) => `${command} -- ${quoted(filter)}`],
  [/^(?:pnpm|yarn|bun) (?:run )?\S+$/, (command, filter) => `${command} ${quoted(filter)}`],
  [/^(?:npx (?:--no-install )?|bunx |pnpm exec |yarn )?(?:jest|vitest|mocha|ava)\b/, added],
  [/^node\b.* --test\b/, added],
  [/^(?:\S{0,300}python\S{0,20} -m )?pytest\b|^(?:uv|poetry|pdm) run pytest\b/, pytest],
  [/^(?:\S{0,300}python\S{0,20}) -m unittest\b/, unittest],
  [/^go test\b/, goTest],
  [/^cargo test\b/, added],
  [/^(?:\.\/)?mvnw?\b/, (command, filter) => `${command} -Dtest=${quoted(filter)}`],
  [/^(?:\.\/)?gradlew?\b/, (command, filter) => `${command} --tests ${quoted(filter)}`],
];

function added(command: string, filter: string): string {
  return `${command} ${quoted(filter)}`;
}

function pytest(command: string, filter: string): string {
  return isPath(filter) ? added(command, filter) : `${command} -k ${quoted(filter)}`;
}

function unittest(command: string, filter: string): string {
  if (!isPath(filter)) return `${command} -k ${quoted(filter)}`;
  return `${command.replace(/ discover .*$/, '')} ${quoted(filter)}`;
}

function goTest(command: string, filter: string): string {
  if (!isPath(filter)) return `${command} -run ${quoted(filter)}`;
  const path = filter.startsWith('.') ? filter : `./${filter}`;
  return command.includes('./...')
    ? command.replace('./...', () => quoted(path))
    : added(command, path);
}

/** A runner by its command. `script`: what the command of a package manager runs, if it is known. */
export function runnerOf(command: string, script?: string): TestRunner {
  const known = FILTERS.find(([starts]) => starts.test(command));
  return {
    command,
    some:
      known && ((filter) => commandForName(command, script, filter) ?? known[1](command, filter)),
  };
}

/** @throws {TellModel} if the runner can only run all tests, or the filter is invalid */
export function commandFor({ command, some }: TestRunner, filter: string | undefined): string {
  if (filter === undefined || filter.trim() === '') return command;
  if (filter.trim().startsWith('-') || /[\p{Cc}]/u.test(filter))
    throw new TellModel(
      'The filter must be a path or a name, not an option: give one of these, or omit it.',
    );
  if (some !== undefined) return some(filter.trim());
  throw new TellModel(
    `The test command is ${JSON.stringify(command)}, which can only run all tests: omit the filter.`,
  );
}
