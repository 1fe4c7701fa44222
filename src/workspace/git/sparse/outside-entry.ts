import type { EntryKind } from '../../../contracts/files.ts';
import type { BaseTree } from '../base-tree.ts';
import { DamagedRepository } from '../engines/native/native-git.ts';
import { readBlob, type GitObjects } from '../objects.ts';
import {
  latin1OfName,
  fileMode,
  isDirectory,
  isSubmodule,
  readRawTree,
  textOfName,
  type RawEntry,
} from '../raw-tree.ts';

/** What a commit has at a path. Plain data. */
export type OutsideEntry =
  | { readonly kind: 'none' | 'symlink' | 'other' }
  | { readonly kind: 'directory'; readonly entries: readonly EntryInShort[] }
  /** `content` is missing until it is fetched. */
  | { readonly kind: 'file'; readonly oid: string; readonly content?: Uint8Array };

interface EntryInShort {
  readonly name: string;
  readonly kind: EntryKind;
}

/** Reads what the commit of a base has at a path, whether the work tree has it or not. */
export async function outsideEntry(
  objects: GitObjects,
  { tree }: Pick<BaseTree, 'tree'>,
  path: string,
): Promise<OutsideEntry> {
  let entry: RawEntry | undefined = { mode: '40000', name: '', oid: tree };
  for (const name of path.split('/').map(latin1OfName)) {
    if (entry === undefined) return { kind: 'none' };
    if (!isDirectory(entry)) return { kind: kindOf(entry) === 'symlink' ? 'symlink' : 'none' };
    entry = (await readRawTree(objects, entry.oid)).find((one) => one.name === name);
  }
  if (entry === undefined) return { kind: 'none' };
  const kind = kindOf(entry);
  if (kind === 'file') return { kind, oid: entry.oid, ...(await contentOf(objects, entry.oid)) };
  if (kind !== 'directory') return { kind };
  const inside = isDirectory(entry) ? await readRawTree(objects, entry.oid) : [];
  const entries = inside.flatMap((one) => {
    const name = textOfName(one);
    return name === undefined ? [] : [{ name, kind: kindOf(one) }];
  });
  return { kind, entries };
}

function kindOf(entry: RawEntry): EntryKind {
  if (isDirectory(entry) || isSubmodule(entry)) return 'directory';
  const mode = fileMode(entry);
  if (mode === undefined) return 'other';
  return mode === '120000' ? 'symlink' : 'file';
}

async function contentOf(objects: GitObjects, oid: string): Promise<{ content?: Uint8Array }> {
  try {
    return { content: await readBlob(objects, oid) };
  } catch (error) {
    if (error instanceof DamagedRepository) return {};
    throw error;
  }
}
