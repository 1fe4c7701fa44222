// Which tests failed, so that two runs can be compared.
import type { CommandDone } from '../../contracts/shell.ts';
import { faultyLines, fingerprintOf } from '../../lib/fingerprint.ts';
import type { TestResults } from './test-output.ts';

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
