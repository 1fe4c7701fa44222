import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';
import { codeOf, TellModel, unlessItFails } from '../../lib/errors.ts';
import { compileSearchGlob, literalGlob } from '../../lib/glob.ts';
import { foldName, quotePath } from './path-policy.ts';
import { instructionsTarget } from '../../lib/target-of.ts';

const MAX_NAMED = 5;

/**
 * A repository's path settings: globs as in .gitignore, plus `{a,b}`. A glob without a slash matches in
 * any directory, one that begins with a slash only from the root. A match includes everything below it.
 */
export interface PathSettings {
  /** Only these may be written; all paths if omitted. */
  readonly allow?: readonly string[] | undefined;
  /** Never read, written or listed, even if `allow` matches. */
  readonly deny?: readonly string[] | undefined;
  /** Never written, in any spelling: they decide how agents work. */
  readonly readOnly?: readonly string[] | undefined;
  /** Workflow files may be written: they are committed once people approved the change. */
  readonly workflows?: boolean | undefined;
}

type Matches = (path: string) => boolean;

export class PathRules {
  readonly mayChangeWorkflows: boolean;
  readonly #allow: readonly string[] | undefined;
  readonly #isAllowed: Matches;
  readonly #deniesAny: boolean;
  readonly #isDenied: Matches;
  readonly #isDeniedFolded: Matches;
  readonly #isReadOnlyFolded: Matches;
  readonly #leadToReadOnly: ReadonlySet<string>;

  /** @throws {Error} if a glob is invalid */
  constructor({ allow, deny = [], readOnly = [], workflows = false }: PathSettings = {}) {
    this.mayChangeWorkflows = workflows;
    this.#allow = allow;
    this.#isAllowed = anyOf(allow ?? []);
    this.#deniesAny = deny.length > 0;
    this.#isDenied = anyOf(deny);
    this.#isDeniedFolded = anyOf(deny.map((glob) => glob.toLowerCase()));
    this.#isReadOnlyFolded = anyOf(readOnly.map((glob) => glob.toLowerCase()));
    this.#leadToReadOnly = new Set(readOnly.flatMap(directoriesIn).map(foldPath));
  }

  /** Whether a `deny` glob matches the path itself, in any spelling; parent directories are not checked. */
  isDenied(path: string): boolean {
    if (!this.#deniesAny) return false;
    const plain = foldPath(path);
    return this.#isDeniedFolded(plain) || (plain !== path && this.#isDenied(path));
  }

  /** Whether a `deny` glob matches the path or a parent directory. */
  isClosed(names: readonly string[]): boolean {
    return this.#deniesAny && pathsTo(names).some((path) => this.isDenied(path));
  }

  /** @throws {TellModel} if the path may not be read */
  requireOpen(names: readonly string[]): void {
    if (!this.isClosed(names)) return;
    throw new TellModel(
      `The repository settings deny access to ${quotePath(names.join('/'))}. Work without it, or ask people.`,
    );
  }

  /** @throws {TellModel} if a file or a link may not be written at the path */
  requireWritable(names: readonly string[]): void {
    this.requireOpen(names);
    const plain = names.map(foldName);
    if (pathsTo(plain).some(this.#isReadOnlyFolded))
      throw new TellModel(`The path ${quotePath(names.join('/'))} ${STEERS}`);
    if (this.#leadToReadOnly.has(plain.join('/')))
      throw new TellModel(`The path ${quotePath(names.join('/'))} ${LEADS}`);
    if (this.#allow === undefined || pathsTo(names).some(this.#isAllowed)) return;
    throw new TellModel(
      `The path ${quotePath(names.join('/'))} cannot be written: the repository settings allow ${namesOf(this.#allow)}.`,
    );
  }
}

const STEERS =
  'cannot be written: it decides how agents work here, so only people change it, unless the settings ' +
  'on the default branch say `edit_instructions: true`; describe the change in the pull request instead.';

const LEADS =
  'has to stay a directory, or be none at all: what decides how agents work here is looked for below it.';

export const foldPath = (path: string): string => path.split('/').map(foldName).join('/');

/** The fixed leading directories of a glob: `docs` and `docs/ai` of `docs/ai/*.md`. */
function directoriesIn(glob: string): string[] {
  const names = glob.replaceAll(/^\/|\/$/g, '').split('/');
  const many = names.findIndex((name) => /[*?[{]/.test(name.replaceAll(/\\./gs, '')));
  const plain = names
    .slice(0, many === -1 ? -1 : many)
    .map((name) => name.replaceAll(/\\(.)/gs, '$1'));
  return pathsTo(plain);
}

/** The paths of all parent directories, and the path itself. */
const pathsTo = (names: readonly string[]): string[] =>
  names.map((_, index) => names.slice(0, index + 1).join('/'));

/** Whether one of these globs matches a path, in any spelling, or a directory that holds it. */
function readOnlyIn(globs: readonly string[]): Matches {
  const matches = anyOf(globs.map((glob) => glob.toLowerCase()));
  const known = new Map<string, boolean>();
  const isReadOnly = (path: string): boolean => {
    const end = path.lastIndexOf('/');
    if (end !== -1 && inDirectory(path.slice(0, end))) return true;
    return matches(foldPath(path));
  };
  const inDirectory = (path: string): boolean => {
    const is = known.get(path) ?? isReadOnly(path);
    known.set(path, is);
    return is;
  };
  return isReadOnly;
}

function anyOf(globs: readonly string[]): Matches {
  const all = globs.map(compilePathGlob);
  return (path) => all.some((matches) => matches(path));
}

/** Sessions have mostly the same globs: the compiled ones of a hundred took 12 MB. */
const MOST_COMPILED = 2_000;
const compiled = new Map<string, Matches>();

/** @throws {Error} if the glob is invalid */
function compilePathGlob(glob: string): Matches {
  const known = compiled.get(glob);
  if (known !== undefined) return known;
  const matches = compile(glob);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(glob, matches);
  return matches;
}

function compile(glob: string): Matches {
  const bare = glob.replace(/\/$/, '');
  const matches = compileSearchGlob(bare);
  const isRootName = bare.lastIndexOf('/') === 0;
  return isRootName ? (path) => !path.includes('/') && matches(path) : matches;
}

function namesOf(globs: readonly string[]): string {
  const named = globs.slice(0, MAX_NAMED).map((glob) => JSON.stringify(glob));
  const more = globs.length - named.length;
  if (named.length === 0) return 'no writes';
  if (more > 0) named.push(`${more} more`);
  return `writes only to ${named.join(', ')}`;
}

const LARGEST_POINTER = 1000;

/**
 * The settings, with what read-only files only point to read-only too: who writes there changes what they say.
 * @param root holds the base commit as people left it
 * @param tracked the paths that it contains
 */
export function withTargets(
  root: string,
  tracked: Iterable<string>,
  settings: PathSettings = {},
): PathSettings {
  if (settings.readOnly === undefined || settings.readOnly.length === 0) return settings;
  const paths = [...tracked];
  const readOnly = throughLinks(root, paths, settings.readOnly);
  const pending = paths.filter(readOnlyIn(readOnly));
  const targets = new Set<string>();
  for (let path = pending.pop(); path !== undefined; path = pending.pop())
    for (const target of targetsOf(root, path)) {
      if (target === '.' || targets.has(target)) continue;
      targets.add(target);
      pending.push(target);
    }
  return { ...settings, readOnly: [...readOnly, ...[...targets].map(globOf)] };
}

const globOf = (path: string): string => literalGlob(foldPath(path));

const MOST_GLOBS = 1000;

/** With the places that the globs name if a directory on their way is a link. */
function throughLinks(
  root: string,
  tracked: readonly string[],
  globs: readonly string[],
): readonly string[] {
  const all = new Set(globs);
  const byName = Map.groupBy(tracked, foldPath);
  for (const glob of all)
    for (const [at, directory] of directoriesIn(glob).entries())
      for (const link of byName.get(foldPath(directory)) ?? []) {
        const rest = glob
          .replace(/^\//, '')
          .split('/')
          .slice(at + 1)
          .join('/');
        for (const target of linkedFrom(root, link))
          if (all.size < MOST_GLOBS)
            all.add(target === '.' ? `/${rest}` : `${globOf(target)}/${rest}`);
      }
  return [...all];
}

/** Where a link leads; nothing for a file. */
const linkedFrom = (root: string, path: string): string[] =>
  unlessItFails(() => lstatSync(posix.join(root, path)).isSymbolicLink()) === true
    ? targetsOf(root, path)
    : [];

/** From the root: where one step leads, and, for a link, where all of them do. */
function targetsOf(root: string, path: string): string[] {
  const place = posix.join(root, path);
  try {
    const stats = lstatSync(place);
    if (stats.isSymbolicLink()) {
      const step = posix.join(posix.dirname(path), readlinkSync(place));
      // `undefined` if it leads nowhere yet.
      const end = unlessItFails(() => posix.relative(realpathSync(root), realpathSync(place)));
      return inside(step, end);
    }
    if (!stats.isFile() || stats.size > LARGEST_POINTER) return [];
    const text = readFileSync(place, 'utf8').trim();
    return text === '' ? [] : inside(instructionsTarget({ path, text }));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}

const inside = (...paths: readonly (string | undefined)[]): string[] =>
  paths
    .filter((path) => path !== undefined && path !== '')
    .map((path) => posix.normalize(String(path)).replace(/\/$/, ''))
    .filter((path) => path !== '..' && !path.startsWith('../') && !path.startsWith('/'));
