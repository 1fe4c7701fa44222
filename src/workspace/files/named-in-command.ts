import { posix } from 'node:path';

/** Separate the words of a command, and of the code in it. Brackets belong to names of files too. */
const SEPARATORS = [/[\s'"`;|&<>$=,:*?\\]+/, /[\s'"`;|&<>$=,:*?\\(){}]+/];

/**
 * Tells which files a command names: by their path, by one below a directory that it names too (`cd lib && touch a.ts`), or
 * by such a directory and the name of another file (`mv src/a.ts lib`). A directory alone names none of its files.
 */
export function filesNamedIn(command: string, directory: string): (path: string) => boolean {
  const words = new Set(
    SEPARATORS.flatMap((separator) => command.split(separator)).map((word) =>
      posix.normalize(word).replace(/(?<=.)\/$/, ''),
    ),
  );
  const absolute = [...words].filter((word) => word.startsWith('/'));
  const names = new Set([...words].map((word) => posix.basename(word)));
  const isAbsolute = (path: string): boolean => absolute.some((word) => word.endsWith(`/${path}`));
  const isBelow = (path: string): boolean =>
    words.has(path) || isAbsolute(path) || directory === path;
  return (path) => {
    if (words.has(path) || isAbsolute(path)) return true;
    const parent = posix.dirname(path);
    if (isBelow(parent) && names.has(posix.basename(path))) return true;
    return [...path.matchAll(/\//g)].some(
      ({ index }) => isBelow(path.slice(0, index)) && words.has(path.slice(index + 1)),
    );
  };
}
