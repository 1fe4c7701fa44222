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
