import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';
import { unlessItFails } from '../../lib/unless-it-fails.ts';
import { literalGlob } from '../../lib/glob.ts';
import { instructionsTarget } from '../../lib/target-of.ts';
import { codeOf } from '../../lib/errors.ts';
import { directoriesIn, foldPath, readOnlyIn, type PathSettings } from './repository-paths.ts';

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
    if (stats.isSymbolicLink())
      return inside(posix.join(posix.dirname(path), readlinkSync(place)), realPath(root, place));
    if (!stats.isFile() || stats.size > LARGEST_POINTER) return [];
    const text = readFileSync(place, 'utf8').trim();
    return text === '' ? [] : inside(instructionsTarget({ path, text }));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}

/** `undefined` if it leads nowhere yet. */
const realPath = (root: string, place: string): string | undefined =>
  unlessItFails(() => posix.relative(realpathSync(root), realpathSync(place)));

const inside = (...paths: readonly (string | undefined)[]): string[] =>
  paths
    .filter((path) => path !== undefined && path !== '')
    .map((path) => posix.normalize(String(path)).replace(/\/$/, ''))
    .filter((path) => path !== '..' && !path.startsWith('../') && !path.startsWith('/'));
