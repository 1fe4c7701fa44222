import { TellModel, unlessItFails } from '../../lib/errors.ts';
import { compileGlob } from '../../lib/glob.ts';
import type { ContainedTree } from './contained-tree.ts';
import { isStoredAsIs, MAX_POINTER_BYTES } from '../../lib/lfs-pointer.ts';
import { fromGitQuoted } from '../../lib/text/byte-names.ts';
import { quotePath } from './path-policy.ts';

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
type ReadRules = (directory: string) => string | undefined;

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

/** Git ignores longer lines. */
const MAX_LINE_BYTES = 2047;
const MAX_ATTRIBUTE_BYTES = 1024 * 1024;

/** `null`: it is unspecified from here on. */
type State = string | boolean | null;

/** What a line says of some attributes. */
type Settings = readonly (readonly [name: string, state: State])[];

interface AttributeLine {
  readonly byName: boolean;
  /** Takes the name, or the path relative to the directory of the file. */
  readonly matches: (nameOrPath: string) => boolean;
  readonly settings: Settings;
}

interface AttributeFile {
  readonly lines: readonly AttributeLine[];
  readonly macros: ReadonlyMap<string, Settings>;
  /** Where its own paths begin in a path from the root. */
  readonly start: number;
}

const BINARY: Settings = [
  ['diff', false],
  ['merge', false],
  ['text', false],
];

/** The attributes of a path; unspecified ones are missing. */
export type Attributes = ReadonlyMap<string, string | boolean>;

/** What the .gitattributes files of a work tree say, as git reads them. Each file is read when first needed. */
export class AttributeRules {
  readonly #read: ReadRules;
  /** By directory: those that have a say there, its own first. */
  readonly #files = new Map<string, readonly AttributeFile[]>();

  constructor(tree: ContainedTree) {
    this.#read = readRules(tree, '.gitattributes', MAX_ATTRIBUTE_BYTES);
  }

  of(path: string): Attributes {
    const cut = path.lastIndexOf('/');
    const name = path.slice(cut + 1);
    const files = this.#filesFor(path.slice(0, Math.max(0, cut)));
    const macros = new Map(files.flatMap((file) => [...file.macros]));
    const found = new Map<string, State>();
    const take = (settings: Settings): void => {
      for (const [attribute, state] of settings.toReversed()) {
        if (found.has(attribute)) continue;
        found.set(attribute, state);
        if (state === true) take(macros.get(attribute) ?? (attribute === 'binary' ? BINARY : []));
      }
    };
    for (const { lines, start } of files)
      for (const { byName, matches, settings } of lines.toReversed())
        if (matches(byName ? name : path.slice(start))) take(settings);
    return new Map([...found].flatMap(([each, state]) => (state === null ? [] : [[each, state]])));
  }

  isInLfs(path: string): boolean {
    return this.of(path).get('filter') === 'lfs';
  }

  #filesFor(directory: string): readonly AttributeFile[] {
    const known = this.#files.get(directory);
    if (known !== undefined) return known;
    const parent = directory.slice(0, Math.max(0, directory.lastIndexOf('/')));
    const above = directory === '' ? [] : this.#filesFor(parent);
    const text = this.#read(directory);
    const files = text === undefined ? above : [parseFile(text, directory), ...above];
    this.#files.set(directory, files);
    return files;
  }
}

function parseFile(text: string, directory: string): AttributeFile {
  const lines: AttributeLine[] = [];
  const macros = new Map<string, Settings>();
  for (const line of text.replace(/^\ufeff/, '').split('\n')) {
    if (Buffer.byteLength(line) > MAX_LINE_BYTES) continue;
    const { pattern, rest } = splitLine(line);
    const settings = parseSettings(rest);
    if (pattern === '' || pattern.startsWith('#') || settings === undefined) continue;
    const macro = /^\[attr\](.+)$/.exec(pattern)?.[1];
    if (macro === undefined) lines.push(...parseLine(pattern, settings));
    else if (directory === '' && isAttribute(macro)) macros.set(macro, settings);
  }
  return { lines, macros, start: directory === '' ? 0 : directory.length + 1 };
}

/** A pattern may be in quotes, as git writes names. */
function splitLine(line: string): { readonly pattern: string; readonly rest: string } {
  const trimmed = line.replace(/^[ \t\r]+/, '');
  const [quoted = ''] = /^"(?:[^"\\]|\\.)*"/.exec(trimmed) ?? [];
  const unquoted = quoted === '' ? undefined : unquote(quoted);
  if (unquoted !== undefined) return { pattern: unquoted, rest: trimmed.slice(quoted.length) };
  const [pattern = ''] = /^[^ \t\r]*/.exec(trimmed) ?? [];
  return { pattern, rest: trimmed.slice(pattern.length) };
}

function unquote(quoted: string): string | undefined {
  const read = fromGitQuoted(quoted) ?? unlessItFails((): unknown => JSON.parse(quoted));
  return typeof read === 'string' ? read : undefined;
}

const isAttribute = (name: string): boolean => /^[\w.][\w.-]*$/.test(name);

/** `undefined` if one is malformed: git then ignores the line. */
function parseSettings(text: string): Settings | undefined {
  const settings: (readonly [string, State])[] = [];
  for (const word of text.split(/[ \t\r]+/)) {
    if (word === '') continue;
    const [, sign = '', name = '', value] = /^([!-]?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (!isAttribute(name)) return undefined;
    if (sign === '-') settings.push([name, false]);
    else if (sign === '!') settings.push([name, null]);
    else settings.push([name, value ?? true]);
  }
  return settings;
}

/** None for what matches no file: directories, and what git does not take. */
function parseLine(pattern: string, settings: Settings): readonly AttributeLine[] {
  if (pattern.startsWith('!') || pattern.endsWith('/')) return [];
  const matches = unlessItFails(() => compileGlob(pattern.replace(/^\//, '')));
  return matches === undefined ? [] : [{ byName: !pattern.includes('/'), matches, settings }];
}

/** The files whose contents Git LFS stores: here they are pointers, and stay what they are. */
export class LfsFiles {
  readonly #tree: ContainedTree;
  readonly #denied = new Set<string>();

  constructor(tree: ContainedTree) {
    this.#tree = tree;
  }

  /** What tools were to write and did not. */
  get denied(): readonly string[] {
    return [...this.#denied].toSorted();
  }

  /** @throws {TellModel} if a commit could not have this content at the path */
  requireWritable(names: readonly string[], content: Uint8Array | undefined): void {
    const path = names.join('/');
    this.#denied.delete(path);
    if ((content !== undefined && isStoredAsIs(content)) || !this.#rules().isInLfs(path)) return;
    this.#denied.add(path);
    throw new TellModel(
      `The path ${quotePath(path)} cannot be written: .gitattributes has Git LFS store it, which is not used here. ` +
        'A pointer can be moved, deleted, or replaced by one that the repository has already. Describe the change in the pull request instead.',
    );
  }

  /** The same for what is there. */
  requireMovable(from: readonly string[], to: readonly string[]): void {
    this.requireWritable(to, this.#pointerAt(from));
  }

  /** Tells whether a file that is there is one that commits leave out. */
  leftOut(): (path: string) => boolean {
    const rules = this.#rules();
    return (path) => {
      if (!rules.isInLfs(path)) return false;
      const content = this.#pointerAt(path.split('/'));
      return content === undefined || !isStoredAsIs(content);
    };
  }

  #rules(): AttributeRules {
    return new AttributeRules(this.#tree);
  }

  /** `undefined`: what is there is too large for a pointer, or no file. */
  #pointerAt(names: readonly string[]): Uint8Array | undefined {
    return unlessItFails(() => this.#tree.read(names, MAX_POINTER_BYTES));
  }
}
