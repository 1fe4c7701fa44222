// How a test runner is told to run only a file, or only the tests of a name.
import { escapeExpression } from '../../lib/text/text.ts';
import { withoutQuotes, commandWords, type CommandWords } from './package-scripts.ts';

/** Quotes a text as one word for `sh`. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const isPath = (filter: string): boolean => /[/\\]|\.\w{1,5}(?:::|$)/.test(filter);

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
export function runnerIn(command: string): RunnerCommand | undefined {
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

export const isByName = ({ name }: RunnerCommand, filter: string): boolean =>
  RUNNERS.get(name)?.isName(filter) === true;

/** What tells a runner of a filter, behind its other words. */
export const wordsFor = ({ name }: RunnerCommand, filter: string): string => {
  const runner = RUNNERS.get(name);
  return runner?.isName(filter) === true ? runner.named(filter) : shellQuoted(filter);
};

/** The command with a filter in place of its own files; `undefined`: nobody knows which of its words these are. */
export function filtered(runner: RunnerCommand, filter: string): string | undefined {
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
export const hasFiles = ({ words, head }: RunnerCommand): boolean =>
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
export function withoutFiles(args: CommandWords): CommandWords | undefined {
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
