// The command that says on which pull request the work is to be based.
import { CUT } from '../session/said/said.ts';
import type { PlacedWord } from './memory-words.ts';

interface BaseCommand {
  readonly for: 'base' | 'unclear';
  readonly saysMore: boolean;
}

/** Words that may stand between the command and the number. GitHub shows `#12` as a link, which is cut out. */
const BETWEEN: ReadonlySet<string> = new Set(
  `on upon top of to pull request pr issue number ${CUT}`.split(' '),
);

const isNumber = (word: string): boolean => /^\d+$/.test(word);

/**
 * `undefined`: it is no such command. `words` are those of `text` without fillers. Other words may follow the number if
 * `parted` says that the text between separates the two.
 */
export function baseCommandIn(
  text: string,
  words: readonly PlacedWord[],
  parted: (rest: string) => boolean,
): BaseCommand | undefined {
  const [first, ...rest] = words;
  if (first?.word !== 'base') return undefined;
  if (rest.length === 0) return { for: 'unclear', saysMore: false };
  const other = rest.findIndex(({ word }) => !isNumber(word) && !BETWEEN.has(word));
  const named = rest.slice(0, other === -1 ? rest.length : other);
  const last = named.findLast(({ word }) => isNumber(word) || word === CUT);
  if (last === undefined) return undefined;
  if (other !== -1 && !parted(text.slice(last.end))) return undefined;
  return { for: 'base', saysMore: other !== -1 };
}
