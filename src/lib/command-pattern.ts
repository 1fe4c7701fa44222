/** On one line, with single spaces. */
const spaced = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/**
 * Whether a command, or a narrower pattern, fits a pattern in which `*` stands for anything: `npm test`
 * and `npm test *` fit `npm *`.
 */
export function fitsCommand(pattern: string, command: string): boolean {
  const [first = '', ...rest] = spaced(pattern).split('*');
  const text = spaced(command);
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

/** Patterns that only what fits both lists fits. */
export const inBoth = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([
    ...one.filter((pattern) => other.some((wider) => fitsCommand(wider, pattern))),
    ...other.filter((pattern) => one.some((wider) => fitsCommand(wider, pattern))),
  ]),
];
