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

/** Reads a directory's .gitignore; `undefined` if there is none or it is not a plain file. */
export type ReadIgnoreFile = (directory: string) => string | undefined;

/** A link or a device is not read: git would not read it either. */
export const ignoreFilesIn =
  (tree: ContainedTree): ReadIgnoreFile =>
  (directory) =>
    unlessItFails(() => {
      const names = directory === '' ? [] : directory.split('/');
      return new TextDecoder().decode(tree.read([...names, '.gitignore'], MAX_FILE_BYTES));
    });

/**
 * What the .gitignore files of a work tree ignore; each file is read when first needed. Patterns come
 * from anyone who can commit, so matching is bounded in time.
 */
export class IgnoreRules {
  readonly #read: ReadIgnoreFile;
  readonly #rules = new Map<string, readonly Rule[]>();
  readonly #directories = new Map<string, boolean>();

  constructor(read: ReadIgnoreFile) {
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
    const names = directory === '' ? [] : directory.split('/');
    const levels = [...names.keys(), names.length].toReversed().map((depth) => ({
      rules: this.#rulesOf(names.slice(0, depth).join('/')),
      prefix: names
        .slice(depth)
        .map((name) => `${name}/`)
        .join(''),
    }));
    const ruling = levels.filter(({ rules }) => rules.length > 0);
    return (name, isDirectory) => {
      for (const { rules, prefix } of ruling) {
        const path = prefix + name;
        const rule = rules.findLast(
          ({ directoriesOnly, byName, matches }) =>
            (isDirectory || !directoriesOnly) && matches(byName ? name : path),
        );
        if (rule !== undefined) return !rule.negated;
      }
      return false;
    };
  }

  #rulesOf(directory: string): readonly Rule[] {
    let rules = this.#rules.get(directory);
    if (rules === undefined) {
      rules = parseIgnoreFile(this.#read(directory) ?? '');
      this.#rules.set(directory, rules);
    }
    return rules;
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
