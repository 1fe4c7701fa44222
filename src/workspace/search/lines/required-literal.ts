const MIN_LENGTH = 2;
const META = /[\\^$.*+?()[\]{}|]/;

/**
 * The longest literal at the outermost level of the expression, which every match must contain; `''` if
 * there is none. It may miss a literal, but never returns one that a match can lack.
 */
export function requiredLiteral(source: string): string {
  const runs: string[] = [];
  let run = '';
  const end = (): void => {
    runs.push(run);
    run = '';
  };
  for (let at = 0; at < source.length;) {
    if (source[at] === '|') return '';
    const { length, literal } = readAtom(source, at);
    const [quantifier = ''] =
      /^(?:[*+?]|\{\d*(?:,\d*)?\})\??/.exec(source.slice(at + length)) ?? [];
    if (literal === undefined || quantifier !== '') end();
    // One or more: the literal is required, but does not join its neighbours.
    if (literal !== undefined && quantifier.startsWith('+')) runs.push(literal);
    if (literal !== undefined && quantifier === '') run += literal;
    at += length + quantifier.length;
  }
  end();
  const longest = runs.toSorted((one, other) => other.length - one.length)[0] ?? '';
  return longest.length >= MIN_LENGTH && longest.isWellFormed() ? longest : '';
}

interface Atom {
  readonly length: number;
  /** The character that the atom matches, if it matches only itself. */
  readonly literal?: string;
}

function readAtom(source: string, at: number): Atom {
  const character = source[at] ?? '';
  if (character === '\\') return readEscape(source.slice(at, at + 2));
  if (character === '[') return { length: classEnd(source, at) - at };
  if (character === '(') return { length: groupEnd(source, at) - at };
  return META.test(character) ? { length: 1 } : { length: 1, literal: character };
}

/** Only escaped punctuation is a literal: a letter or digit may begin a longer escape. */
function readEscape(escape: string): Atom {
  const sign = escape[1] ?? '';
  if (sign !== '' && !/[\w\s]/.test(sign)) return { length: 2, literal: sign };
  // The rest of a longer escape would be read as a literal, so rely on nothing after it.
  return /[xucpPk0-9]/.test(sign) ? { length: Infinity } : { length: 2 };
}

function classEnd(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === ']') return at + 1;
  }
  return source.length;
}

function groupEnd(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === '[') at = classEnd(source, at) - 1;
    else if (source[at] === '(') depth += 1;
    else if (source[at] === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return source.length;
}
