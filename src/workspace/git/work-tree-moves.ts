import type { StoredChange } from '../../contracts/files.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import type { BaseTree } from './base-tree.ts';
import { filesTooLarge, linkTarget } from './engines/raw-check-out.ts';
import { readBlob, type GitObjects } from './objects.ts';
import { latin1OfName } from './raw-tree.ts';

/** Files that are read at the same time. */
const AT_ONCE = 16;

type Trees = Pick<BaseTree, 'files'>;

/** What has to change in a work tree that has the files of `from`, so that it has those of `to`. */
function* differences(from: Trees, to: Trees): Generator<{ path: string; oid: string | null }> {
  for (const path of from.files.keys()) if (!to.files.has(path)) yield { path, oid: null };
  for (const [path, { mode, oid }] of to.files) {
    const before = from.files.get(path);
    if (before?.oid !== oid || before.mode !== mode) yield { path, oid };
  }
}

/**
 * Changes a work tree from one tree to another, deletions first: a file may have replaced a directory. Answers the
 * paths that it changed.
 * @throws {TooManyBytes} {TellPerson} for a link that no system allows
 */
export async function moveWorkTree(
  objects: GitObjects,
  { tree: root, maxBytes }: { readonly tree: string; readonly maxBytes: number },
  from: Trees,
  to: Trees,
): Promise<readonly string[]> {
  const tree = new ContainedTree(root);
  const paths: string[] = [];
  let written = 0;
  const all = [...differences(from, to)];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    const contents = await Promise.all(
      some.map(async ({ oid }) => (oid === null ? null : readBlob(objects, oid))),
    );
    for (const [index, { path }] of some.entries()) {
      const content = contents[index] ?? null;
      written += content?.byteLength ?? 0;
      if (written > maxBytes) throw filesTooLarge(maxBytes);
      const mode = modeOf(to.files.get(path)?.mode);
      if (mode === '120000' && content !== null) linkTarget(latin1OfName(path), content);
      tree.restore(path.split('/'), { path, mode, content });
      paths.push(path);
    }
  }
  return paths;
}

const modeOf = (mode: string | undefined): StoredChange['mode'] =>
  mode === '120000' || mode === '100755' ? mode : '100644';
