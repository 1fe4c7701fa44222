import { readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { hasCode } from '../error-code.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import { IsSymbolicLink } from '../files/open-directory.ts';
import type { OpenDirectory } from '../files/open-directory.ts';
import { NotPlainFile } from '../files/plain-file.ts';
import type { SearchPlace } from './place.ts';
import { Visible } from './visible.ts';

/** A directory, open while it is looked at, with the names of its regular files that may be seen. */
export interface WalkedDirectory {
  /** From the root, `''` for the root itself. */
  readonly path: string;
  readonly directory: OpenDirectory;
  readonly files: readonly string[];
}

/**
 * The directories from `start` on, each before those in it, by name. Follows no link and enters no
 * repository inside this one. What comes, changes or goes meanwhile is seen or not.
 */
export function* walkDirectories(
  place: SearchPlace,
  start: readonly string[],
): Generator<WalkedDirectory> {
  const tree = new ContainedTree(place.root);
  const visible = new Visible(tree, place);
  // Nothing is known of the directories around it: each may have rules.
  for (const depth of start.keys()) visible.note(start.slice(0, depth).join('/'), ['.gitignore']);
  const directory = tree.open(start);
  try {
    yield* walkFrom(directory, start.join('/'), visible);
  } finally {
    directory.close();
  }
}

function* walkFrom(
  directory: OpenDirectory,
  path: string,
  visible: Visible,
): Generator<WalkedDirectory> {
  const entries = entriesOf(directory);
  const names = entries.map(({ name }) => name);
  if (path !== '' && names.includes('.git')) return;
  visible.note(path, names);
  const isVisible = visible.inside(path);
  const seen = entries.filter((entry) => isVisible(entry.name, entry.isDirectory()));
  const files = seen.filter((entry) => entry.isFile()).map(({ name }) => name);
  yield { path, directory, files: files.toSorted() };
  const inner = seen.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  for (const name of inner.toSorted())
    yield* walkInner(directory, name, pathOf(path, name), visible);
}

function* walkInner(
  outer: OpenDirectory,
  name: string,
  path: string,
  visible: Visible,
): Generator<WalkedDirectory> {
  const directory = unlessGone(() => outer.enter(name));
  if (directory === undefined) return;
  try {
    yield* walkFrom(directory, path, visible);
  } finally {
    directory.close();
  }
}

export const pathOf = (directory: string, name: string): string =>
  directory === '' ? name : `${directory}/${name}`;

const entriesOf = (directory: OpenDirectory): Dirent[] =>
  unlessGone(() => readdirSync(directory.at('.'), { withFileTypes: true })) ?? [];

/** Undefined where something is no longer what the walk saw, or closed to us. */
export function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof IsSymbolicLink ||
  error instanceof NotPlainFile ||
  hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'ELOOP');
