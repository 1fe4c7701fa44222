import { unlessItFails } from '../../lib/unless-it-fails.ts';
import { compileGlob } from '../../lib/glob.ts';
import type { ContainedTree } from './contained-tree.ts';

const MAX_FILE_BYTES = 256 * 1024;

/** No path is longer, and compiling an unclosed class takes quadratic time. */
const MAX_PATTERN = 1024;

interface Rule {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** A pattern without a slash matches the name at any depth. */
  readonly byName: boolean;
  /** Takes the name, or the path relative to the directory of the .gitignore file. */
  readonly matches: (nameOrPath: string) => boolean;
}

interface IgnoreFile {
  readonly rules: readonly Rule[];
  /** Where its own paths begin in a path from the root. */
  readonly start: number;
}

/** Reads a directory's file of rules; `undefined` if there is none or it is not a plain file. */
export type ReadRules = (directory: string) => string | undefined;

/** A link or a device is not read: git would not read it either. */
export const readRules =
  (tree: ContainedTree, name = '.gitignore', maxBytes = MAX_FILE_BYTES): ReadRules =>
  (directory) =>
    unlessItFails(() => {
      const names = directory === '' ? [] : directory.split('/');
      return new TextDecoder().decode(tree.read([...names, name], maxBytes));
    });

/**
 * What the .gitignore files of a work tree ignore; each file is read when first needed. Patterns come
 * from anyone who can commit, so matching is bounded in time.
 */
export class IgnoreRules {
  readonly #read: ReadRules;
  /** By directory: those that have a say there, its own first. */
  readonly #files = new Map<string, readonly IgnoreFile[]>();
  readonly #directories = new Map<string, boolean>();

  constructor(read: ReadRules) {
    this.#read = read;
  }

  /** `path` is relative to the root. What is in an ignored directory is ignored, whatever its own rules say. */
  isIgnored(path: string, isDirectory: boolean): boolean {
    const cut = path.lastIndexOf('/');
    const parent = path.slice(0, Math.max(0, cut));
    return (
      (cut > 0 && this.#isIgnoredDirectory(parent)) ||
      this.inside(parent)(path.slice(cut + 1), isDirectory)
    );
  }

  #isIgnoredDirectory(path: string): boolean {
    const is = this.#directories.get(path) ?? this.isIgnored(path, true);
    this.#directories.set(path, is);
    return is;
  }

  /** Tells which names in a directory are ignored, as if the directory itself were not. */
  inside(directory: string): (name: string, isDirectory: boolean) => boolean {
    const files = this.#filesFor(directory);
    const prefix = directory === '' ? '' : `${directory}/`;
    return (name, isDirectory) => {
      for (const { rules, start } of files) {
        const path = prefix + name;
        const rule = rules.findLast(
          ({ directoriesOnly, byName, matches }) =>
            (isDirectory || !directoriesOnly) && matches(byName ? name : path.slice(start)),
        );
        if (rule !== undefined) return !rule.negated;
      }
      return false;
    };
  }

  /** Made from that of the parent: directories can be in one another a thousand times. */
  #filesFor(directory: string): readonly IgnoreFile[] {
    const known = this.#files.get(directory);
    if (known !== undefined) return known;
    const parent = directory.slice(0, Math.max(0, directory.lastIndexOf('/')));
    const above = directory === '' ? [] : this.#filesFor(parent);
    const rules = parseIgnoreFile(this.#read(directory) ?? '');
    const start = directory === '' ? 0 : directory.length + 1;
    const files = rules.length === 0 ? above : [{ rules, start }, ...above];
    this.#files.set(directory, files);
    return files;
  }
}

function parseIgnoreFile(text: string): Rule[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((line) => parseRule(line) ?? []);
}

function parseRule(line: string): Rule | undefined {
  const pattern = withoutTrailingSpaces(line);
  const negated = pattern.startsWith('!');
  const body = negated ? pattern.slice(1) : pattern;
  const glob = body.replace(/\/$/, '');
  if (glob === '' || pattern.startsWith('#') || glob.length > MAX_PATTERN) return undefined;
  // Git, too, lets a broken pattern match nothing.
  const matches = unlessItFails(() => compileGlob(glob.replace(/^\//, '')));
  if (matches === undefined) return undefined;
  return { negated, directoriesOnly: body.endsWith('/'), byName: !glob.includes('/'), matches };
}

/** Keeps a space that is escaped by a backslash. A regular expression would take quadratic time. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ' && line[end - 2] !== '\\') end -= 1;
  return line.slice(0, end);
}
