// Merges without a work tree.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { git, GitFailed } from './git.ts';

/** Exit codes of git. */
const CONFLICTS = 1;
const UNKNOWN_OPTION = 129;

/** The tree of the merge of two full hashes; `undefined` if there are conflicts. */
export async function mergedTree(
  directory: string,
  base: string,
  head: string,
): Promise<string | undefined> {
  try {
    const printed = await git(directory, ['merge-tree', '--write-tree', base, head]);
    return printed.split('\n')[0];
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    if (error.exitCode === CONFLICTS) return undefined;
    if (error.exitCode === UNKNOWN_OPTION) return mergedInClone(directory, base, head);
    throw error;
  }
}

/** Merges in a temporary clone, for a git before 2.38. */
async function mergedInClone(
  directory: string,
  base: string,
  head: string,
): Promise<string | undefined> {
  const clone = await mkdtemp(path.join(tmpdir(), 'local-github-merge-'));
  try {
    await git(clone, ['clone', '-q', '--shared', '--no-checkout', directory, '.']);
    await git(clone, ['-c', 'advice.detachedHead=false', 'checkout', '-q', base]);
    await git(clone, ['merge', '-q', '--no-ff', '-m', 'merge', head]);
    const tree = (await git(clone, ['rev-parse', 'HEAD^{tree}'])).trim();
    const ref = `refs/merge-trial/${path.basename(clone)}`;
    await git(clone, ['push', '-q', 'origin', `HEAD:${ref}`]);
    await git(directory, ['update-ref', '-d', ref]);
    return tree;
  } catch (error) {
    if (error instanceof GitFailed && error.exitCode === CONFLICTS) return undefined;
    throw error;
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}
