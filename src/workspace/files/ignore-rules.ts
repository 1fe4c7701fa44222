import { compileGlob } from '../../lib/glob.ts';

/** No path is longer, and compiling a class that never closes takes quadratic time. */
const MAX_PATTERN = 1024;

interface Rule {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Without a slash: about the name alone, however deep. */
  readonly byName: boolean;
  /** Given the name, or the path from the directory of the .gitignore file. */
  readonly matches: (nameOrPath: string) => boolean;
}

/** Reads the text of a directory's .gitignore; undefined where there is none to trust. */
export type ReadIgnoreFile = (directory: string) => string | undefined;

/**
 * What the .gitignore files of a work tree leave out, read when first needed. Patterns are matched in
 * linear time, as anybody who can commit wrote them.
 */
export class IgnoreRules {
  readonly #read: ReadIgnoreFile;
  readonly #rules = new Map<string, readonly Rule[]>();

  constructor(read: ReadIgnoreFile) {
    this.#read = read;
  }

  /** `path` from the root; the caller has seen that none of its parents is ignored. */
  isIgnored(path: string, isDirectory: boolean): boolean {
    const cut = path.lastIndexOf('/');
    return this.inside(path.slice(0, Math.max(0, cut)))(path.slice(cut + 1), isDirectory);
  }

  /** As `isIgnored`, for the names in one directory: its rules are gathered once. */
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
  try {
    const matches = compileGlob(glob.replace(/^\//, ''));
    return { negated, directoriesOnly: body.endsWith('/'), byName: !glob.includes('/'), matches };
  } catch {
    return undefined; // git, too, lets a broken pattern match nothing
  }
}

/** Up to a space that a backslash keeps. Not by an expression: it would take quadratic time. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ' && line[end - 2] !== '\\') end -= 1;
  return line.slice(0, end);
}
