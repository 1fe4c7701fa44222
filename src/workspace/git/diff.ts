import { createHash } from 'node:crypto';
import { isWithin } from '../../lib/glob.ts';
import { hunksBetween } from '../../lib/text/unified-diff.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { BaseTree } from './base-tree.ts';
import type { FileDiff, WorkflowChange } from '../../contracts/git.ts';
import { TooManyBytes } from './http-client.ts';
import { readBlob, type GitObjects } from './objects.ts';
import type { WorkTreeChange } from './commit.ts';
import { isWorkflow } from '../files/path-policy.ts';

/** Characters of all hunks together. */
const MAX_HUNKS = 256_000;
/** What a file whose hunks are omitted counts towards that limit. */
const OMITTED_FILE_COST = 16_000;
/** Like git, treats a file with a NUL in this many first bytes as binary. */
const BINARY_CHECK_BYTES = 8000;

/** The diff of the changes at or below `path` against the base. */
export async function diffOf(
  objects: GitObjects,
  base: BaseTree,
  changes: readonly WorkTreeChange[],
  path: string,
): Promise<FileDiff[]> {
  const wanted = changes.filter((change) => isWithin(change.path, path));
  const renames = renamesIn(base, wanted);
  const moved = new Set(renames.values());
  const diffs: FileDiff[] = [];
  let room = MAX_HUNKS;
  for (const change of wanted) {
    const from = renames.get(change.path);
    if (from !== undefined) diffs.push({ path: change.path, status: 'renamed', from, hunks: '' });
    if (from !== undefined || moved.has(change.path)) continue;
    const diff = await diffOfFile(objects, base, change, room);
    room -= diff.hunks?.length ?? OMITTED_FILE_COST;
    diffs.push(diff);
  }
  return diffs;
}

/** The old path of each file that was moved without changes, by its new path. */
function renamesIn(
  base: BaseTree,
  changes: readonly WorkTreeChange[],
): ReadonlyMap<string, string> {
  const gone = new Map<string, string>();
  for (const { path, status } of changes) {
    const before = status === 'deleted' ? base.files.get(path) : undefined;
    if (before !== undefined) gone.set(`${before.mode} ${before.oid}`, path);
  }
  const renames = new Map<string, string>();
  for (const { path, status, mode, oid } of changes) {
    const key = `${mode} ${oid}`;
    const from = status === 'added' ? gone.get(key) : undefined;
    if (from === undefined) continue;
    gone.delete(key);
    renames.set(path, from);
  }
  return renames;
}

async function diffOfFile(
  objects: GitObjects,
  base: BaseTree,
  { path, status, mode, content }: WorkTreeChange,
  room: number,
): Promise<FileDiff> {
  const before = base.files.get(path);
  const diff = withoutUndefined({
    path,
    status,
    oldMode: before?.mode,
    newMode: content === null ? undefined : mode,
  });
  if (room <= 0) return { ...diff, why: 'too much' };
  const old = before && (await readUnlessTooLarge(objects, before.oid));
  if (old === 'too large') return { ...diff, why: 'too much' };
  const [one, other] = [decodeText(old), decodeText(content ?? undefined)];
  if (one === undefined || other === undefined) return { ...diff, why: 'binary' };
  const { text: hunks } = hunksBetween(one, other);
  return hunks.length > room ? { ...diff, why: 'too much' } : { ...diff, hunks };
}

async function readUnlessTooLarge(
  objects: GitObjects,
  oid: string,
): Promise<Uint8Array | 'too large'> {
  try {
    return await readBlob(objects, oid);
  } catch (error) {
    if (error instanceof TooManyBytes) return 'too large';
    throw error;
  }
}

/** `undefined` for binary content. */
const decodeText = (content: Uint8Array = new Uint8Array()): string | undefined =>
  content.subarray(0, BINARY_CHECK_BYTES).includes(0)
    ? undefined
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);

// Changes of what GitHub runs: they are committed only if they are exactly those that an administrator approved.

/** `undefined`: nothing of it is about workflows. */
export async function workflowChange(
  objects: GitObjects,
  base: BaseTree,
  changes: readonly WorkTreeChange[],
): Promise<WorkflowChange | undefined> {
  const found = changes.filter(({ path }) => isWorkflow(path));
  if (found.length === 0) return undefined;
  const files = await diffOf(objects, base, found, '');
  const isText = found.every(({ content }) => content === null || isUtf8(content));
  const shown = isText ? files : files.map(({ hunks: _hunks, ...file }) => ({ ...file, why }));
  return { digest: digestOf(base, found), files: shown };
}

const why = 'binary' as const;

const isUtf8 = (content: Uint8Array): boolean => {
  const bytes = Buffer.from(content);
  return Buffer.from(bytes.toString()).equals(bytes);
};

/** What each file was, and what it becomes. */
function digestOf(base: BaseTree, changes: readonly WorkTreeChange[]): string {
  const facts = changes.map(({ path, mode, oid }) => {
    const before = base.files.get(path);
    return [path, before?.mode ?? null, before?.oid ?? null, oid === null ? null : mode, oid];
  });
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

interface ChosenChanges {
  readonly taken: readonly WorkTreeChange[];
  /** Paths of workflow files that wait. */
  readonly unapproved: readonly string[];
}

/** @param approved the digest of the change that an administrator approved */
export function withoutUnapproved(
  base: BaseTree,
  changes: readonly WorkTreeChange[],
  approved: string | undefined,
): ChosenChanges {
  const workflows = changes.filter(({ path }) => isWorkflow(path));
  if (workflows.length === 0 || digestOf(base, workflows) === approved)
    return { taken: changes, unapproved: [] };
  return {
    taken: changes.filter((change) => !workflows.includes(change)),
    unapproved: workflows.map(({ path }) => path),
  };
}
