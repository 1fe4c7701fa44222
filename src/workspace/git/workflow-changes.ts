// Changes of what GitHub runs: they are committed only if they are exactly those that an administrator approved.
import { createHash } from 'node:crypto';
import type { WorkflowChange } from '../../contracts/git.ts';
import { isWorkflow } from '../files/path-policy.ts';
import type { BaseTree } from './base-tree.ts';
import { diffOf } from './diff.ts';
import type { GitObjects } from './objects.ts';
import type { WorkTreeChange } from './work-tree-changes.ts';

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

interface Chosen {
  readonly taken: readonly WorkTreeChange[];
  /** Paths of workflow files that wait. */
  readonly unapproved: readonly string[];
}

/** @param approved the digest of the change that an administrator approved */
export function withoutUnapproved(
  base: BaseTree,
  changes: readonly WorkTreeChange[],
  approved: string | undefined,
): Chosen {
  const workflows = changes.filter(({ path }) => isWorkflow(path));
  if (workflows.length === 0 || digestOf(base, workflows) === approved)
    return { taken: changes, unapproved: [] };
  return {
    taken: changes.filter((change) => !workflows.includes(change)),
    unapproved: workflows.map(({ path }) => path),
  };
}
