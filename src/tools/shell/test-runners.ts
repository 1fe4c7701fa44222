import { TellModel } from '../../lib/errors.ts';

/** How to run all tests, or some of them. */
export interface TestRunner {
  readonly command: string;
  /** The command for a test file or name; missing if the runner can only run all tests. */
  readonly some?: ((filter: string) => string) | undefined;
}

/** Quotes a text as one word for `sh`. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const isPath = (filter: string): boolean => /[/\\]|\.\w{1,5}(?:::|$)/.test(filter);

/** How to add a filter, by the beginning of the command. */
const FILTERS: readonly (readonly [
  starts: RegExp,
  some: (command: string, filter: string) => string,
])[] = [
  [/^npm (?:run )?\S+$/, (command, filter) => `${command} -- ${quoted(filter)}`],
  [/^(?:pnpm|yarn|bun) (?:run )?\S+$/, (command, filter) => `${command} ${quoted(filter)}`],
  [/^(?:npx |bunx |pnpm exec |yarn )?(?:jest|vitest|mocha|ava)\b/, added],
  [/^node\b.* --test\b/, added],
  [/^(?:\S{0,300}python\S{0,20} -m )?pytest\b|^(?:uv|poetry|pdm) run pytest\b/, pytest],
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

function goTest(command: string, filter: string): string {
  if (!isPath(filter)) return `${command} -run ${quoted(filter)}`;
  const path = filter.startsWith('.') ? filter : `./${filter}`;
  return command.includes('./...')
    ? command.replace('./...', () => quoted(path))
    : added(command, path);
}

/** A runner by its command. */
export function runnerOf(command: string): TestRunner {
  const known = FILTERS.find(([starts]) => starts.test(command));
  return { command, some: known && ((filter) => known[1](command, filter)) };
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
