// Adapts the new lines of an edit to a file whose indentation, line ends or quotes differ from those of the old lines.

/** What can differ between the old text of an edit and the place in the file that is meant. */
export type LineDifference = 'white space at line ends' | 'indentation' | 'quotes';

const QUOTES = /["'`‘’‚‛′“”„‟″«»]/g;

/** With one kind of quotes; each character keeps its place. */
export const foldQuotes = (text: string): string => text.replaceAll(QUOTES, "'");

/** A line without what an edit may differ in. */
export const foldLine = (line: string): string => foldQuotes(partsOf(line).words);

interface LineParts {
  readonly indent: string;
  readonly words: string;
  readonly end: string;
}

function partsOf(line: string): LineParts {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  let end = line.length;
  while (end > indent.length && ' \t'.includes(line.charAt(end - 1))) end -= 1;
  return { indent, words: line.slice(indent.length, end), end: line.slice(end) };
}

/** Lines of the old text with those of the file: equal, except for the differences above. */
export type LinePair = readonly [old: string, inFile: string];

export function differencesOf(pairs: readonly LinePair[]): readonly LineDifference[] {
  const found = new Set<LineDifference>();
  for (const [old, inFile] of pairs) {
    const [one, other] = [partsOf(old), partsOf(inFile)];
    if (one.words === '' && old !== inFile) found.add('white space at line ends');
    else if (one.indent !== other.indent) found.add('indentation');
    if (one.end !== other.end) found.add('white space at line ends');
    if (one.words !== other.words) found.add('quotes');
  }
  return [...found];
}

/**
 * The new lines as the file would have them: what is the same as an old line stays as it is in the file, and other
 * lines are indented and quoted likewise. `undefined` if it is not certain how.
 */
export function adaptLines(
  pairs: readonly LinePair[],
  newLines: readonly string[],
): readonly string[] | undefined {
  const kept = onlyMeaning(pairs);
  const indentLike = findIndentation(
    pairs
      .map(([old, inFile]) => [partsOf(old), partsOf(inFile)] as const)
      .filter(([old]) => old.words !== '')
      .map(([old, inFile]) => [old.indent, inFile.indent] as const),
  );
  const quoteLike = findQuotes(pairs);
  if (indentLike === undefined || quoteLike === undefined) return undefined;
  const adapted: string[] = [];
  for (const line of newLines) {
    const same = kept.get(line);
    const { indent, words, end } = partsOf(line);
    const indented = words === '' ? indent : indentLike(indent);
    const text = same ?? joined(indented, quoteLike(words), end);
    if (text === undefined) return undefined;
    adapted.push(text);
  }
  return adapted;
}

const joined = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.includes(undefined) ? undefined : parts.join('');

/** Of each first value, the second if there is only one. */
function onlyMeaning(
  pairs: Iterable<readonly [string, string]>,
): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const [from, to] of pairs)
    found.set(from, found.has(from) && found.get(from) !== to ? undefined : to);
  return found;
}

type Adapt = (text: string) => string | undefined;

/**
 * How an indentation of the old text is written in the file: with something before it, without something, or in another
 * unit. What two of these rules would write differently is uncertain. `undefined` if none holds.
 */
function findIndentation(pairs: readonly LinePair[]): Adapt | undefined {
  const known = onlyMeaning(pairs);
  if ([...known.values()].includes(undefined)) return undefined;
  if (pairs.every(([old, inFile]) => old === inFile)) return (indent) => indent;
  const rules = [moreBy(pairs), lessBy(pairs), inUnits(pairs)]
    .filter((rule) => rule !== undefined)
    .filter((rule) => pairs.every(([old, inFile]) => rule(old) === inFile));
  if (rules.length === 0) return undefined;
  return (indent) => {
    const results = new Set(rules.map((rule) => rule(indent)));
    return known.get(indent) ?? (results.size === 1 ? [...results][0] : undefined);
  };
}

function moreBy([pair]: readonly LinePair[]): Adapt | undefined {
  const [old = '', inFile = ''] = pair ?? [];
  const more = inFile.slice(0, Math.max(0, inFile.length - old.length));
  return more === '' ? undefined : (indent) => more + indent;
}

function lessBy([pair]: readonly LinePair[]): Adapt | undefined {
  const [old = '', inFile = ''] = pair ?? [];
  const less = old.slice(0, Math.max(0, old.length - inFile.length));
  if (less === '') return undefined;
  return (indent) => (indent.startsWith(less) ? indent.slice(less.length) : undefined);
}

function inUnits(pairs: readonly LinePair[]): Adapt | undefined {
  const [old = '', inFile = ''] = pairs.find(([, indent]) => indent !== '') ?? [];
  if (old === '' || !isOneCharacter(old) || !isOneCharacter(inFile)) return undefined;
  return (indent) => {
    const length = (indent.length * inFile.length) / old.length;
    const fits = indent === old.charAt(0).repeat(indent.length) && Number.isInteger(length);
    return fits ? inFile.charAt(0).repeat(length) : undefined;
  };
}

const isOneCharacter = (text: string): boolean => text === text.charAt(0).repeat(text.length);

/** How a quote of the old text is written in the file, by its kind and whether it opens. */
function findQuotes(pairs: readonly LinePair[]): Adapt | undefined {
  const seen = pairs.flatMap(([old, inFile]) => {
    const marks = [...partsOf(inFile).words.matchAll(QUOTES)].map(([mark]) => mark);
    return rolesIn(partsOf(old).words).map((role, index) => [role, marks[index] ?? ''] as const);
  });
  if (seen.every(([role, mark]) => role.startsWith(mark))) return (words) => words;
  const known = onlyMeaning(seen);
  if ([...known.values()].includes(undefined)) return undefined;
  return (words) => quotedLike(words, known);
}

function quotedLike(
  words: string,
  known: ReadonlyMap<string, string | undefined>,
): string | undefined {
  const roles = rolesIn(words);
  const marks = roles.map((role) => known.get(role));
  if (marks.includes(undefined)) return undefined;
  const kinds = new Set(roles.map((role) => role.charAt(0)));
  const isMixedUp = new Set(marks).size < kinds.size;
  const isApostrophe = /\p{L}'\p{L}/u.test(words) && !"'’".includes(known.get("' closes") ?? '');
  if (isMixedUp || isApostrophe) return undefined;
  let index = 0;
  return words.replaceAll(QUOTES, () => marks[index++] ?? '');
}

/** Each quote of a text, as `" opens` or `" closes`. */
function rolesIn(words: string): string[] {
  return [...words.matchAll(QUOTES)].map(({ 0: mark, index }) => {
    const opens = index === 0 || /[\s([{=:,—–-]/.test(words.charAt(index - 1));
    return `${mark} ${opens ? 'opens' : 'closes'}`;
  });
}
