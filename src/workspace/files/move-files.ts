import { TellModel } from '../../lib/errors.ts';
import type { Move, StoredChange } from '../../contracts/files.ts';
import { TimeSlice } from '../../lib/threads/time-slice.ts';
import type { ContainedTree } from './contained-tree.ts';
import { quotePath } from './path-policy.ts';
import { explainFileErrors, FileTooLarge } from './open-directory.ts';
import { walkTree, type WalkedFile, type WalkOptions } from './walk-tree.ts';

const MAX_MOVED_BYTES = 16 * 1024 * 1024;

/** A failed move could not be undone. The work tree is unusable; continue with a fresh one. */
export class PartialMove extends Error {
  override readonly name = 'PartialMove';
}

/** Of a file or link, by the names on its path. */
export type FileMove = Move<readonly string[]>;

interface TakenFile extends FileMove {
  readonly file: StoredChange;
}

/** The files of a directory that is moved as a whole. */
export async function filesBelow(
  tree: ContainedTree,
  start: readonly string[],
  options: WalkOptions,
): Promise<readonly WalkedFile[]> {
  const found: WalkedFile[] = [];
  const slice = new TimeSlice();
  for (const file of walkTree(tree, start, options)) {
    found.push(file);
    await slice.yieldIfOver();
  }
  return found;
}

/**
 * Moves files and links, all or none, as if at once: one file may take the path that another leaves.
 * Replaces nothing and keeps file modes. Returns what is at the new paths.
 * @throws {TellModel} if the move is impossible; the tree is then unchanged
 * @throws {PartialMove} if a failed move could not be undone
 */
export async function moveFiles(
  tree: ContainedTree,
  moves: readonly FileMove[],
): Promise<StoredChange[]> {
  rejectDuplicates(moves.map(({ from }) => from));
  rejectDuplicates(moves.map(({ to }) => to));
  const slice = new TimeSlice();
  const taken = await takeAll(tree, moves, slice);
  const put: TakenFile[] = [];
  try {
    for (const { from } of taken) {
      await explainFileErrors(from.join('/'), () => tree.remove(from));
      await slice.yieldIfOver();
    }
    for (const move of taken) {
      await explainFileErrors(move.to.join('/'), () => putFile(tree, move));
      put.push(move);
      await slice.yieldIfOver();
    }
  } catch (error) {
    takeBack(tree, taken, put);
    throw error;
  }
  return taken.map(({ to, file }) => ({ ...file, path: to.join('/') }));
}

/** @throws {PartialMove} */
function takeBack(
  tree: ContainedTree,
  taken: readonly TakenFile[],
  put: readonly TakenFile[],
): void {
  try {
    for (const { to } of put) tree.remove(to);
    for (const { from, file } of taken) tree.restore(from, file);
  } catch (error) {
    throw new PartialMove('a move that failed could not be taken back', { cause: error });
  }
}

function rejectDuplicates(places: readonly (readonly string[])[]): void {
  const seen = new Set<string>();
  for (const path of places.map((names) => names.join('/'))) {
    if (seen.has(path)) throw new TellModel(`${quotePath(path)} is listed twice.`);
    seen.add(path);
  }
}

async function takeAll(
  tree: ContainedTree,
  moves: readonly FileMove[],
  slice: TimeSlice,
): Promise<TakenFile[]> {
  const taken: TakenFile[] = [];
  let left = MAX_MOVED_BYTES;
  for (const { from, to } of moves) {
    const file = await explainFileErrors(from.join('/'), () => take(tree, from, left));
    left -= file.content?.byteLength ?? 0;
    taken.push({ from, to, file });
    await slice.yieldIfOver();
  }
  return taken;
}

function take(tree: ContainedTree, from: readonly string[], maxBytes: number): StoredChange {
  try {
    const file = tree.capture(from, maxBytes);
    if (file.content !== null) return file;
  } catch (error) {
    if (!(error instanceof FileTooLarge)) throw error;
    throw new TellModel(`At most ${MAX_MOVED_BYTES} bytes can be moved at once. Split the move.`);
  }
  throw Object.assign(new Error('nothing to move'), { code: 'ENOENT' });
}

function putFile(tree: ContainedTree, { to, file }: TakenFile): void {
  if (tree.exists(to))
    throw new TellModel(
      `${quotePath(to.join('/'))} already exists and is not overwritten. Give another path (including the file name), or delete it first.`,
    );
  tree.restore(to, file);
}
