/** Whether `path` is `directory` or below it. `''` is the root. Neither may end with a slash. */
export const isWithin = (path: string, directory: string): boolean =>
  directory === '' || path === directory || path.startsWith(`${directory}/`);

/**
 * Compiles a glob with the syntax of .gitignore and shells: `*` and `?` match within one name, `**`
 * crosses directories, `[a-z]` and `[!a-z]` are classes, `\` escapes the next character.
 * The matcher takes whole paths. Its time is at most the product of both lengths, for any pattern.
 * @throws {Error} for an invalid class, such as `[z-a]`
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const parts = partsOf(readTokens(glob));
  return (path) => matchParts(parts, path.split('/'));
}

/**
 * Compiles a glob of a search: `{a,b}` are alternatives, and a glob without a slash matches the file's
 * name in any directory.
 * @throws {Error} as `compileGlob`; for a class that is never closed, and for too many alternatives
 */
export function compileSearchGlob(glob: string): (path: string) => boolean {
  if (hasOpenClass(glob)) throw new Error('a "[" in it is never closed');
  const matchers = expandBraces(glob.replace(/^\.?\//, '')).map((each) =>
    compileGlob(each.includes('/') ? each : `**/${each}`),
  );
  return (path) => matchers.some((matches) => matches(path));
}

function hasOpenClass(glob: string): boolean {
  for (let at = 0; at < glob.length; at += 1)
    if (glob[at] === '\\') at += 1;
    else if (glob[at] === '[') {
      at = endOfClass(glob, at);
      if (at === -1) return true;
    }
  return false;
}

/** The place of the `]` that closes a class; -1 if none does. A `]` that comes first is a member. */
function endOfClass(glob: string, open: number): number {
  let at = open + 1;
  if (glob[at] === '!' || glob[at] === '^') at += 1;
  if (glob[at] === ']') at += 1;
  while (at < glob.length && glob[at] !== ']') at += glob[at] === '\\' ? 2 : 1;
  return at < glob.length ? at : -1;
}

/**
 * A filter for paths by a glob, which may be relative to the root or to the directory `start`. Without a
 * glob, all paths match.
 * @throws {Error} like `compileSearchGlob`
 */
export function globFilter(glob: string | undefined, start: string): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const matches = compileSearchGlob(glob);
  if (start === '') return matches;
  return (path) => matches(path) || matches(path.slice(start.length + 1));
}

const MAX_ALTERNATIVES = 64;

function expandBraces(glob: string): string[] {
  const pending = [glob];
  const expanded: string[] = [];
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    // Innermost braces first.
    const [whole, before = '', choices = '', after = ''] =
      /^(.*?)(?<!\\)\{([^{}]*)\}(.*)$/s.exec(each) ?? [];
    if (whole === undefined) expanded.push(each);
    else pending.push(...choices.split(',').map((choice) => before + choice + after));
    if (pending.length + expanded.length > MAX_ALTERNATIVES)
      throw new Error(`its braces expand to more than ${MAX_ALTERNATIVES} globs`);
  }
  return expanded;
}

/** Matches one character of a name: itself, one of a class, or (`undefined`) any. */
type NamePart = string | RegExp | undefined;
type Token = { readonly one: NamePart } | '*' | '/';
type NameMatcher = (name: string) => boolean;

/** Any number of directories, including none. */
const ANY_DEPTH = Symbol('**');
type PathPart = NameMatcher | typeof ANY_DEPTH;

function readTokens(glob: string): Token[] {
  const tokens: Token[] = [];
  let rest = glob;
  while (rest !== '') {
    const { token, length } = readToken(rest);
    tokens.push(token);
    rest = rest.slice(length);
  }
  return tokens;
}

function readToken(rest: string): { readonly token: Token; readonly length: number } {
  if (rest.startsWith('*')) return { token: '*', length: 1 };
  if (rest.startsWith('?')) return { token: { one: undefined }, length: 1 };
  const [bracketed, negation, members = ''] = /^\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]/s.exec(rest) ?? [];
  if (bracketed !== undefined && members !== '')
    return { token: { one: classOf(members, negation !== '') }, length: bracketed.length };
  const escaped = /^\\(.)/su.exec(rest);
  const literal = escaped?.[1] ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
  const length = escaped?.[0].length ?? literal.length;
  return { token: literal === '/' ? '/' : { one: literal }, length };
}

function classOf(members: string, isNegated: boolean): RegExp {
  const plain = members.replaceAll(/\\(\w)/g, '$1').replaceAll(/^\]|\[/g, String.raw`\$&`);
  return new RegExp(isNegated ? `[^${plain}]` : `[${plain}]`);
}

function partsOf(tokens: readonly Token[]): PathPart[] {
  const names: Token[][] = [[]];
  for (const token of tokens)
    if (token === '/') names.push([]);
    else names.at(-1)?.push(token);
  return names.flatMap((name, index): PathPart[] => {
    // As in git: two or more `*` alone between slashes. At the end of the glob they need one more name.
    const crosses = name.length >= 2 && name.every((token) => token === '*');
    if (!crosses) return [nameMatcher(name)];
    return index === names.length - 1 ? [() => true, ANY_DEPTH] : [ANY_DEPTH];
  });
}

function nameMatcher(tokens: readonly Token[]): NameMatcher {
  const chunks: NamePart[][] = [[]];
  for (const token of tokens)
    if (token === '*') chunks.push([]);
    else if (token !== '/') chunks.at(-1)?.push(token.one);
  const [first = [], ...others] = chunks;
  const last = others.pop();
  return (name) => {
    // The code points of the name; a string without surrogates can be used as it is.
    const units: Units = /[\ud800-\udfff]/.test(name) ? Array.from(name) : name;
    if (last !== undefined) return matchChunks(first, others, last, units);
    return units.length === first.length && fits(first, units, 0);
  };
}

type Units = ArrayLike<string>;

/** The name has to start with `first` and end with `last`, with `others` between them in order. */
function matchChunks(
  first: readonly NamePart[],
  others: readonly (readonly NamePart[])[],
  last: readonly NamePart[],
  units: Units,
): boolean {
  const end = units.length - last.length;
  if (end < first.length || !fits(first, units, 0) || !fits(last, units, end)) return false;
  let at = first.length;
  for (const chunk of others) {
    while (at + chunk.length <= end && !fits(chunk, units, at)) at += 1;
    at += chunk.length;
    if (at > end) return false;
  }
  return true;
}

function fits(ones: readonly NamePart[], units: Units, start: number): boolean {
  return ones.every((one, offset) => {
    const unit = units[start + offset] ?? '';
    return one === undefined || (typeof one === 'string' ? one === unit : one.test(unit));
  });
}

/** As with `*` in a name: if a later part fails, only the last `**` is extended by one directory. */
function matchParts(parts: readonly PathPart[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let retry: { readonly part: number; name: number } | undefined;
  while (name < names.length) {
    const wanted = parts[part];
    if (wanted === ANY_DEPTH) {
      retry = { part: part + 1, name };
      part += 1;
    } else if (wanted?.(names[name] ?? '') === true) {
      part += 1;
      name += 1;
    } else if (retry === undefined) {
      return false;
    } else {
      retry.name += 1;
      part = retry.part;
      name = retry.name;
    }
  }
  return parts.slice(part).every((left) => left === ANY_DEPTH);
}

/** A path with its signs escaped, so that as a glob it matches only itself. */
export const escapeGlob = (path: string): string => path.replaceAll(/[*?[\]{}!]/g, String.raw`\$&`);

/** The glob of this path from the root alone, and of what is below it. */
export const literalGlob = (path: string): string =>
  path.includes('/') ? escapeGlob(path) : `/${escapeGlob(path)}`;

const withSingleSpaces = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/**
 * Whether a command, or a narrower pattern, matches a pattern in which `*` matches any text: `npm test`
 * and `npm test *` match `npm *`.
 */
export function matchesCommand(pattern: string, command: string): boolean {
  const [first = '', ...rest] = withSingleSpaces(pattern).split('*');
  const text = withSingleSpaces(command);
  const last = rest.at(-1);
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return false;
  let at = first.length;
  for (const piece of rest.slice(0, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** The intersection of two lists of patterns: a command matches it only if it matches both. */
export const intersection = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([
    ...one.filter((pattern) => other.some((wider) => matchesCommand(wider, pattern))),
    ...other.filter((pattern) => one.some((wider) => matchesCommand(wider, pattern))),
  ]),
];
