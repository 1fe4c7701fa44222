import { posix } from 'node:path';

const LONGEST_NAME = 300;

/**
 * The path of the other file that this one only names, as a symbolic link does, and `@AGENTS.md` in
 * a CLAUDE.md; from the directory of the file.
 */
export function instructionsTarget(file: {
  readonly path: string;
  readonly text: string;
}): string | undefined {
  const { path, text } = file;
  if (text.length > LONGEST_NAME || /\s/.test(text)) return undefined;
  const target = posix.join(posix.dirname(path), text.replace(/^@/, ''));
  return target === path ? undefined : target;
}
